# shellcheck shell=bash
# CPython's own test suites over the Python package, beside CPython's own selector.

step_cpython() { # cpython [--all]: CPython's own test suites over the library (--all: asyncio over every backend)
  local python rc=0 table=$report_dir/cpython.md suites=conformance/reference/cpython
  local -a all=()
  if [[ ${1:-} == --all ]]; then
    all=(--all)
    shift
  fi
  no_more_arguments "cpython [--all]" "$@"
  ensure_deps cpython
  python=$(python_with_tests) ||
    refuse "no Python here has C headers and its own tests: install python3-dev and the testsuite of its version"
  logged "cpython configure" cmake --preset cpython -DPython_EXECUTABLE="$python" && built cpython || return
  logged "cpython package tests" ctest --test-dir build/cpython --no-tests=error --output-on-failure || return
  logged "cpython runner tests" "$python" -B -m unittest discover -s "$suites" -p '*_test.py' || return
  mkdir -p "$report_dir" 2>/dev/null || refuse "cannot write $report_dir: make it writable"
  rm -f "$table" 2>/dev/null || refuse "cannot replace $table: make $report_dir writable"
  logged "cpython suites" "$python" -B "$suites/run.py" --package build/cpython/lib/python \
    --work "$log_dir/cpython" --table "$table" --jobs "$jobs" "${all[@]}" || rc=$?
  if [[ -s $table ]]; then
    cat "$table"
    summarize <"$table"
  fi
  return "$rc"
}

# The distribution's first: its headers and its tests belong together.
python_with_tests() {
  local python
  for python in /usr/bin/python3.11 /usr/bin/python3 python3; do
    python=$(command -v "$python") && has_tests_and_headers "$python" && echo "$python" && return
  done
  return 1
}

has_tests_and_headers() { # PYTHON
  "$1" - <<'END' 2>/dev/null
import importlib.util, os, sys, sysconfig
tests = all(importlib.util.find_spec(name) for name in ("test.test_selectors", "test.test_asyncio"))
headers = os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
sys.exit(not (tests and headers))
END
}
