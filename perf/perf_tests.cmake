# The gate as tests: clean -> build -> run -> gate, so that nothing stale is ever judged. Limits and
# everything else that may change are read when the tests run; what is written here is only who is started.
#
# A failing run leaves a verdict as well (build/report/verdict.json), so only a failing build ends without.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  message(STATUS "No perf tests in a ${CMAKE_BUILD_TYPE} build: only Release is judged (preset perf)")
  return()
endif()

set(run_folder build/perf-run)
set(report_folder build/report)

function(add_perf_test name timeout)
  cmake_parse_arguments(PARSE_ARGV 2 test "" "SETS_UP" "REQUIRES;COMMAND")
  add_test(
    NAME perf.${name}
    COMMAND ${test_COMMAND}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(
    perf.${name}
    PROPERTIES LABELS perf
               RUN_SERIAL TRUE
               TIMEOUT ${timeout}
               FIXTURES_SETUP "${test_SETS_UP}"
               FIXTURES_REQUIRED "${test_REQUIRES}")
endfunction()

add_perf_test(
  clean 30 SETS_UP perf_clean
  COMMAND ${CMAKE_COMMAND} -E rm -f ${report_folder}/verdict.json ${report_folder}/junit.xml
          ${report_folder}/report.md ${run_folder}/measurement.json ${run_folder}/counts.json)
add_perf_test(
  build 900 SETS_UP perf_build REQUIRES perf_clean
  COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target selectors-perf selectors-gate)
add_perf_test(validate 30 REQUIRES perf_build COMMAND selectors-gate validate)
add_perf_test(counts 60 REQUIRES perf_build COMMAND selectors-perf counts --output ${run_folder}/counts.json)
add_perf_test(
  run 900 SETS_UP perf_run REQUIRES perf_build
  COMMAND selectors-perf run --output ${run_folder}/measurement.json --report ${report_folder})
add_perf_test(
  gate 60 REQUIRES perf_build perf_run
  COMMAND selectors-gate check --measurement ${run_folder}/measurement.json --report ${report_folder})
