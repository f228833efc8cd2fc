# shellcheck shell=bash
# The perf lab: the published lead table, then the gate.

verdict_file=$report_dir/verdict.json
perf_bin=build/perf/bin

step_perf() { # perf: measures this machine: the lead table, then the gate; exits with the gate's code
  no_more_arguments perf "$@"
  ensure_deps build
  built perf || return 2
  lead_table || return
  gate_chain
}

step_perf-live() { # perf-live: the gate alone, as in CI: 4 (too noisy to tell) is reported and tolerated
  no_more_arguments perf-live "$@"
  ensure_deps build
  built perf || return 2
  local rc=0
  gate_chain || rc=$?
  ((rc == 4)) || return "$rc"
  say "tolerated: this machine is too noisy now for a verdict (code 4); nothing was shown, either way"
}

# The same arms in Python, when it is here, and in this library, beside the numbers of the original write-up.
lead_table() {
  local rc=0
  rm -f "$report_dir"/summary.{txt,json} 2>/dev/null || refuse "cannot replace $report_dir/summary.txt: make $report_dir writable"
  in_log "lead table" "$perf_bin/selectors-perf" lead-table --report "$report_dir" || rc=$?
  if ((rc != 0)); then
    say "FAILED  lead table (code $rc)"
    show_end "lead table"
    return "$rc"
  fi
  cat "$report_dir/summary.txt"
  summarize_text "lead table" "$(<"$report_dir/summary.txt")"
  say ""
}

# validate, count, measure, judge: the fixtures of CTest. CTest answers 8 to every failure; the gate's own code is in its report.
gate_chain() {
  mkdir -p "$report_dir" 2>/dev/null || refuse "cannot write $report_dir: make it writable"
  rm -f "$verdict_file" 2>/dev/null || refuse "cannot replace $verdict_file: make $report_dir writable"
  local ctest_code=0 code text
  in_log "perf gate" ctest --preset perf || ctest_code=$?
  text=$(test_output perf.gate "$(log_of "perf gate")")
  [[ -n $text ]] || text=$(test_output perf.run "$(log_of "perf gate")")
  [[ -z $text ]] || say "$text"
  [[ ! -s $report_dir/report.md ]] || summarize <"$report_dir/report.md"
  code=$(verdict_code)
  if [[ -z $code ]] || ((code == 0 && ctest_code != 0)); then
    show_end "perf gate"
    say "FAILED  the gate did not get to a verdict of its own: see the end of its log, above"
    return 2
  fi
  say "verdict: $code ($verdict_file for scripts, $report_dir/report.md to read)"
  return "$code"
}

# The first "code" of the file is that of the whole verdict; nothing when there is no verdict.
verdict_code() { grep -o '"code": *[0-9]' "$verdict_file" 2>/dev/null | head -n 1 | grep -o '[0-9]$'; }

# What a test printed, without CTest's own lines and its "N: "; nothing when it was not run.
test_output() { # TEST LOG
  awk -v test="$1" '
    $1 == "Start" && $3 == test { number = $2; sub(/:$/, "", number); next }
    number != "" && index($0, number ": ") == 1 {
      if (printing) print substr($0, length(number) + 3)
      if ($0 ~ /Test timeout computed/) printing = 1
    }' "$2"
}

step_regret() { # regret [ARGUMENTS]: the adaptive backend against the best fixed one, cell by cell (minutes); see selectors-regret --help
  ensure_deps build
  built perf --target selectors-regret || return 2
  local rc=0
  # Its progress is for the terminal, its table for the log as well.
  "$perf_bin/selectors-regret" --report "$report_dir" "$@" | tee "$(log_of regret)" || rc=$?
  ((rc > 1)) || [[ ! -s $report_dir/regret.md ]] || summarize <"$report_dir/regret.md"
  return "$rc"
}

step_propose() { # propose PROFILE [GATES] [PAUSE]: records GATES (10) runs PAUSE (120) seconds apart, drafts limits from them
  local profile=${1:-} gates=${2:-10} pause=${3:-120} proposer i file
  [[ $profile =~ ^[a-z0-9][a-z0-9.-]*$ ]] || refuse "propose wants the profile's name (small letters, digits, - and .), not '$profile'"
  [[ $gates =~ ^[1-9][0-9]*$ && $pause =~ ^[0-9]+$ ]] || refuse "propose PROFILE [GATES] [PAUSE] wants numbers, not '$gates' and '$pause'"
  proposer=$(git config user.name) || refuse "who proposes? set it: git config user.name NAME"
  ensure_deps build
  built perf || return 2
  local folder=build/proposal/$profile
  local -a measurements=()
  mkdir -p "$folder" 2>/dev/null || refuse "cannot write $folder: make it writable"
  for ((i = 1; i <= gates; i++)); do
    file=$folder/measurement-$i.json
    ((i == 1)) || sleep "$pause"
    logged "proposal run $i of $gates" "$perf_bin/selectors-perf" run --bursts 27 --output "$file" || return
    measurements+=(--measurement "$file")
  done
  "$perf_bin/selectors-gate" propose "${measurements[@]}" --profile "$profile" --proposed-by "$proposer" \
    --output "$folder/$profile.json" --evidence "$folder/evidence.json" || return
  say "review $folder/$profile.json, then commit it and its evidence on their own: thresholds/README.md"
}
