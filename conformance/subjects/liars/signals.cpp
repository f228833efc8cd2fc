#include <pthread.h>
#include <signal.h>

#include "../liars.hpp"
#include "tools.hpp"

namespace selectors::conformance {

namespace {

bool always(void*) {
  return true;
}

// What a wait does that takes EINTR for an answer.
class interruption_is_an_answer final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override {
    outcome result = decorator::wait(t, {.on_interrupt = &always});
    result.interrupted = false;
    return result;
  }
};

class interruption_is_an_error final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override {
    outcome result = decorator::wait(t, {.on_interrupt = &always});
    if (result.interrupted) refuse(std::errc::interrupted);
    return result;
  }
};

class begins_anew final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override {
    for (;;) {
      outcome result = decorator::wait(t, {.on_interrupt = &always});
      if (!result.interrupted) return result;
    }
  }
};

// Changes the options of each wait.
template <void (*change)(wait_options&)>
class misread final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override { return decorator::wait(t); }
  outcome wait(timeout t, const wait_options& options) override {
    wait_options mine = options;
    change(mine);
    return decorator::wait(t, mine);
  }
};

void drop_the_hook(wait_options& o) {
  o.on_interrupt = nullptr;
}
void any_hook_ends_the_wait(wait_options& o) {
  if (o.on_interrupt != nullptr) o.on_interrupt = &always;
}
void drop_the_mask(wait_options& o) {
  o.sigmask = nullptr;
}

void say_nothing_of_interruptions(outcome& o) {
  o.interrupted = false;
}

class signal_wins final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t, const wait_options& options) override {
    outcome result = decorator::wait(t, options);
    sigset_t pending{};
    sigpending(&pending);
    if (options.sigmask == nullptr || sigisemptyset(&pending) == 1) return result;
    return {{}, false, true};
  }
};

class mask_stays final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t, const wait_options& options) override {
    outcome result = decorator::wait(t, options);
    if (options.sigmask != nullptr) ::pthread_sigmask(SIG_SETMASK, options.sigmask, nullptr);
    return result;
  }
};

class lets_the_hook_in final : public decorator {
 public:
  using decorator::decorator;
  key get_key(int fd) override {
    try {
      return decorator::get_key(fd);
    } catch (const std::system_error& e) {
      if (e.code() != std::errc::device_or_resource_busy) throw;
      return key{.fd = fd, .data = {}};
    }
  }
};

class swallows_what_the_hook_throws final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t, const wait_options& options) override {
    try {
      return decorator::wait(t, options);
    } catch (const std::exception&) {
      throw;
    } catch (...) {
      return {{}, false, true};
    }
  }
};

}  // namespace

std::span<const liar> signals_liars() {
  static const std::vector<liar> rows{
      {"InterruptionIsAnAnswer", "SIG-01", &disguised<interruption_is_an_answer>},
      {"InterruptionIsAnError", "SIG-01", &disguised<interruption_is_an_error>},
      {"HookIsNeverAsked", "SIG-02", &disguised<misread<drop_the_hook>>},
      {"AnyHookEndsTheWait", "SIG-02", &disguised<misread<any_hook_ends_the_wait>>},
      {"SaysNothingOfInterruptions", "SIG-02", &disguised<altering<say_nothing_of_interruptions>>},
      {"BeginsAnew", "SIG-03", &disguised<begins_anew>},
      {"ContinuingEndsTheWait", "SIG-04", &disguised<interruption_is_an_answer>, "epoll"},
      {"MaskIsIgnored", "SIG-06", &disguised<misread<drop_the_mask>>},
      {"SignalWins", "SIG-06", &disguised<signal_wins>},
      {"MaskStays", "SIG-07", &disguised<mask_stays>},
      {"LetsTheHookIn", "SIG-20", &disguised<lets_the_hook_in>},
      {"SwallowsWhatTheHookThrows", "SIG-20", &disguised<swallows_what_the_hook_throws>},
  };
  return rows;
}

}  // namespace selectors::conformance
