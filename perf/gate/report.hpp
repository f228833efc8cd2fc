#pragma once

#include <filesystem>
#include <string>

#include "judge.hpp"
#include "problem.hpp"

namespace selectors::gate {

/// What `check` shows: one line per limit, then the machine, the profiles and why, what went wrong worst first, and
/// the verdict as the last line. 80 columns.
std::string text_report(const verdict& v, bool colour);

/// The same for inputs that could not be judged: one line per problem, and the verdict line.
std::string text_report(const verdict& v, const problems& wrong, bool colour);

std::string verdict_json(const verdict& v, const problems& wrong);
std::string junit_xml(const verdict& v, const problems& wrong);
std::string markdown_report(const verdict& v, const problems& wrong);

/// At most ten workflow commands that GitHub shows beside a pull request, the worst first.
std::string github_annotations(const verdict& v, const problems& wrong);

/// verdict.json, junit.xml and report.md, each atomically. Throws std::filesystem::filesystem_error.
void write_reports(const std::filesystem::path& directory, const verdict& v, const problems& wrong);

/// The verdict on inputs that could not be read.
verdict unreadable(const problems& wrong);

/// The rows that are not good, worst first: no data, broken, outside, undecided.
std::vector<const metric_verdict*> bad_rows(const verdict& v);

/// Numbers as reports print them: four digits, one notation per column.
std::string short_number(double value);
std::string value_text(const metric_verdict& row);
std::string limits_text(const metric_verdict& row);

}  // namespace selectors::gate
