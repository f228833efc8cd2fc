#include "library_subject.hpp"

#include <adaptive_backend.hpp>
#include <climits>
#include <optional>
#include <utility>

#include <selectors/selector.hpp>

#include "call_counter.hpp"

namespace selectors::conformance {

namespace {

class library_waker final : public wake_handle {
 public:
  explicit library_waker(waker w) noexcept : waker_(std::move(w)) {}
  void wake() const noexcept override { waker_.wake(); }

 private:
  waker waker_;
};

class library_subject final : public subject {
 public:
  explicit library_subject(selector s) noexcept : selector_(std::move(s)) {}

  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    return either([&] { return selector_.register_fd(fd, wanted, data, mode); },
                  [&](std::error_code& ec) { selector_.register_fd(fd, wanted, data, mode, ec); });
  }
  key unregister(int fd) override {
    return either([&] { return selector_.unregister(fd); },
                  [&](std::error_code& ec) { selector_.unregister(fd, ec); });
  }
  key unregister(const key& k) override {
    return either([&] { return selector_.unregister(k); },
                  [&](std::error_code& ec) { selector_.unregister(k, ec); });
  }
  key modify(int fd, interest wanted, user_data data, trigger mode) override {
    return either([&] { return selector_.modify(fd, wanted, data, mode); },
                  [&](std::error_code& ec) { selector_.modify(fd, wanted, data, mode, ec); });
  }
  key modify(int fd, interest wanted) override {
    return either([&] { return selector_.modify(fd, wanted); },
                  [&](std::error_code& ec) { selector_.modify(fd, wanted, ec); });
  }
  key pause(int fd) override {
    return either([&] { return selector_.pause(fd); }, [&](std::error_code& ec) { selector_.pause(fd, ec); });
  }
  key resume(int fd) override {
    return either([&] { return selector_.resume(fd); },
                  [&](std::error_code& ec) { selector_.resume(fd, ec); });
  }
  key get_key(int fd) override {
    return either([&] { return selector_.get_key(fd); },
                  [&](std::error_code& ec) { selector_.get_key(fd, ec); });
  }
  std::vector<key> get_map() override {
    return either([&] { return selector_.get_map(); }, [&](std::error_code& ec) { selector_.get_map(ec); });
  }
  std::vector<key> audit() override {
    return either([&] { return selector_.audit(); }, [&](std::error_code& ec) { selector_.audit(ec); });
  }
  std::size_t size() override { return selector_.size(); }
  bool contains(int fd) override { return selector_.contains(fd); }

  outcome wait(timeout t) override { return copy(selector_.select(t)); }
  outcome wait(timeout t, const wait_options& options) override { return copy(selector_.select(t, options)); }
  std::vector<event> revisit() override { return {last_.begin(), last_.end()}; }

  std::shared_ptr<const wake_handle> make_waker() override {
    return std::make_shared<library_waker>(selector_.make_waker());
  }
  int native_handle() override {
    return either([&] { return selector_.native_handle(); },
                  [&](std::error_code& ec) { selector_.native_handle(ec); });
  }
  void close() override { selector_.close(); }
  void reinit_after_fork() override { selector_.reinit_after_fork(); }
  std::unique_ptr<subject> move_out() override {
    return std::make_unique<library_subject>(std::move(selector_));
  }
  call_counts calls() override { return library_calls(); }

 private:
  // The throwing verb, and after a failure its twin: a failed verb changes nothing, so that the twin has to
  // fail with the same code.
  template <class Throwing, class Twin>
  static auto either(const Throwing& throwing, const Twin& twin) -> decltype(throwing()) {
    try {
      return throwing();
    } catch (const std::system_error& e) {
      std::error_code ec;
      twin(ec);
      if (ec != e.code()) {
        throw std::logic_error("the throwing verb said \"" + e.code().message() +
                               "\", its error_code twin \"" + ec.message() + '"');
      }
      throw;
    }
  }

  outcome copy(selection found) {
    last_ = found;
    return {{found.begin(), found.end()}, found.woken(), found.interrupted()};
  }

  selector selector_;
  selection last_;
};

feature features_of(const backend_info& b) {
  using enum feature;
  feature set = modify | pause | unregister_by_key | get_key | get_map | counting | waker | close | move |
                audit | reinit_after_fork | limit | sigmask | interruption_hook | user_data | generations |
                live_results | fork_guard | names_errors | reports_stale;
  const auto add_if = [&](bool present, feature f) {
    if (present) set = set | f;
  };
  add_if(b.can.edge, edge);
  add_if(b.can.oneshot, oneshot);
  add_if(b.can.exclusive, exclusive);
  add_if(b.can.priority, priority);
  add_if(b.can.peer_closed, peer_closed);
  add_if(b.can.regular_files, regular_files);
  add_if(b.can.native_handle, feature::native_handle);
  add_if(b.can.wait_cost_independent_of_idle, scales);
  add_if(b.can.fd_limit != INT_MAX, fd_limit);
  // select(2) has no words for hang-up and error.
  add_if(b.id != backend::select, status);
  add_if(b.id == backend::select || b.id == backend::epoll, eager_check);
  add_if(count_library_calls(), counts_calls);
  add_if(b.id != backend::adaptive, one_call_waits);
  return set;
}

}  // namespace

subject_info library_subject_info(const backend_info& b) {
  return {std::string(b.name), features_of(b), b.can.fd_limit, [id = b.id]() -> std::unique_ptr<subject> {
            forced_regime.reset();
            return std::make_unique<library_subject>(selector(id));
          }};
}

namespace {

subject_info held_in(regime r, const char* name) {
  subject_info row = library_subject_info(*find_backend(backend::adaptive));
  row.name += name;
  // What is polled costs each wait, quiet or not: it is why there is more than one regime.
  if (r != regime::watching) row.can = row.can & ~feature::scales;
  row.make = [r]() -> std::unique_ptr<subject> {
    forced_regime = r;
    return std::make_unique<library_subject>(selector(backend::adaptive));
  };
  return row;
}

}  // namespace

std::vector<subject_info> library_subjects() {
  std::vector<subject_info> rows;
  for (const backend_info& b : backends()) {
    if (b.supported()) rows.push_back(library_subject_info(b));
  }
  rows.push_back(held_in(regime::polling, "_polling"));
  rows.push_back(held_in(regime::mixed, "_mixed"));
  rows.push_back(held_in(regime::watching, "_watching"));
  return rows;
}

}  // namespace selectors::conformance
