// Random traces on the adaptive backend, compared with poll(2) at every wait.
//
//     selectors_differential_fuzz [SECONDS [EVENTS]]
//
// runs until both are reached. Every episode has a seed of its own: the first is SEED from the environment, or drawn,
// and one that fails names its own, with which it comes first the next time. Exit code 1: it has failed.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <adaptive_backend.hpp>
#include <algorithm>
#include <array>
#include <bitset>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <system_calls.hpp>
#include <thread>
#include <vector>

#include <selectors/selector.hpp>

#include "fuzz_model.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using enum interest;

std::mt19937_64 random_bits;

std::size_t below(std::size_t n) {
  return static_cast<std::size_t>(random_bits() % n);
}
bool one_in(std::size_t n) {
  return below(n) == 0;
}

// ---------------------------------------------------------------------------------------------- the kernel, observed

// Which calls the last wait made, and how often epoll refuses.
struct observed_kernel {
  const system_calls real = system_call;
  std::bitset<fuzz_model::most_numbers> is_set;
  int polls = 0;
  int epolls = 0;
  int nested = 0;
  int refusals = 0;
  std::uint64_t created = 0;
  std::size_t refuses_one_in = 0;  // 0: never

  bool refuses() {
    if (refuses_one_in == 0 || !one_in(refuses_one_in)) return false;
    ++refusals;
    constexpr std::array errors = {ENOMEM, ENOSPC};
    errno = errors.at(below(errors.size()));
    return true;
  }
  void note_poll(const pollfd* p, nfds_t n) {
    ++polls;
    if (n != 0 && p[0].fd >= 0 && is_set.test(static_cast<std::size_t>(p[0].fd))) ++nested;
  }
  std::optional<regime> last_regime() const {
    if (polls + epolls == 0) return std::nullopt;
    if (polls == 0) return regime::watching;
    return epolls != 0 || nested != 0 ? regime::mixed : regime::polling;
  }
};

observed_kernel kernel;

void observe_kernel() {
  system_call.poll = [](pollfd* p, nfds_t n, int t) {
    kernel.note_poll(p, n);
    return kernel.real.poll(p, n, t);
  };
  system_call.ppoll = [](pollfd* p, nfds_t n, const timespec* t, const sigset_t* m) {
    kernel.note_poll(p, n);
    return kernel.real.ppoll(p, n, t, m);
  };
  system_call.epoll_wait = [](int set, epoll_event* e, int room, int t) {
    ++kernel.epolls;
    return kernel.real.epoll_wait(set, e, room, t);
  };
  system_call.epoll_pwait2 = [](int set, epoll_event* e, int room, const wide_timespec* t,
                                const sigset_t* m) {
    ++kernel.epolls;
    return kernel.real.epoll_pwait2(set, e, room, t, m);
  };
  system_call.epoll_create = []() noexcept {
    if (kernel.refuses()) return -1;
    const int set = kernel.real.epoll_create();
    if (set >= 0) kernel.is_set.set(static_cast<std::size_t>(set));
    ++kernel.created;
    return set;
  };
  system_call.epoll_ctl = [](int set, int operation, int fd, epoll_event* e) noexcept {
    if (operation == EPOLL_CTL_ADD && kernel.refuses()) return -1;
    return kernel.real.epoll_ctl(set, operation, fd, e);
  };
  system_call.close = [](int fd) {
    kernel.is_set.reset(static_cast<std::size_t>(fd));
    return kernel.real.close(fd);
  };
}

// ------------------------------------------------------------------------------------------------------ descriptors

class open_files {
 public:
  ~open_files() {
    for (const int fd : all_) ::close(fd);
  }

  std::size_t size() const noexcept { return all_.size(); }
  int any_of() const { return all_[below(all_.size())]; }
  bool has(int fd) const { return std::find(all_.begin(), all_.end(), fd) != all_.end(); }

  void open_some() {
    std::array<int, 2> ends{-1, -1};
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        return add(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), ends);
      case 3:
      case 4:
      case 5:
        return add(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()), ends);
      case 6:
        ends[0] = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        return add(ends[0], ends);
      default:
        ends[0] = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        return add(ends[0], ends);
    }
  }
  void duplicate() {
    const std::array<int, 2> ends{::fcntl(any_of(), F_DUPFD_CLOEXEC, 0), -1};
    add(ends[0], ends);
  }
  // `fd` becomes a second number for another one's file.
  void replace(int fd) {
    if (::dup3(any_of(), fd, O_CLOEXEC) < 0 && errno != EINVAL) throw std::runtime_error("dup3");
  }
  void close(int fd) {
    ::close(fd);
    std::erase(all_, fd);
  }
  void write(int fd, bool much) {
    constexpr std::array<char, 4096> bytes{1};
    while (::write(fd, bytes.data(), much ? bytes.size() : 8) > 0 && much) continue;
  }
  void read(int fd, bool much) {
    std::array<char, 4096> bytes{};
    if (::lseek(fd, 0, SEEK_CUR) >= 0) return;
    while (::read(fd, bytes.data(), much ? bytes.size() : 8) > 0 && much) continue;
  }
  void drain_all() {
    for (const int fd : all_) read(fd, true);
  }
  void write_all() {
    for (const int fd : all_) write(fd, false);
  }

 private:
  void add(int result, const std::array<int, 2>& ends) {
    if (result < 0) throw std::system_error(errno, std::system_category(), "a descriptor for the fuzz");
    for (const int fd : ends) {
      if (fd >= 0) all_.push_back(fd);
    }
  }

  std::vector<int> all_;
};

// --------------------------------------------------------------------------------------------------------- episodes

struct totals {
  std::uint64_t events = 0;
  std::uint64_t waits = 0;
  std::uint64_t changes = 0;  // of the regime, where it was free
  std::uint64_t episodes = 0;
  std::array<std::uint64_t, 3> free_waits{};
  std::array<std::uint64_t, 3> forced_waits{};
};

class life {
 public:
  explicit life(totals& sums) : sums_(sums) {
    forced_regime.reset();
    kernel.refuses_one_in = one_in(6) ? 2 + below(20) : 0;
    model_.hung_up_may_be_late = kernel.refuses_one_in != 0;
    if (kernel.refuses_one_in != 0) edges_ = exclusives_ = false;
    if (one_in(3)) waker_ = s_.make_waker();
    if (kernel.refuses_one_in == 0 && one_in(12)) handle_ = handle();
  }
  ~life() {
    forced_regime.reset();
    kernel.refuses_one_in = 0;
    sums_.events += model_.compared();
  }

  void run() {
    const std::size_t size = std::size_t{2} << below(8);
    while (files_.size() < size) files_.open_some();
    for (std::size_t i = 0; i < size; ++i) register_one();
    const std::size_t phases = 2 + below(10);
    for (std::size_t i = 0; i < phases; ++i) phase();
  }

 private:
  int handle() {
    std::error_code ec;
    return s_.native_handle(ec);
  }

  void phase() {
    // Few changes and many waits, so that purchases repay; or the other way round.
    const bool calm = !one_in(3);
    const std::size_t waits = calm ? 20 + below(120) : 5 + below(20);
    if (one_in(4)) files_.drain_all();
    if (one_in(4)) files_.write_all();
    for (std::size_t i = 0; i < waits; ++i) {
      if (!calm || one_in(6)) {
        for (std::size_t n = below(calm ? 3 : 12); n != 0; --n) change();
      }
      wait();
    }
  }

  interest some_interest() {
    constexpr std::array usual = {read, read, read, write, read | write, read | peer_closed};
    return one_in(8) ? static_cast<interest>(1 + below(15)) : usual.at(below(usual.size()));
  }
  trigger some_mode(interest wanted) {
    if (oneshots_ && one_in(4)) return trigger::oneshot;
    if (edges_ && one_in(6)) return trigger::edge;
    const bool plain = !any(wanted & ~(read | write));
    return exclusives_ && plain && one_in(6) ? trigger::exclusive : trigger::level;
  }

  void register_one() {
    const int fd = files_.any_of();
    const interest wanted = some_interest();
    const trigger mode = some_mode(wanted);
    std::error_code ec;
    const key k = s_.register_fd(fd, wanted, ++last_data_, mode, ec);
    if (model_.at(fd).registered) {
      require(ec == errc::already_registered, "a registered number", ec);
    } else {
      require(!ec || is_refusal(mode, ec), "register_fd", ec);
      if (!ec) model_.enter(k);
    }
  }
  // Of a regular file, where nothing but epoll would do.
  static bool is_refusal(trigger mode, std::error_code ec) {
    return ec.value() == EPERM && (mode == trigger::edge || mode == trigger::exclusive);
  }
  int any_registered() { return model_.numbers()[below(model_.numbers().size())]; }

  void unregister_one(int fd) {
    std::error_code ec;
    if (one_in(2)) {
      s_.unregister(fd, ec);
    } else {
      s_.unregister(model_.at(fd).known, ec);
    }
    require(!ec, "unregister", ec);
    model_.leave(fd);
  }
  void modify_one(int fd) {
    fuzz_model::registration& r = model_.at(fd);
    const interest wanted = one_in(3) ? r.known.wanted : some_interest();
    const trigger mode = some_mode(wanted);
    std::error_code ec;
    const key k = s_.modify(fd, wanted, ++last_data_, mode, ec);
    require(!ec || r.stale || is_refusal(mode, ec), "modify", ec);
    if (!ec) model_.rearm(k);
  }
  void pause_one(int fd) {
    std::error_code ec;
    model_.at(fd).known = s_.pause(fd, ec);
    require(!ec, "pause", ec);
  }
  void resume_one(int fd) {
    fuzz_model::registration& r = model_.at(fd);
    const bool parked = r.known.paused || r.fired;
    std::error_code ec;
    const key k = s_.resume(fd, ec);
    require(!ec || r.stale, "resume", ec);
    if (!ec && parked) model_.rearm(k);
    if (!ec) r.known = k;
  }
  void close_one() {
    const int fd = files_.any_of();
    const bool registered = model_.at(fd).registered;
    if (registered && !one_in(4)) {
      // In either order: a duplicate makes the second a ghost.
      const bool properly = one_in(2);
      if (properly) unregister_one(fd);
      files_.close(fd);
      if (!properly) unregister_one(fd);
      return;
    }
    files_.close(fd);
    model_.at(fd).stale = registered;
  }
  void replace_one() {
    const int fd = files_.any_of();
    files_.replace(fd);
    model_.at(fd).stale = model_.at(fd).registered;
  }
  void shut_one() {
    constexpr std::array how = {SHUT_RD, SHUT_WR, SHUT_RDWR};
    ::shutdown(files_.any_of(), how.at(below(how.size())));
  }

  void change() {
    const std::size_t what = below(40);
    if (files_.size() < 4 || (what < 2 && files_.size() < 600)) return files_.open_some();
    if (model_.numbers().empty() || what < 6) return register_one();
    if (what < 7) return files_.duplicate();
    if (what < 9) return close_one();
    if (what < 10) return one_in(4) ? replace_one() : shut_one();
    if (what < 13) return unregister_one(any_registered());
    if (what < 17) return modify_one(any_registered());
    if (what < 19) return pause_one(any_registered());
    if (what < 23) return resume_one(any_registered());
    if (what < 24) return unregister_stale();
    if (what < 25) return wake();
    if (what < 33) return files_.write(files_.any_of(), one_in(8));
    files_.read(files_.any_of(), !one_in(4));
  }
  void unregister_stale() {
    const std::vector<int> numbers = model_.numbers();
    for (const int fd : numbers) {
      if (model_.at(fd).stale) unregister_one(fd);
    }
  }
  void wake() {
    if (!waker_) return;
    waker_->wake();
    woken_ = true;
  }

  void choose_regime() {
    if (holds_ == regimes::random || (holds_ == regimes::changing && one_in(10)))
      forced_regime = static_cast<regime>(below(3));
  }

  void wait() {
    choose_regime();
    const std::size_t expected = model_.look();
    const std::size_t limit = one_in(10) ? 1 + below(8) : ~std::size_t{0};
    const bool ends = expected != 0 || woken_;
    const timeout t = ends && one_in(4)      ? timeout::infinite
                      : !ends && one_in(200) ? timeout(300us)
                                             : timeout::zero;
    kernel.polls = kernel.epolls = kernel.nested = kernel.refusals = 0;
    const auto start = std::chrono::steady_clock::now();
    std::error_code ec;
    // The plain one is another way through the library.
    const bool plain = limit == ~std::size_t{0} && one_in(2);
    const selection found = plain ? s_.select(t) : s_.select(t, {.limit = limit}, ec);
    require(!ec, "select", ec);
    const auto took = std::chrono::steady_clock::now() - start;
    // While the set cannot be made anew, ghosts may take places.
    const bool whole = kernel.refusals == 0;
    std::string wrong = model_.disagreement(found, limit, whole);
    // A wait that is full need not have come to the waker, nor one that ghosts have filled.
    const bool may_be_late = woken_ && !found.woken() && (found.size() == limit || !whole);
    if (wrong.empty() && found.woken() != woken_ && !may_be_late)
      wrong = woken_ ? "a wake is lost" : "woken by nobody";
    if (wrong.empty() && kernel.polls + kernel.epolls > 64) wrong = "it spins";
    if (wrong.empty() && !ends && found.empty() && t == timeout(300us) && took < 300us) wrong = "it is early";
    if (!wrong.empty()) throw std::runtime_error("wait " + std::to_string(waits_) + ": " + wrong);
    woken_ = may_be_late;
    count_wait();
  }
  void count_wait() {
    ++waits_;
    ++sums_.waits;
    const std::optional<regime> now = kernel.last_regime();
    if (!now) return;
    ++(forced_regime ? sums_.forced_waits : sums_.free_waits).at(static_cast<std::size_t>(*now));
    sums_.changes += static_cast<std::uint64_t>(!forced_regime && last_ && *last_ != *now);
    last_ = now;
  }

  static void require(bool fine, const char* what, std::error_code ec) {
    if (!fine) throw std::runtime_error(std::string(what) + ": " + ec.message());
  }

  enum class regimes { free, random, changing };

  totals& sums_;
  open_files files_;
  fuzz_model model_;
  selector s_{backend::adaptive};
  std::optional<waker> waker_;
  int handle_ = -1;
  bool woken_ = false;
  bool oneshots_ = !one_in(3);
  bool edges_ = one_in(3);
  bool exclusives_ = one_in(8);
  regimes holds_ = one_in(2) ? regimes::free : one_in(2) ? regimes::random : regimes::changing;
  std::uintptr_t last_data_ = 0;
  std::uint64_t waits_ = 0;
  std::optional<regime> last_;
};

void print(const totals& t, std::uint64_t first, double seconds) {
  std::printf(
      "%llu events compared in %llu waits and %llu episodes, seeds from %llu, %.0f s\n"
      "regime free: polling %llu, mixed %llu, watching %llu, changes %llu; forced: %llu, %llu, %llu; sets "
      "made: %llu\n",
      static_cast<unsigned long long>(t.events), static_cast<unsigned long long>(t.waits),
      static_cast<unsigned long long>(t.episodes), static_cast<unsigned long long>(first), seconds,
      static_cast<unsigned long long>(t.free_waits[0]), static_cast<unsigned long long>(t.free_waits[1]),
      static_cast<unsigned long long>(t.free_waits[2]), static_cast<unsigned long long>(t.changes),
      static_cast<unsigned long long>(t.forced_waits[0]), static_cast<unsigned long long>(t.forced_waits[1]),
      static_cast<unsigned long long>(t.forced_waits[2]), static_cast<unsigned long long>(kernel.created));
}

std::string run_episode(totals& sums) noexcept {
  try {
    for (std::size_t lives = 1 + below(4); lives != 0; --lives) life(sums).run();
    return "";
  } catch (const std::exception& e) {
    return e.what();
  }
}

int run(double seconds, std::uint64_t events, std::uint64_t first) {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  totals sums;
  for (std::uint64_t seed = first; elapsed() < seconds || sums.events < events; ++seed) {
    random_bits.seed(seed);
    std::string wrong;
    // What the library keeps from life to life is the thread's: a new one has nothing of earlier episodes.
    std::thread([&] { wrong = run_episode(sums); }).join();
    if (!wrong.empty()) {
      std::printf("FAILED with SEED=%llu: %s\n", static_cast<unsigned long long>(seed), wrong.c_str());
      return 1;
    }
    ++sums.episodes;
  }
  print(sums, first, elapsed());
  return 0;
}

}  // namespace
}  // namespace selectors::tests

int main(int argc, char** argv) {
  using namespace selectors::tests;
  std::signal(SIGPIPE, SIG_IGN);
  const char* given = std::getenv("SEED");
  const std::uint64_t seed = given == nullptr ? std::random_device()() : std::strtoull(given, nullptr, 10);
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 5;
  const std::uint64_t events = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  std::printf("SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  observe_kernel();
  return run(seconds, events, seed);
}
