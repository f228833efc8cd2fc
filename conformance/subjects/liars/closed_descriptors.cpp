#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "../liars.hpp"
#include "tools.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

bool is_open(int fd) noexcept {
  return ::fcntl(fd, F_GETFD) >= 0;
}

class repeats_invalid final : public tracking {
 public:
  using tracking::tracking;

 protected:
  outcome lie(outcome result) override {
    for (const auto& [fd, k] : keys()) {
      if (!is_open(fd)) result.events.push_back({fd, none, status::invalid, k.generation, k.data});
    }
    return result;
  }
};

class one_bad_descriptor_spoils_all final : public tracking {
 public:
  using tracking::tracking;

 protected:
  outcome lie(outcome result) override {
    if (std::ranges::any_of(keys(), [](const auto& row) { return !is_open(row.first); }))
      result.events.clear();
    return result;
  }
};

class fails_for_a_closed_descriptor final : public tracking {
 public:
  using tracking::tracking;

 protected:
  outcome lie(outcome result) override {
    for (const auto& row : keys()) {
      if (!is_open(row.first)) refuse(std::errc::bad_file_descriptor);
    }
    return result;
  }
};

class unregister_asks_the_kernel final : public decorator {
 public:
  using decorator::decorator;
  key unregister(int fd) override {
    if (!is_open(fd)) refuse(std::errc::bad_file_descriptor);
    return decorator::unregister(fd);
  }
};

class unregister_reaches_others final : public decorator {
 public:
  explicit unregister_reaches_others(std::unique_ptr<subject> honest) : decorator(std::move(honest)) {
    all_.insert(this);
  }
  ~unregister_reaches_others() override { all_.erase(this); }
  key unregister(int fd) override {
    const key k = decorator::unregister(fd);
    for (unregister_reaches_others* const other : all_) {
      if (other != this && other->honest().contains(fd)) other->honest().unregister(fd);
    }
    return k;
  }

 private:
  static inline std::set<unregister_reaches_others*> all_;
};

class modify_needs_the_old_file final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    const key k = decorator::register_fd(fd, wanted, data, mode);
    inodes_[fd] = inode_of(fd);
    return k;
  }
  key modify(int fd, interest wanted, user_data data, trigger mode) override {
    if (inode_of(fd) != inodes_[fd]) refuse(std::errc::no_such_file_or_directory);
    return decorator::modify(fd, wanted, data, mode);
  }

 private:
  static ino_t inode_of(int fd) noexcept {
    struct stat s {};
    return ::fstat(fd, &s) == 0 ? s.st_ino : 0;
  }
  std::map<int, ino_t> inodes_;
};

// Keeps a duplicate of everything that was ever registered, as the kernel's set does when a file lives on.
class haunted : public tracking {
 public:
  using tracking::tracking;
  ~haunted() override {
    for (const auto& row : twins_) ::close(row.second);
  }
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    const key k = tracking::register_fd(fd, wanted, data, mode);
    const int twin = ::fcntl(fd, F_DUPFD_CLOEXEC, 600);
    if (twin >= 0) twins_.emplace_back(k, twin);
    return k;
  }

 protected:
  // Readable files whose registration has ended.
  std::vector<key> ghosts() const {
    std::vector<key> found;
    for (const auto& [k, twin] : twins_) {
      const auto now = keys().find(k.fd);
      const bool registered = now != keys().end() && now->second.generation == k.generation;
      if (!registered && (raw_bits(twin) & POLLIN) != 0) found.push_back(k);
    }
    return found;
  }

 private:
  std::vector<std::pair<key, int>> twins_;
};

class reports_ghosts final : public haunted {
 public:
  using haunted::haunted;

 protected:
  outcome lie(outcome result) override {
    for (const key& k : ghosts()) result.events.push_back({k.fd, read, status::none, k.generation, k.data});
    return result;
  }
};

class credits_ghosts_to_the_newcomer final : public haunted {
 public:
  using haunted::haunted;

 protected:
  outcome lie(outcome result) override {
    for (const key& k : ghosts()) {
      const auto now = keys().find(k.fd);
      if (now == keys().end()) continue;
      result.events.push_back({k.fd, read, status::none, now->second.generation, now->second.data});
    }
    return result;
  }
};

class ghosts_take_the_room final : public haunted {
 public:
  using haunted::haunted;

 protected:
  outcome lie(outcome result) override {
    result.events.resize(result.events.size() - std::min(result.events.size(), ghosts().size()));
    return result;
  }
};

class ghosts_end_waits final : public haunted {
 public:
  using haunted::haunted;
  outcome wait(timeout t) override {
    return ghosts().empty() ? haunted::wait(t) : haunted::wait(timeout::zero);
  }
};

class ghosts_cost_a_look_each final : public haunted {
 public:
  using haunted::haunted;
  outcome wait(timeout t) override {
    for (std::size_t i = 0; i < ghosts().size(); ++i) honest().wait(timeout::zero);
    return haunted::wait(t);
  }
};

class one_key_for_each_file final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    struct stat s {};
    ::fstat(fd, &s);
    if (!files_.insert(s.st_ino).second) return {.fd = fd, .wanted = wanted, .generation = 1, .data = data};
    return decorator::register_fd(fd, wanted, data, mode);
  }

 private:
  std::set<ino_t> files_;
};

class finds_nothing final : public decorator {
 public:
  using decorator::decorator;
  std::vector<key> audit() override { return {}; }
};

class suspects_everybody final : public decorator {
 public:
  using decorator::decorator;
  std::vector<key> audit() override { return decorator::get_map(); }
};

class forgets_to_erase_the_closed final : public decorator {
 public:
  using decorator::decorator;
  key unregister(int fd) override { return is_open(fd) ? decorator::unregister(fd) : honest().get_key(fd); }
};

class last_result_stays final : public decorator {
 public:
  using decorator::decorator;
  std::vector<event> revisit() override { return last_; }

 protected:
  outcome lie(outcome result) override {
    last_ = result.events;
    return result;
  }

 private:
  std::vector<event> last_;
};

}  // namespace

std::span<const liar> closed_descriptors_liars() {
  static const std::vector<liar> rows{
      {"RepeatsInvalid", "CLO-01", &disguised<repeats_invalid>},
      {"AuditFindsNothing", "CLO-01", &disguised<finds_nothing>},
      {"OneBadDescriptorSpoilsAll", "CLO-02", &disguised<one_bad_descriptor_spoils_all>},
      {"UnregisterAsksTheKernel", "CLO-04", &disguised<unregister_asks_the_kernel>},
      {"UnregisterReachesOthers", "CLO-05", &disguised<unregister_reaches_others>},
      {"ModifyNeedsTheOldFile", "CLO-06", &disguised<modify_needs_the_old_file>},
      {"ReportsGhosts", "CLO-07", &disguised<reports_ghosts>},
      {"CreditsGhostsToTheNewcomer", "CLO-08", &disguised<credits_ghosts_to_the_newcomer>},
      {"GhostsTakeTheRoom", "CLO-09", &disguised<ghosts_take_the_room>},
      {"GhostsEndWaits", "CLO-10", &disguised<ghosts_end_waits>},
      {"GhostsCostALookEach", "CLO-11", &disguised<ghosts_cost_a_look_each>},
      {"OneKeyForEachFile", "CLO-13", &disguised<one_key_for_each_file>},
      {"ChildrenKeepGhosts", "CLO-14", &disguised<reports_ghosts>},
      {"OldEntriesLookNew", "CLO-15", &disguised<one_generation_for_all>},
      {"FailsForAClosedDescriptor", "CLO-16", &disguised<fails_for_a_closed_descriptor>},
      {"SuspectsEverybody", "CLO-18", &disguised<suspects_everybody>},
      {"SuspectsNobody", "CLO-18", &disguised<finds_nothing>},
      {"ForgetsToEraseTheClosed", "CLO-19", &disguised<forgets_to_erase_the_closed>},
      {"LastResultStays", "CLO-20", &disguised<last_result_stays>},
  };
  return rows;
}

}  // namespace selectors::conformance
