# shellcheck shell=bash
# The house rules of CONTRIBUTING.md that a script can check. Prints each breach; says nothing when all is well.

source_files() { find lib conformance perf ci -type f \( -name '*.[ch]pp' -o -name '*.sh' -o -name run -o -name '*.py' -o -name CMakeLists.txt -o -name '*.cmake' \); }

# Broken words, so that this file does not accuse itself.
forbidden_words='TO''DO|FIX''ME|NO''LINT|GTEST_''SKIP|DISABLED''_'

house_rules() {
  local rc=0
  breach "longer than 600 lines" < <(source_files | xargs wc -l | awk '$2 != "total" && $1 > 600 { print $2 ": " $1 }') || rc=1
  breach "a word that stands for unfinished work" < <(source_files | xargs grep -nE "$forbidden_words") || rc=1
  breach "the library prints or aborts" < <(grep -rnE 'std::(cout|cerr|clog|abort|exit|terminate)\b|\b(printf|puts|abort)\(' lib/include lib/src) || rc=1
  breach "the library includes the kit or the lab" < <(grep -rnE '#include.*(conformance|perf|gtest|benchmark)/' lib/include lib/src) || rc=1
  breach "the kit includes the lab" < <(grep -rnE '#include.*perf/' conformance --include='*.[ch]pp') || rc=1
  breach "the README's program is not lib/examples/first.cpp" < <(diff <(first_program README.md) lib/examples/first.cpp) || rc=1
  breach "a link to nothing" < <(dead_links ./*.md conformance/*.md conformance/*/*.md thresholds/*.md) || rc=1
  breach "ci/lib/ci.sh and the workflow have different steps" < <(diff <(printf '%s\n' "${ci_steps[@]:1}") <(workflow_steps)) || rc=1
  return "$rc"
}

workflow_steps() { sed -n 's/^ *step: \[\(.*\)\]$/\1/p' .github/workflows/ci.yml | tr -d ' ' | tr ',' '\n'; }

breach() { # RULE, with the places on standard input
  local places
  places=$(cat)
  [[ -n $places ]] || return 0
  printf '%s:\n%s\n' "$1" "$places"
  return 1
}

# The first fenced C++ program of a Markdown file.
first_program() { awk '/^```cpp$/ { inside = 1; next } /^```$/ && inside { exit } inside' "$1"; }

# Links of Markdown files to files that are not there.
dead_links() { # FILES
  local file link
  for file in "$@"; do
    while read -r link; do
      [[ $link == *://* || $link == '#'* || -e $(dirname "$file")/${link%%#*} ]] || printf '%s: %s\n' "$file" "$link"
    done < <(grep -o '](\([^)]*\))' "$file" | sed 's/^](\(.*\))$/\1/')
  done
}
