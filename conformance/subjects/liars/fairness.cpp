#include "../liars.hpp"
#include "tools.hpp"

namespace selectors::conformance {

namespace {

class limit_is_ignored final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override { return decorator::wait(t); }
  outcome wait(timeout t, const wait_options& options) override {
    wait_options mine = options;
    if (mine.limit != 0) mine.limit = wait_options{}.limit;
    return decorator::wait(t, mine);
  }
};

class limit_of_zero_is_one final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override { return decorator::wait(t); }
  outcome wait(timeout t, const wait_options& options) override {
    wait_options mine = options;
    mine.limit = std::max<std::size_t>(mine.limit, 1);
    return decorator::wait(t, mine);
  }
};

// Asks for everything and keeps the first of some order.
template <void (*order)(std::vector<event>&)>
class cuts_the_rest final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override { return decorator::wait(t); }
  outcome wait(timeout t, const wait_options& options) override {
    wait_options mine = options;
    if (mine.limit != 0) mine.limit = wait_options{}.limit;
    outcome result = decorator::wait(t, mine);
    order(result.events);
    if (result.events.size() > options.limit) result.events.resize(options.limit);
    return result;
  }
};

void by_number(std::vector<event>& events) {
  std::ranges::sort(events, {}, &event::fd);
}
void by_number_from_the_end(std::vector<event>& events) {
  std::ranges::sort(events, std::ranges::greater{}, &event::fd);
}

void at_most_100(outcome& o) {
  if (o.events.size() > 100) o.events.resize(100);
}

}  // namespace

std::span<const liar> fairness_liars() {
  static const std::vector<liar> rows{
      {"LimitIsIgnored", "FAI-01", &disguised<limit_is_ignored>},
      {"TheRestNeverComes", "FAI-01", &disguised<cuts_the_rest<by_number>>},
      {"LimitOfZeroIsOne", "FAI-02", &disguised<limit_of_zero_is_one>},
      {"LowNumbersFirst", "FAI-03", &disguised<cuts_the_rest<by_number>>},
      {"HighNumbersFirst", "FAI-03", &disguised<cuts_the_rest<by_number_from_the_end>>},
      {"BufferOfAHundred", "FAI-04", &disguised<altering<at_most_100>>},
      {"BusyOnesFirst", "FAI-06", &disguised<cuts_the_rest<by_number>>},
  };
  return rows;
}

}  // namespace selectors::conformance
