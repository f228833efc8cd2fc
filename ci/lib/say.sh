# shellcheck shell=bash
# Output: progress on a terminal, one line per finished piece of work in a pipe, everything else in a log.

log_dir=build/log
report_dir=build/report
ticker_pid=

say() { printf '%s\n' "$*"; }

# Bad input or a missing tool: one line that tells the fix, and code 2.
refuse() {
  printf 'ci/run: %s\n' "$*" >&2
  exit 2
}

stop_ticker() {
  [[ -n $ticker_pid ]] || return 0
  kill "$ticker_pid" 2>/dev/null
  wait "$ticker_pid" 2>/dev/null
  ticker_pid=
  printf '\r\033[K'
}

start_ticker() { # LABEL LOG
  [[ -t 1 ]] || return 0
  (
    trap '' INT
    trap 'exit 0' TERM
    local begun=$SECONDS
    while :; do
      last=$(tail -n 1 "$2" 2>/dev/null | tr -d '\r' | tr -c '[:print:]' ' ')
      printf '\r\033[K%.*s' "$((${COLUMNS:-80} - 1))" "$1 ($((SECONDS - begun)) s) $last"
      sleep 0.5
    done
  ) &
  ticker_pid=$!
}

on_interrupt() {
  stop_ticker
  printf '\nci/run: interrupted; logs are kept in %s, finished reports in %s; run the same command again to go on\n' \
    "$log_dir" "$report_dir" >&2
  exit 2
}

log_of() { printf '%s/%s.log' "$log_dir" "${1//[ \/]/-}"; } # LABEL

# in_log LABEL COMMAND...: runs it with its output in the log, and its progress on the terminal.
in_log() {
  local label=$1 log rc
  log=$(log_of "$label")
  shift
  mkdir -p "$log_dir" 2>/dev/null || refuse "cannot write $log_dir: make it writable"
  { : >"$log"; } 2>/dev/null || refuse "cannot write $log: make it writable"
  start_ticker "$label" "$log"
  "$@" >"$log" 2>&1 </dev/null
  rc=$?
  stop_ticker
  return "$rc"
}

show_end() { # LABEL
  say "        the end of $(log_of "$1"):"
  tail -n 40 "$(log_of "$1")" | sed 's/^/    /'
}

# logged LABEL COMMAND...: the same, and says how it went; on failure with the end of the log.
logged() {
  local rc started=$SECONDS
  in_log "$@"
  rc=$?
  if ((rc == 0)); then
    say "ok      $1 ($((SECONDS - started)) s)"
  else
    say "FAILED  $1 (code $rc)"
    show_end "$1"
  fi
  return "$rc"
}

# Adds standard input to the pull request's summary page, where there is one.
summarize() {
  if [[ -n ${GITHUB_STEP_SUMMARY:-} ]]; then cat >>"$GITHUB_STEP_SUMMARY"; else cat >/dev/null; fi
}

# Lines of plain text, kept as lines.
summarize_text() { # TITLE TEXT
  # shellcheck disable=SC2016 # a Markdown fence
  printf '### %s\n```\n%s\n```\n' "$1" "$2" | summarize
}
