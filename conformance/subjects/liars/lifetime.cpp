#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../liars.hpp"
#include "tools.hpp"

namespace selectors::conformance {

namespace {

class owns_what_it_watches final : public tracking {
 public:
  using tracking::tracking;
  ~owns_what_it_watches() override {
    for (const auto& row : keys()) ::close(row.first);
  }
};

class makes_everything_blocking final : public decorator {
 public:
  using decorator::decorator;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    const key k = decorator::register_fd(fd, wanted, data, mode);
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return k;
  }
};

class second_close_fails final : public decorator {
 public:
  using decorator::decorator;
  void close() override {
    if (std::exchange(closed_, true)) refuse(std::errc::bad_file_descriptor);
    decorator::close();
  }

 private:
  bool closed_ = false;
};

class destructor_forgets_one final : public decorator {
 public:
  explicit destructor_forgets_one(std::unique_ptr<subject> honest) : decorator(std::move(honest)) {
    ::fcntl(0, F_DUPFD_CLOEXEC, 0);
  }
};

class closes_its_number_twice final : public decorator {
 public:
  explicit closes_its_number_twice(std::unique_ptr<subject> honest)
      : decorator(std::move(honest)), number_(::fcntl(0, F_DUPFD_CLOEXEC, 0)) {}
  ~closes_its_number_twice() override { ::close(number_); }
  void close() override {
    decorator::close();
    if (!std::exchange(closed_, true)) ::close(number_);
  }

 private:
  int number_;
  bool closed_ = false;
};

class works_on_after_close final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override {
    try {
      return decorator::wait(t);
    } catch (const std::system_error&) {
      return {};
    }
  }
};

class counts_on_after_close final : public decorator {
 public:
  using decorator::decorator;
  void close() override {
    last_ = honest().size();
    decorator::close();
  }
  std::size_t size() override { return std::max(last_, decorator::size()); }

 private:
  std::size_t last_ = 0;
};

// The keys of a moved selector are not the ones that were given out.
class renumbers_when_moved final : public decorator {
 public:
  explicit renumbers_when_moved(std::unique_ptr<subject> honest, std::uint32_t offset = 0)
      : decorator(std::move(honest)), offset_(offset) {}
  std::unique_ptr<subject> move_out() override {
    return std::make_unique<renumbers_when_moved>(decorator::move_out(), offset_ + 1000);
  }
  key get_key(int fd) override {
    key k = decorator::get_key(fd);
    k.generation += offset_;
    return k;
  }

 private:
  std::uint32_t offset_;
};

// Closes what it finds under the numbers of registrations that were left behind.
class tidies_up_by_number final : public tracking {
 public:
  using tracking::tracking;
  key register_fd(int fd, interest wanted, user_data data, trigger mode) override {
    const key k = tracking::register_fd(fd, wanted, data, mode);
    files_[fd] = inode_of(fd);
    return k;
  }
  ~tidies_up_by_number() override {
    for (const auto& [fd, k] : keys()) {
      if (inode_of(fd) != files_[fd]) ::close(fd);
    }
  }

 private:
  static ino_t inode_of(int fd) noexcept {
    struct stat s {};
    return ::fstat(fd, &s) == 0 ? s.st_ino : 0;
  }
  std::map<int, ino_t> files_;
};

class moves_nothing final : public decorator {
 public:
  using decorator::decorator;
  std::unique_ptr<subject> move_out() override {
    std::unique_ptr<subject> moved = decorator::move_out();
    for (const key& k : moved->get_map()) moved->unregister(k.fd);
    return moved;
  }
};

class resumes_when_moved final : public decorator {
 public:
  using decorator::decorator;
  std::unique_ptr<subject> move_out() override {
    std::unique_ptr<subject> moved = decorator::move_out();
    for (const key& k : moved->get_map()) moved->resume(k.fd);
    return moved;
  }
};

class moved_from_counts_on final : public decorator {
 public:
  using decorator::decorator;
  std::unique_ptr<subject> move_out() override {
    last_ = honest().size();
    return decorator::move_out();
  }
  std::size_t size() override { return std::max(last_, decorator::size()); }

 private:
  std::size_t last_ = 0;
};

}  // namespace

std::span<const liar> lifetime_liars() {
  static const std::vector<liar> rows{
      {"OwnsWhatItWatches", "LIF-01", &disguised<owns_what_it_watches>},
      {"MakesEverythingBlocking", "LIF-01", &disguised<makes_everything_blocking>},
      {"SecondCloseFails", "LIF-01", &disguised<second_close_fails>},
      {"WorksOnAfterClose", "LIF-02", &disguised<works_on_after_close>},
      {"CountsOnAfterClose", "LIF-02", &disguised<counts_on_after_close>},
      {"RenumbersWhenMoved", "LIF-03", &disguised<renumbers_when_moved>},
      {"DestructorForgetsOne", "LIF-05", &disguised<destructor_forgets_one>},
      {"ClosesItsNumberTwice", "LIF-05", &disguised<closes_its_number_twice>},
      {"TidiesUpByNumber", "LIF-06", &disguised<tidies_up_by_number>},
      {"MovesNothing", "LIF-20", &disguised<moves_nothing>},
      {"ResumesWhenMoved", "LIF-20", &disguised<resumes_when_moved>},
      {"MovedFromCountsOn", "LIF-20", &disguised<moved_from_counts_on>},
  };
  return rows;
}

}  // namespace selectors::conformance
