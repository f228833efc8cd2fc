// Selectors that break one promise each, to put the kit itself on trial.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <selectors/conformance/subject.hpp>

namespace selectors::conformance {

// Forwards everything to an honest subject. A liar overrides what it lies about.
class decorator : public subject {
 public:
  explicit decorator(std::unique_ptr<subject> honest) noexcept : honest_(std::move(honest)) {}

  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    return honest_->register_fd(fd, wanted, data, mode);
  }
  key unregister(int fd) override { return honest_->unregister(fd); }
  key unregister(const key& k) override { return honest_->unregister(k); }
  key modify(int fd, interest wanted, user_data data, trigger mode) override {
    return honest_->modify(fd, wanted, data, mode);
  }
  key modify(int fd, interest wanted) override { return honest_->modify(fd, wanted); }
  key pause(int fd) override { return honest_->pause(fd); }
  key resume(int fd) override { return honest_->resume(fd); }
  key get_key(int fd) override { return honest_->get_key(fd); }
  std::vector<key> get_map() override { return honest_->get_map(); }
  std::size_t size() override { return honest_->size(); }
  bool contains(int fd) override { return honest_->contains(fd); }
  // Both waits end in `lie`, so that a liar about results overrides one function.
  outcome wait(timeout t) override { return lie(honest_->wait(t)); }
  outcome wait(timeout t, const wait_options& options) override { return lie(honest_->wait(t, options)); }
  std::shared_ptr<const wake_handle> make_waker() override { return honest_->make_waker(); }
  void close() override { honest_->close(); }
  int native_handle() override { return honest_->native_handle(); }
  std::vector<key> audit() override { return honest_->audit(); }
  void reinit_after_fork() override { honest_->reinit_after_fork(); }
  std::unique_ptr<subject> move_out() override { return honest_->move_out(); }
  std::vector<event> revisit() override { return honest_->revisit(); }
  call_counts calls() override { return honest_->calls(); }

 protected:
  virtual outcome lie(outcome result) { return result; }
  subject& honest() noexcept { return *honest_; }

 private:
  std::unique_ptr<subject> honest_;
};

struct liar {
  std::string_view name;     // what it does wrong, in UpperCamel
  std::string_view promise;  // the id that it breaks: the kit has to fail it by a case that cites this id
  std::unique_ptr<subject> (*disguise)(std::unique_ptr<subject> honest);
  std::string_view over = "";        // the honest subject; empty: the first one that a case applies to
  feature pretends = feature::none;  // claimed in addition to what the honest subject claims
};

template <class Liar>
std::unique_ptr<subject> disguised(std::unique_ptr<subject> honest) {
  return std::make_unique<Liar>(std::move(honest));
}

}  // namespace selectors::conformance
