// Any sequence of verbs against a model that is too simple to be wrong.
#include <sys/eventfd.h>

#include <map>
#include <random>

#include <selectors/selector.hpp>

#include "descriptors.hpp"
#include "every_backend.hpp"

namespace selectors::tests {
namespace {

using enum interest;

// Descriptors that are readable and writable at once: what is reported is what was asked for.
class Model : public every_backend {
 protected:
  struct expected {
    interest wanted;
    std::uintptr_t data;
    bool paused;
    bool fired;
    trigger mode;
  };

  Model() {
    for (int i = 0; i < 40; ++i) fds.push_back(duplicate(counter, 20 + i));
  }

  void apply_one() {
    const int fd = fds[random() % fds.size()];
    const auto wanted = static_cast<interest>(random() % 3 + 1);
    const std::uintptr_t data = random();
    const trigger mode = random() % 4 == 0 ? trigger::oneshot : trigger::level;
    const auto found = model.find(fd);
    if (found == model.end()) {
      s.register_fd(fd, wanted, data, mode);
      model[fd] = {wanted, data, false, false, mode};
      return;
    }
    switch (random() % 5) {
      case 0:
        s.unregister(fd);
        model.erase(found);
        break;
      case 1:
        s.pause(fd);
        found->second.paused = true;
        break;
      case 2:
        s.resume(fd);
        found->second.paused = found->second.fired = false;
        break;
      default:
        s.modify(fd, wanted, data, mode);
        found->second = {wanted, data, false, false, mode};
    }
  }

  void compare() {
    std::map<int, event> reported;
    for (const event& e : s.select(timeout::zero)) {
      EXPECT_TRUE(reported.emplace(e.fd, e).second) << "twice: " << e.fd;
    }
    for (auto& [fd, x] : model) {
      const auto e = reported.extract(fd);
      ASSERT_EQ(!e.empty(), !x.paused && !x.fired) << fd;
      if (e.empty()) continue;
      EXPECT_EQ(e.mapped().ready, x.wanted);
      EXPECT_EQ(e.mapped().data, user_data(x.data));
      EXPECT_EQ(e.mapped().generation, s.get_key(fd).generation);
      x.fired = x.mode == trigger::oneshot;
    }
    EXPECT_TRUE(reported.empty()) << "not registered: " << reported.begin()->first;
    EXPECT_EQ(s.size(), model.size());
  }

  std::mt19937 random{7};
  descriptor counter{::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::vector<descriptor> fds;
  selector s{GetParam()};
  std::map<int, expected> model;
};

TEST_P(Model, AgreesAfterAnySequenceOfVerbs) {
  for (int step = 0; step < 3000 && !HasFailure(); ++step) {
    apply_one();
    if (step % 7 == 0) compare();
  }
  for (const key& k : s.get_map()) {
    EXPECT_EQ(model.at(k.fd).wanted, k.wanted);
    EXPECT_EQ(model.at(k.fd).paused, k.paused);
  }
}

INSTANTIATE_TEST_SUITE_P(, Model, all_backends(), backend_name);

}  // namespace
}  // namespace selectors::tests
