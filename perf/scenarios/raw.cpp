// Each arm here is the twin of one that uses the library: the same kernel work on the same descriptors.
#include "gate/metrics.hpp"
#include "scenarios/raw_calls.hpp"
#include "scenarios/scenarios.hpp"

namespace selectors::perf {
namespace {

void add_raw_recreate(arm_list& arms, const socket_sets& sockets, int n) {
  const auto descriptors = sockets.descriptors(n, "all");
  const found wanted = socket_sets::expected(descriptors, "all");
  const auto size = static_cast<std::size_t>(n);

  arms.add(fmt::format("raw_recreate/epoll/{}", n), wanted, [=] {
    return [descriptors, events = std::vector<epoll_event>(size)]() mutable {
      raw::epoll set;
      for (const int fd : descriptors) set.add(fd);
      return set.wait(events);
    };
  });
  arms.add(fmt::format("raw_recreate/poll/{}", n), wanted, [=] {
    return [descriptors, set = std::vector<pollfd>(size)]() mutable {
      raw::fill(set, descriptors);
      return raw::wait(set);
    };
  });
  arms.add(fmt::format("raw_recreate/select/{}", n), wanted, [=] {
    return [descriptors] {
      raw::select_words set;
      for (const int fd : descriptors) set.insert(fd);
      return set.wait();
    };
  });
}

void add_raw_reuse(arm_list& arms, const socket_sets& sockets, int n, std::string_view ready) {
  const auto descriptors = sockets.descriptors(n, ready);
  const found wanted = socket_sets::expected(descriptors, ready);

  arms.add(fmt::format("raw_reuse/epoll/{}/{}", n, ready), wanted, [=] {
    raw::epoll set;
    for (const int fd : descriptors) set.add(fd);
    return [set = std::move(set), events = std::vector<epoll_event>(descriptors.size())]() mutable {
      return set.wait(events);
    };
  });
  arms.add(fmt::format("raw_reuse/poll/{}/{}", n, ready), wanted, [=] {
    std::vector<pollfd> set;
    raw::fill(set, descriptors);
    return [set = std::move(set)]() mutable { return raw::wait(set); };
  });
  arms.add(fmt::format("raw_reuse/select/{}/{}", n, ready), wanted, [=] {
    raw::select_words set;
    for (const int fd : descriptors) set.insert(fd);
    return [set, scratch = raw::select_words()]() mutable { return set.wait_on_copy(scratch); };
  });
}

void add_raw_empty(arm_list& arms) {
  arms.add("raw_empty/epoll", found{}, [] {
    return [set = raw::epoll(), events = std::vector<epoll_event>(1)]() mutable { return set.wait(events); };
  });
  arms.add("raw_empty/poll", found{}, [] { return [] { return found{::poll(nullptr, 0, 0), 0}; }; });
  arms.add("raw_empty/select", found{}, [] {
    return [] {
      timeval at_once{};
      return found{::select(0, nullptr, nullptr, nullptr, &at_once), 0};
    };
  });
}

}  // namespace

void add_raw(arm_list& arms, const socket_sets& sockets) {
  for (const int n : gate::sizes()) {
    add_raw_recreate(arms, sockets, n);
    for (const auto ready : gate::ready_sets()) add_raw_reuse(arms, sockets, n, ready);
  }
  add_raw_empty(arms);
}

}  // namespace selectors::perf
