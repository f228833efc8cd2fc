// results.json: what a run has to say, for machines. schema/results.schema.json describes it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "run.hpp"
#include "trial.hpp"

namespace selectors::conformance {

class results {
 public:
  explicit results(std::string filter) : filter_(std::move(filter)) {}

  void add(const subject_info& s, const chapter& part, const test_case& c, const case_result& r);
  void add(const liar& l, const trial_result& r);

  // Header, cases, liars and footer. The footer is last: a file without one was cut short.
  std::string json(const std::vector<subject_info>& subjects) const;
  // Cases for each subject, promises covered, liars caught: a few lines.
  std::string summary() const;

  // What one was asked for and went wrong.
  bool good() const noexcept;

 private:
  struct case_row {
    std::string subject;
    std::string chapter;
    std::string name;
    std::vector<std::string> promises;
    case_result result;
  };
  struct liar_row {
    std::string name;
    std::string promise;
    trial_result result;
  };

  std::size_t count(std::string_view subject, outcome_kind kind) const;
  std::set<std::string> covered() const;  // promises with a case that was run

  std::string filter_;
  std::vector<case_row> cases_;
  std::vector<liar_row> liars_;
};

std::string_view to_string(outcome_kind kind);

// Writes to `file` through a temporary beside it, so that no half-written file is ever seen. Throws
// std::runtime_error that names the file and the reason.
void write_file(const std::string& file, std::string_view text);
// The same refusal without writing: asked before a long run.
void check_writable(const std::string& file);

}  // namespace selectors::conformance
