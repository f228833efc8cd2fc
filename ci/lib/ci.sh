# shellcheck shell=bash
# Everything, in the order of a pull request. Goes on after a failure, so that one run shows all of them.

ci_steps=(deps format lint gcc clang test asan coverage gate-selftest consumer cpython perf-live)

# The steps whose tests are counted one by one, and the files that CTest writes for them.
declare -A ci_junit=([test]=tests.xml [asan]=asan.xml [coverage]=coverage.xml)

step_ci() { # ci: every step of a pull request; the last line is "N passed, N failed, N skipped"
  no_more_arguments ci "$@"
  trap 'exit 2' INT TERM # the step that was interrupted says so
  local step rc outcome started passed=0 failed=0 skipped=0
  local -a counts table=("| step | result | seconds |" "|---|---|---|")
  mkdir -p "$report_dir" 2>/dev/null || refuse "cannot write $report_dir: make it writable"
  for step in "${ci_junit[@]}"; do rm -f "$report_dir/$step"; done
  rm -f "$verdict_file"
  for step in "${ci_steps[@]}"; do
    say "== $step"
    started=$SECONDS rc=0
    ci/run "$step" || rc=$?
    read -ra counts < <(step_counts "$step" "$rc")
    ((passed += counts[0], failed += counts[1], skipped += counts[2]))
    outcome=ok
    ((rc == 0 && counts[1] == 0)) || outcome=FAILED
    table+=("| $step | $outcome: ${counts[0]} passed, ${counts[1]} failed, ${counts[2]} skipped | $((SECONDS - started)) |")
  done
  say "== summary"
  printf '%s\n' "${table[@]}" | tee "$report_dir/ci.md"
  summarize <"$report_dir/ci.md"
  for step in "${ci_junit[@]}"; do
    [[ ! -s $report_dir/$step ]] || junit_failures "$report_dir/$step"
  done
  say "$passed passed, $failed failed, $skipped skipped"
  ((failed == 0))
}

# "PASSED FAILED SKIPPED" of one step. A step without a result file of its own, or that failed beside its tests
# (a build, a limit of the coverage), counts as one.
step_counts() { # STEP CODE
  local file=${ci_junit[$1]:-}
  local -a counts=(0 0 0)
  if [[ -n $file && -s $report_dir/$file ]]; then
    read -ra counts < <(junit_counts "$report_dir/$file")
    ((counts[0] + counts[1] + counts[2] > 0 && ($2 == 0 || counts[1] > 0))) || ((counts[1]++))
  elif [[ -n $file ]] || (($2 != 0)); then
    counts=(0 1 0)
  elif [[ $1 == perf-live && $(verdict_code) == 4 ]]; then
    counts=(0 0 1)
  else
    counts=(1 0 0)
  fi
  echo "${counts[@]}"
}
