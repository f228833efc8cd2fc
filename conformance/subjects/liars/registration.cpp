#include <fcntl.h>

#include <climits>
#include <set>

#include "../liars.hpp"
#include "tools.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

class forgets_the_data final : public decorator {
 public:
  using decorator::decorator;
  key get_key(int fd) override {
    key k = decorator::get_key(fd);
    k.data = {};
    return k;
  }
};

class takes_empty_interest final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    if (any(wanted)) return decorator::register_fd(fd, wanted, data, mode);
    return {.fd = fd, .generation = 1, .data = data};
  }
};

class takes_unknown_bits final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    return decorator::register_fd(fd, ~~wanted, data, mode);  // the complement drops what it does not know
  }
};

class ignores_negative_numbers final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    return fd < 0 ? key{} : decorator::register_fd(fd, wanted, data, mode);
  }
};

class second_register_replaces final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    return honest().contains(fd) ? honest().modify(fd, wanted, data, mode)
                                 : decorator::register_fd(fd, wanted, data, mode);
  }
};

class keeps_what_it_refused final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    try {
      return decorator::register_fd(fd, wanted, data, mode);
    } catch (const std::system_error&) {
      refused_.push_back({.fd = fd, .wanted = wanted, .data = data});
      throw;
    }
  }
  std::vector<key> get_map() override {
    std::vector<key> keys = decorator::get_map();
    keys.insert(keys.end(), refused_.begin(), refused_.end());
    return keys;
  }

 private:
  std::vector<key> refused_;
};

// From a result that was kept.
class reports_the_departed final : public decorator {
 public:
  using decorator::decorator;

 protected:
  outcome lie(outcome result) override {
    if (result.events.empty()) return last_;
    return last_ = result;
  }

 private:
  outcome last_;
};

class unregister_never_complains final : public decorator {
 public:
  using decorator::decorator;
  key unregister(int fd) override { return honest().contains(fd) ? decorator::unregister(fd) : key{}; }
};

class old_interest_comes_back final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    return decorator::register_fd(fd, wanted | std::exchange(old_[fd], none), data, mode);
  }
  key unregister(int fd) override {
    const key k = decorator::unregister(fd);
    old_[fd] = k.wanted;
    return k;
  }

 private:
  std::map<int, interest> old_;
};

class modify_adds final : public decorator {
 public:
  using decorator::decorator;
  key modify(int fd, interest wanted) override {
    return decorator::modify(fd, wanted | honest().get_key(fd).wanted);
  }
};

class modify_keeps_the_old_data final : public decorator {
 public:
  using decorator::decorator;
  key modify(int fd, interest wanted, user_data, trigger mode) override {
    return decorator::modify(fd, wanted, honest().get_key(fd).data, mode);
  }
};

class modify_always_tells_the_kernel final : public decorator {
 public:
  using decorator::decorator;
  key modify(int fd, interest wanted, user_data data, trigger mode) override {
    honest().pause(fd);
    return decorator::modify(fd, wanted, data, mode);
  }
};

class failed_modify_drops_the_key final : public decorator {
 public:
  using decorator::decorator;
  key modify(int fd, interest wanted, user_data data, trigger mode) override {
    try {
      return decorator::modify(fd, wanted, data, mode);
    } catch (const std::system_error&) {
      honest().unregister(fd);
      throw;
    }
  }
};

class size_only_grows final : public decorator {
 public:
  using decorator::decorator;
  std::size_t size() override { return largest_ = std::max(largest_, decorator::size()); }
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    const key k = decorator::register_fd(fd, wanted, data, mode);
    size();
    return k;
  }

 private:
  std::size_t largest_ = 0;
};

class needs_an_open_descriptor_to_unregister final : public decorator {
 public:
  using decorator::decorator;
  key unregister(const key& k) override {
    if (::fcntl(k.fd, F_GETFD) < 0) refuse(std::errc::bad_file_descriptor);
    return decorator::unregister(k);
  }
};

class only_one_selector_for_each_descriptor final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    if (!taken_.insert(fd).second) return {.fd = fd, .wanted = wanted, .generation = 1, .data = data};
    return decorator::register_fd(fd, wanted, data, mode);
  }

 private:
  static inline std::set<int> taken_;
};

class takes_absurd_numbers final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    return fd > INT_MAX / 4 ? key{.fd = fd, .data = data} : decorator::register_fd(fd, wanted, data, mode);
  }
};

class unregisters_by_number_alone final : public decorator {
 public:
  using decorator::decorator;
  key unregister(const key& k) override { return honest().unregister(k.fd); }
};

}  // namespace

std::span<const liar> registration_liars() {
  static const std::vector<liar> rows{
      {"ForgetsTheData", "REG-01", &disguised<forgets_the_data>},
      {"TakesEmptyInterest", "REG-02", &disguised<takes_empty_interest>},
      {"TakesUnknownBits", "REG-03", &disguised<takes_unknown_bits>},
      {"IgnoresNegativeNumbers", "REG-04", &disguised<ignores_negative_numbers>},
      {"SecondRegisterReplaces", "REG-05", &disguised<second_register_replaces>},
      {"KeepsWhatItRefused", "REG-06", &disguised<keeps_what_it_refused>},
      {"SwallowsClosedNumbers", "REG-07", &disguised<swallows_refusals>, "epoll"},
      {"ReportsTheDeparted", "REG-08", &disguised<reports_the_departed>},
      {"UnregisterNeverComplains", "REG-09", &disguised<unregister_never_complains>},
      {"OldInterestComesBack", "REG-10", &disguised<old_interest_comes_back>},
      {"ModifyAdds", "REG-11", &disguised<modify_adds>},
      {"ModifyKeepsTheOldData", "REG-11", &disguised<modify_keeps_the_old_data>},
      {"ModifyAlwaysTellsTheKernel", "REG-12", &disguised<modify_always_tells_the_kernel>, "epoll"},
      {"ModifyForgetsTheNewData", "REG-12", &disguised<modify_keeps_the_old_data>},
      {"FailedModifyDropsTheKey", "REG-13", &disguised<failed_modify_drops_the_key>},
      {"PauseIsNoStep", "REG-14", &disguised<pause_is_ignored>},
      {"SizeOnlyGrows", "REG-15", &disguised<size_only_grows>},
      {"NeedsAnOpenDescriptorToUnregister", "REG-16", &disguised<needs_an_open_descriptor_to_unregister>},
      {"OnlyOneSelectorForEachDescriptor", "REG-17", &disguised<only_one_selector_for_each_descriptor>},
      {"TakesAbsurdNumbers", "REG-19", &disguised<takes_absurd_numbers>},
      {"UnregistersByNumberAlone", "REG-20", &disguised<unregisters_by_number_alone>},
      {"OneGenerationForAll", "REG-21", &disguised<one_generation_for_all>},
  };
  return rows;
}

}  // namespace selectors::conformance
