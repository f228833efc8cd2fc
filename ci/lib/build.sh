# shellcheck shell=bash
# Configuring, building and testing a preset.

jobs=$(nproc 2>/dev/null || echo 2)

preset_names() { sed -n '/"buildPresets"/,/]/s/.*"name": "\([a-z]*\)".*/\1/p' CMakePresets.json; }

# Configures only when it never succeeded or the presets changed: Ninja notices every other change by itself.
configured() { # PRESET
  [[ build/$1/build.ninja -nt CMakePresets.json ]] || logged "$1 configure" cmake --preset "$1"
}

built() { # PRESET [CMAKE_BUILD_ARGUMENTS...]
  local preset=$1
  shift
  configured "$preset" && logged "$preset build" cmake --build --preset "$preset" -j "$jobs" "$@"
}

# tested PRESET JUNIT_FILE [CTEST_ARGUMENTS...]: never leaves the result file of an earlier run in place.
tested() {
  local preset=$1 file=$2
  shift 2
  mkdir -p "$report_dir" 2>/dev/null || refuse "cannot write $report_dir: make it writable"
  rm -f "$file" 2>/dev/null || refuse "cannot replace $file: make $report_dir writable"
  logged "$preset tests" ctest --preset "$preset" -j "$jobs" "$@" && return
  [[ ! -s $file ]] || junit_failures "$file"
  return 1
}
