#include <semaphore>
#include <thread>

#include "scenarios/regret_work.hpp"

namespace selectors::perf {
namespace {

// Does nothing, but the kernel counts references to the table of open files from its birth on.
class second_thread {
 public:
  second_thread() : thread_([this] { enough_.acquire(); }) {}
  ~second_thread() {
    enough_.release();
    thread_.join();
  }
  second_thread(const second_thread&) = delete;
  second_thread& operator=(const second_thread&) = delete;

 private:
  std::binary_semaphore enough_{0};
  std::thread thread_;
};

struct kept_scene : still_scene {
  kept_scene(int n, int ready, bool threaded) : still_scene(n, ready) {
    if (threaded) company.emplace();
  }
  std::optional<second_thread> company;
};

contestant_maker kept(int n, int ready, timeout t, bool threaded) {
  const auto scene = std::make_shared<kept_scene>(n, ready, threaded);
  return [=](backend b) -> std::unique_ptr<contestant> {
    if (!can_take_part(b, scene->sockets)) return nullptr;
    selector s(b);
    register_all(s, scene->sockets.read_ends());
    return in_batches(scene->wanted, [scene, t, s = std::move(s)]() mutable { return take(s.select(t)); });
  };
}

}  // namespace

void add_kept(regret_cells_of& cells) {
  const auto add = [&](const char* arm, int n, const ready_count& ready, const char* detail, timeout t) {
    const bool threaded = arm == std::string_view("threaded");
    cells.push_back({.arm = arm,
                     .n = n,
                     .ready = std::string(ready.name),
                     .detail = detail,
                     .set_up = [=, k = ready.count] { return kept(n, k, t, threaded); }});
  };
  for (const int n : sizes_up_to(8000)) {
    for (const auto& ready : ready_counts(n)) {
      add("reuse", n, ready, "", timeout::zero);
      if (n <= 480) add("threaded", n, ready, "", timeout::zero);
      if (n > 2000 || ready.count == 0) continue;
      add("blocking", n, ready, "1s", std::chrono::seconds(1));
      add("blocking", n, ready, "infinite", timeout::infinite);
    }
  }
}

}  // namespace selectors::perf
