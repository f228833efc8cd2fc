#include <exception>
#include <thread>

#include "scenarios/regret_work.hpp"

namespace selectors::perf {
namespace {

using scene_ptr = std::shared_ptr<still_scene>;

found live(const still_scene& scene, backend b, int waits) {
  selector s(b);
  register_all(s, scene.sockets.read_ends());
  for (int w = 1; w < waits; ++w) expect(take(s.select(timeout::zero)), scene.wanted);
  return take(s.select(timeout::zero));
}

contestant_maker warm_lives(int n, int ready, int waits) {
  const auto scene = std::make_shared<still_scene>(n, ready);
  return [=](backend b) -> std::unique_ptr<contestant> {
    if (!can_take_part(b, scene->sockets)) return nullptr;
    return in_batches(scene->wanted, [=] { return live(*scene, b, waits); });
  };
}

// Each life in a thread of its own. The thread's storage is warm, as it is where a selector has lived before, but that
// one never waited and has left nothing to learn from.
class cold_lives final : public contestant {
 public:
  cold_lives(scene_ptr scene, backend b, int waits) : scene_(std::move(scene)), backend_(b), waits_(waits) {}

  double run(int operations) override {
    double total = 0;
    for (int i = 0; i < operations; ++i) total += one_life();
    return total;
  }

 private:
  double one_life() const {
    stopwatch watch;
    std::exception_ptr failure;
    std::thread([&] {
      try {
        register_only();
        watch.start();
        expect(live(*scene_, backend_, waits_), scene_->wanted);
        watch.stop();
      } catch (...) {
        failure = std::current_exception();
      }
    }).join();
    if (failure) std::rethrow_exception(failure);
    return watch.elapsed_ns();
  }

  void register_only() const {
    selector s(backend_);
    register_all(s, scene_->sockets.read_ends());
  }

  scene_ptr scene_;
  backend backend_;
  int waits_;
};

contestant_maker cold(int n, int ready, int waits) {
  const auto scene = std::make_shared<still_scene>(n, ready);
  return [=](backend b) -> std::unique_ptr<contestant> {
    if (!can_take_part(b, scene->sockets)) return nullptr;
    return std::make_unique<cold_lives>(scene, b, waits);
  };
}

}  // namespace

void add_lives(regret_cells_of& cells) {
  for (const int n : sizes_up_to(480)) {
    for (const auto& ready : ready_counts(n)) {
      const auto add = [&](const char* arm, const std::string& detail, int least_warm_up, auto make) {
        cells.push_back({.arm = arm,
                         .n = n,
                         .ready = std::string(ready.name),
                         .detail = detail,
                         .set_up = make,
                         .least_warm_up = least_warm_up});
      };
      add("recreate", "", 40, [n, k = ready.count] { return warm_lives(n, k, 1); });
      for (const int waits : {4, 16, 64, 256}) {
        const auto detail = fmt::format("W={}", waits);
        add("lives", detail, 8, [=, k = ready.count] { return warm_lives(n, k, waits); });
        add("cold", detail, 2, [=, k = ready.count] { return cold(n, k, waits); });
      }
    }
  }
}

}  // namespace selectors::perf
