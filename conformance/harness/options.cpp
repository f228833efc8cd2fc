#include "options.hpp"

#include <fnmatch.h>

#include <cstdlib>
#include <sstream>
#include <string_view>

namespace selectors::conformance {

const char* const usage =
    "usage: selectors-conformance [--list] [--json FILE] [--gtest_filter=PATTERNS] [other --gtest_ options]\n"
    "\n"
    "Runs every case of the contract against every subject, and every liar against the cases.\n"
    "\n"
    "  --json FILE     run each case in a process of its own and write the results to FILE\n"
    "  --list          list the cases with the promises that they check, and the liars\n"
    "  --gtest_filter  names are SUBJECT/CHAPTER.CLAIM and liars/CHAPTER.NAME, for example\n"
    "                  'epoll/*', '*/Timeouts.*', 'liars/*', '*-liars/*'\n"
    "\n"
    "exit code: 0 all hold, 1 a claim failed or a liar survived, 2 bad arguments or nothing selected\n";

namespace {

bool matches_any(std::string_view patterns, const std::string& name) {
  std::istringstream list{std::string(patterns)};
  for (std::string pattern; std::getline(list, pattern, ':');) {
    if (::fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0) return true;
  }
  return false;
}

}  // namespace

bool selected(const std::string& filter, const std::string& name) {
  if (filter.empty()) return true;
  const std::size_t dash = filter.find('-');
  const std::string_view wanted = std::string_view(filter).substr(0, dash);
  if (!wanted.empty() && !matches_any(wanted, name)) return false;
  return dash == std::string::npos || !matches_any(std::string_view(filter).substr(dash + 1), name);
}

options read_options(int& argc, char** argv) {
  options o;
  if (const char* const filter = std::getenv("GTEST_FILTER")) o.filter = filter;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg == "--help" || arg == "-h") {
      o.help = true;
    } else if (arg == "--list") {
      o.list = true;
    } else if (arg == "--json") {
      if (++i == argc) throw usage_error("--json needs a file name: --json FILE");
      o.json = argv[i];
    } else if (arg.starts_with("--json=")) {
      o.json = arg.substr(7);
      if (o.json.empty()) throw usage_error("--json needs a file name: --json FILE");
    } else if (arg.starts_with("--gtest_")) {
      if (arg.starts_with("--gtest_filter=")) o.filter = arg.substr(15);
      argv[kept++] = argv[i];
    } else {
      throw usage_error("unknown argument \"" + std::string(arg) + "\"; --help lists the known ones");
    }
  }
  argc = kept;
  argv[argc] = nullptr;
  return o;
}

}  // namespace selectors::conformance
