#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// THE metric table. The lab measures the arms listed here, the gate judges the metrics listed here, and
/// thresholds, reports and issues use these names. Nothing else in the project spells a metric's name: a new
/// backend, size or question is one more entry in `metrics.cpp`, and every list that depends on it follows.
///
/// An *arm* is one piece of work whose time per operation the lab measures. A *metric* is what a limit is put
/// on: the ratio of two arms that ran side by side in the same rounds, or a number that was counted. Absolute
/// times are never judged; they move with the machine.
namespace selectors::gate {

/// How a metric is estimated, and so how noisy it is.
enum class metric_kind {
  drift,  ///< ratio of unlike work: it moves with the machine's speed state, so only rounds with a fast
          ///< control count
  twin,   ///< ratio of like work (with and without the library): hardly moves with the machine, all rounds
          ///< count
  exact,  ///< a count per operation: no statistics, equal or not
  self,   ///< a ratio that tells the quality of the gate itself: the A/A twin and the injected slowdown
};

std::string_view to_string(metric_kind kind);

struct metric {
  std::string name;         ///< as in thresholds, e.g. "overhead_reuse/epoll/32/all"
  metric_kind kind;         ///< see above
  std::string unit;         ///< "ratio" for quotients of times, "count" for exact metrics
  std::string numerator;    ///< arm; empty for exact metrics
  std::string denominator;  ///< arm; empty for exact metrics, and where there are rivals
  std::string meaning;      ///< one sentence for people: what a larger value says

  /// Arms of which the fastest is the denominator: the one with the lowest median over the whole run. The fastest of
  /// each round would be the luckiest, and the ratio too large.
  std::vector<std::string> rivals = {};
};

/// A backend of the library as the table sees it: `raw_call` is the system call that a hand-written twin
/// would use, empty when there is none (such a backend has no overhead metric, only leads).
struct backend {
  std::string_view name;
  std::string_view raw_call;
};

std::span<const backend> backends();
std::span<const int> sizes();                    ///< descriptors: 8, 32, 128
std::span<const std::string_view> ready_sets();  ///< "all", "one": how many descriptors hold a byte

/// The name of the library-free arm whose speed tells the machine's state.
inline constexpr std::string_view control_arm = "control/poll/32";
inline constexpr std::string_view twin_metric = "self/twin";
inline constexpr std::string_view injected_metric = "self/injected";

/// Every metric, each name once, in the order reports print them.
const std::vector<metric>& metric_table();

/// Every arm the lab measures, each name once. It holds every numerator and denominator of `metric_table()`,
/// the control, and the raw empty polls that are only published.
const std::vector<std::string>& arm_table();

/// The arms a metric needs: none for an exact one.
std::vector<std::string> arms_of(const metric& m);

/// nullptr when there is no metric of that name.
const metric* find_metric(std::string_view name);

/// Does `name` match `pattern`, in which a component (between slashes) that is "*" stands for any one
/// component?
bool matches_pattern(std::string_view pattern, std::string_view name);

/// The known name nearest to `name`, for messages; nothing when none is near.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known);

}  // namespace selectors::gate
