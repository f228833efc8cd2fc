#include <algorithm>

#include "scenarios/regret_work.hpp"

namespace selectors::perf {
namespace {

// Which descriptors come and go: always the same, as with connections that live for one request, or all in turn.
enum class turnover { same, in_turn };

class churned {
 public:
  churned(std::shared_ptr<still_scene> scene, backend b, int changes, turnover kind)
      : scene_(std::move(scene)), selector_(b), changes_(static_cast<std::size_t>(changes)), kind_(kind) {
    register_all(selector_, scene_->sockets.read_ends());
    for (int i = 0; i < waits_before; ++i) expect(take(selector_.select(timeout::zero)), scene_->wanted);
  }

  found operator()() {
    const auto descriptors = scene_->sockets.read_ends();
    if (kind_ == turnover::same) next_ = 0;
    for (std::size_t i = 0; i < changes_; ++i) {
      const int fd = descriptors[next_];
      if (++next_ == descriptors.size()) next_ = 0;
      selector_.unregister(fd);
      selector_.register_fd(fd, interest::read, static_cast<std::uintptr_t>(fd));
    }
    return take(selector_.select(timeout::zero));
  }

 private:
  // It settles as if nothing would ever change: the worse for it.
  static constexpr int waits_before = 100;

  std::shared_ptr<still_scene> scene_;
  selector selector_;
  std::size_t changes_;
  turnover kind_;
  std::size_t next_ = 0;
};

contestant_maker churn(int n, int ready, int changes, turnover kind) {
  const auto scene = std::make_shared<still_scene>(n, ready);
  return [=](backend b) -> std::unique_ptr<contestant> {
    if (!can_take_part(b, scene->sockets)) return nullptr;
    return in_batches(scene->wanted, churned(scene, b, changes, kind));
  };
}

}  // namespace

void add_churn(regret_cells_of& cells) {
  for (const int n : sizes_up_to(480)) {
    for (const auto& ready : ready_counts(n)) {
      for (const auto kind : {turnover::same, turnover::in_turn}) {
        for (const int changes : {1, n / 10}) {
          if (changes != 1 && n / 10 <= 1) continue;
          cells.push_back(
              {.arm = "churn",
               .n = n,
               .ready = std::string(ready.name),
               .detail = fmt::format("c={} {}", changes, kind == turnover::same ? "same" : "in-turn"),
               .set_up = [=, k = ready.count] { return churn(n, k, changes, kind); }});
        }
      }
    }
  }
}

}  // namespace selectors::perf
