# shellcheck shell=bash
# Line and branch coverage of the library and of the gate: at least so many per cent of each.

coverage_areas=(lib/src perf/gate)
least_lines=90
least_branches=75

step_coverage() { # coverage: line >= 90 % and branch >= 75 % of lib/src and of perf/gate
  no_more_arguments coverage "$@"
  ensure_deps build coverage
  built coverage || return
  find build/coverage -name '*.gcda' -delete
  tested coverage "$report_dir/coverage.xml" || return
  rm -rf "$report_dir/coverage"
  mkdir -p "$report_dir/coverage" 2>/dev/null || refuse "cannot write $report_dir/coverage: make it writable"
  logged "coverage report" coverage_report || return
  local text rc=0
  text=$(coverage_verdicts) || rc=1
  say "$text"
  summarize_text coverage "$text"
  return "$rc"
}

# gcov is run once; the other reports are made from what it said.
coverage_report() {
  local -a filters=() common=(gcovr --root . --exclude-throw-branches --exclude-unreachable-branches)
  local area out=$report_dir/coverage
  for area in "${coverage_areas[@]}"; do filters+=(--filter "$area/"); done
  "${common[@]}" "${filters[@]}" --exclude '.*/tests/' -j "$jobs" --json "$out/all.json" build/coverage || return
  "${common[@]}" -a "$out/all.json" --html-details "$out/index.html" --cobertura "$out/cobertura.xml" || return
  for area in "${coverage_areas[@]}"; do
    "${common[@]}" -a "$out/all.json" --filter "$area/" --json-summary "$out/${area//\//-}.json" || return
  done
}

coverage_verdicts() {
  local area summary rc=0
  for area in "${coverage_areas[@]}"; do
    summary=$report_dir/coverage/${area//\//-}.json
    coverage_line "$area" line "$least_lines" "$summary" || rc=1
    coverage_line "$area" branch "$least_branches" "$summary" || rc=1
  done
  return "$rc"
}

# gcovr rounds its per cents to the nearest tenth; the counts behind them are exact.
coverage_line() { # AREA KIND LEAST SUMMARY
  local covered total verdict=ok
  covered=$(raw_count "$2_covered" "$4")
  total=$(raw_count "$2_total" "$4")
  ((total > 0 && covered * 100 >= $3 * total)) || verdict=FAILED
  printf '%-7s %s %s coverage: %d of %d, %s %%; at least %d %% is wanted\n' "$verdict" "$1" "$2" "$covered" "$total" \
    "$(percent "$covered" "$total")" "$3"
  [[ $verdict == ok ]]
}

# Two decimals, rounded down.
percent() { awk -v c="$1" -v t="$2" 'BEGIN { printf "%.2f", t ? int(c * 10000 / t) / 100 : 0 }'; }

# Where gcovr is, Python is.
raw_count() { python3 -c 'import json, sys; print(json.load(open(sys.argv[2]))[sys.argv[1]])' "$@" || echo 0; }
