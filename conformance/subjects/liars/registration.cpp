#include "../liars.hpp"

namespace selectors::conformance {

namespace {

// REG-08: an unregistered descriptor is still reported, from a result that was kept.
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

}  // namespace

std::span<const liar> registration_liars() {
  static const std::vector<liar> rows{
      {"ReportsTheDeparted", "REG-08", &disguised<reports_the_departed>},
  };
  return rows;
}

}  // namespace selectors::conformance
