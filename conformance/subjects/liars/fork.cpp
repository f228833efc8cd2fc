#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <new>

#include "../liars.hpp"
#include "tools.hpp"

namespace selectors::conformance {

namespace {

// A number that a child shares with its parent, as the kernel's objects are shared.
class shared_number {
 public:
  shared_number()
      : page_(::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                     -1, 0)) {
    if (page_ == MAP_FAILED) throw std::bad_alloc();
    number_ = new (page_) std::atomic<int>(-1);
  }
  shared_number(const shared_number&) = delete;
  shared_number& operator=(const shared_number&) = delete;
  ~shared_number() { ::munmap(page_, sizeof(std::atomic<int>)); }

  std::atomic<int>& operator*() const noexcept { return *number_; }

 private:
  void* page_;
  std::atomic<int>* number_ = nullptr;
};

class aware_of_children : public decorator {
 public:
  using decorator::decorator;

 protected:
  bool in_child() const noexcept { return ::getpid() != owner_; }

 private:
  pid_t owner_ = ::getpid();
};

class leaves_a_descriptor_to_programs final : public decorator {
 public:
  explicit leaves_a_descriptor_to_programs(std::unique_ptr<subject> honest)
      : decorator(std::move(honest)), number_(::fcntl(0, F_DUPFD, 0)) {}
  ~leaves_a_descriptor_to_programs() override { ::close(number_); }

 private:
  int number_;
};

class answers_in_a_child final : public aware_of_children {
 public:
  using aware_of_children::aware_of_children;
  outcome wait(timeout t) override { return in_child() ? outcome{} : aware_of_children::wait(t); }
};

// As a deletion from an epoll set that both processes have.
class child_deletes_for_its_parent final : public aware_of_children {
 public:
  using aware_of_children::aware_of_children;
  key unregister(int fd) override {
    if (in_child()) *deleted_ = fd;
    return aware_of_children::unregister(fd);
  }

 protected:
  outcome lie(outcome result) override {
    std::erase_if(result.events, [&](const event& e) { return e.fd == *deleted_; });
    return result;
  }

 private:
  shared_number deleted_;
};

class reinit_forgets_one final : public decorator {
 public:
  using decorator::decorator;
  void reinit_after_fork() override {
    decorator::reinit_after_fork();
    honest().unregister(honest().get_map().front().fd);
  }
};

class reinit_keeps_the_set_in_common final : public aware_of_children {
 public:
  using aware_of_children::aware_of_children;
  key unregister(int fd) override {
    *deleted_ = fd;
    return aware_of_children::unregister(fd);
  }

 protected:
  outcome lie(outcome result) override {
    std::erase_if(result.events, [&](const event& e) { return e.fd == *deleted_; });
    return result;
  }

 private:
  shared_number deleted_;
};

class reinit_arms_in_the_parent final : public tracking {
 public:
  using tracking::tracking;
  void reinit_after_fork() override {
    decorator::reinit_after_fork();
    for (const auto& row : keys()) honest().resume(row.first);
  }
};

class destructor_unregisters final : public aware_of_children {
 public:
  using aware_of_children::aware_of_children;
  ~destructor_unregisters() override {
    if (in_child()) *gone_ = 1;
  }

 protected:
  outcome lie(outcome result) override {
    if (*gone_ == 1) result.events.clear();
    return result;
  }

 private:
  shared_number gone_;
};

class wakes_across_processes final : public aware_of_children {
 public:
  using aware_of_children::aware_of_children;
  std::shared_ptr<const wake_handle> make_waker() override {
    return std::make_shared<handle>(aware_of_children::make_waker(), rung_);
  }

 protected:
  outcome lie(outcome result) override {
    if (!in_child() && (**rung_).exchange(-1) == 1) result.woken = true;
    return result;
  }

 private:
  class handle final : public wake_handle {
   public:
    handle(std::shared_ptr<const wake_handle> honest, std::shared_ptr<shared_number> rung)
        : honest_(std::move(honest)), rung_(std::move(rung)) {}
    void wake() const noexcept override {
      if (::getpid() != owner_) **rung_ = 1;
      honest_->wake();
    }

   private:
    std::shared_ptr<const wake_handle> honest_;
    std::shared_ptr<shared_number> rung_;
    pid_t owner_ = ::getpid();
  };

  std::shared_ptr<shared_number> rung_ = std::make_shared<shared_number>();
};

}  // namespace

std::span<const liar> fork_liars() {
  static const std::vector<liar> rows{
      {"LeavesADescriptorToPrograms", "FRK-01", &disguised<leaves_a_descriptor_to_programs>},
      {"AnswersInAChild", "FRK-02", &disguised<answers_in_a_child>},
      {"ChildDeletesForItsParent", "FRK-02", &disguised<child_deletes_for_its_parent>},
      {"ReinitForgetsOne", "FRK-03", &disguised<reinit_forgets_one>},
      {"ReinitKeepsTheSetInCommon", "FRK-03", &disguised<reinit_keeps_the_set_in_common>},
      {"ReinitArmsInTheParent", "FRK-03", &disguised<reinit_arms_in_the_parent>},
      {"DestructorUnregisters", "FRK-05", &disguised<destructor_unregisters>},
      {"WakesAcrossProcesses", "FRK-20", &disguised<wakes_across_processes>},
  };
  return rows;
}

}  // namespace selectors::conformance
