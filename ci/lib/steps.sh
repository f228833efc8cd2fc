# shellcheck shell=bash
# The steps that build and test. Each is a function step_NAME; ci/run calls it with the rest of the command line.

step_deps() { # deps: installs what the steps need (apt); without anything missing it does nothing
  no_more_arguments deps "$@"
  ensure_deps
  say "ok      everything the steps need is installed"
}

step_build() { # build [PRESET]: configures and builds a preset (dev)
  local preset=${1:-dev} names
  names=$(preset_names)
  grep -qxF -- "$preset" <<<"$names" || refuse "no preset '$preset': choose one of ${names//$'\n'/ }"
  ensure_deps build
  [[ $preset != asan ]] || ensure_deps clang
  built "$preset"
}

step_test() { # test [CTEST ARGUMENTS]: the unit tests, the conformance tests and the kit's own liars
  ensure_deps build
  built dev || return
  local text rc=0 file=$report_dir/tests.xml
  tested dev "$file" "$@" || rc=$?
  text=$(test_summary "$file")
  say "$text"
  summarize_text test "$text"
  return "$rc"
}

test_summary() { # JUNIT_FILE
  local counts backends group passed total unit_passed=0 unit_total=0
  [[ -s $1 ]] || { say "no result file $1: the tests did not run" && return; }
  # JUnit has no labels, so the names of the backends come from the log.
  backends=" $(grep -oE '\bbackend:[a-z0-9_]+' "$(log_of "dev tests")" | cut -d: -f2 | sort -u | tr '\n' ' ')"
  while read -r group passed total; do
    if [[ $backends == *" $group "* ]]; then
      say "conformance cases on $group: $passed of $total pass"
    elif [[ $group == liars ]]; then
      say "liars caught: $passed of $total"
    else
      ((unit_passed += passed, unit_total += total))
    fi
  done < <(junit_groups "$1")
  say "unit tests: $unit_passed of $unit_total pass"
  read -ra counts < <(junit_counts "$1")
  say "${counts[0]} passed, ${counts[1]} failed, ${counts[2]} skipped"
}

# Everything is compiled, and each public header alone, with warnings as errors.
strict_build() { # PRESET
  built "$1" && logged "$1 headers" cmake --build --preset "$1" -j "$jobs" --target all_verify_interface_header_sets
}

# The trees that the tests and the lab are run from, so that nothing is compiled twice.
step_gcc() { # gcc: all targets with g++, warnings are errors
  no_more_arguments gcc "$@"
  ensure_deps build
  local preset
  for preset in dev perf; do
    logged "$preset configure" cmake --preset "$preset" -DCMAKE_CXX_COMPILER=g++ -DSELECTORS_WARNINGS_AS_ERRORS=ON &&
      strict_build "$preset" || return
  done
}

# With the sanitizers already, for the step after it.
step_clang() { # clang: all targets with clang++, warnings are errors
  no_more_arguments clang "$@"
  ensure_deps build clang
  strict_build asan
}

step_asan() { # asan: the tests under AddressSanitizer and UndefinedBehaviorSanitizer
  ensure_deps build clang
  built asan && tested asan "$report_dir/asan.xml" "$@"
}

step_gate-selftest() { # gate-selftest: the gate judges recorded bursts; nothing is timed
  no_more_arguments gate-selftest "$@"
  ensure_deps build
  built dev && tested gate "$report_dir/gate-selftest.xml"
}

step_mutants() { # mutants [--only GLOB] [--self-test]: small faults, one at a time, in lib/src: how many do the tests notice? (half an hour)
  ensure_deps build mutants
  local rc=0
  python3 conformance/mutants/run.py "$@" || rc=$?
  ((rc > 1)) || [[ ! -s $report_dir/mutants.md ]] || summarize <"$report_dir/mutants.md"
  return "$rc"
}

step_format() { # format [--fix]: the formatting of every C++ file, checked or corrected
  local -a files mode=(--dry-run -Werror)
  if [[ ${1:-} == --fix ]]; then
    mode=(-i)
    shift
  fi
  no_more_arguments "format [--fix]" "$@"
  ensure_deps format
  mapfile -t files < <(find lib conformance perf ci -name '*.cpp' -o -name '*.hpp')
  logged format formatted "${mode[@]}" "${files[@]}" || {
    say "        ci/run format --fix corrects it"
    return 1
  }
}

# clang-format's complaint about each line is cut down to the names of the files.
formatted() {
  local output rc=0
  output=$(clang-format-14 "$@" 2>&1) || rc=1
  sed -n -e 's/:[0-9]*:[0-9]*: error: code should be clang-formatted.*//p' -e '/error: [^c]/p' <<<"$output" | sort -u
  return "$rc"
}

step_lint() { # lint: shell scripts, spelling and the house rules that a script can check
  no_more_arguments lint "$@"
  ensure_deps lint
  local rc=0
  logged "lint scripts" shellcheck -a -x ci/run .ci/run ci/consumer/check.sh || rc=1
  logged "lint spelling" codespell --ignore-words-list siz,childs,chek lib conformance perf thresholds ci ./*.md || rc=1
  logged "lint rules" house_rules || rc=1
  logged "lint mutants" python3 conformance/mutants/run.py --check || rc=1
  return "$rc"
}

step_consumer() { # consumer: installs the library and uses it in each of the documented ways
  no_more_arguments consumer "$@"
  ensure_deps consumer
  logged consumer ci/consumer/check.sh build/consumer
}
