// How the lab's programs end. The numbers are those of the gate.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "harness/arm.hpp"

namespace selectors::perf {

inline constexpr int success = 0;
inline constexpr int bad_input = 2;  // also: something that is needed is missing, or an interruption
inline constexpr int broken_measurement_code = 3;

// Runs `body`, which parses with `app` first; whatever leaves it becomes one line on stderr and an exit code.
template <class Body>
int guarded(const char* program, const CLI::App& app, Body body) {
  try {
    return body();
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help
    fmt::print(stderr, "{}: {}; see {} --help\n", program, e.what(), program);
    return bad_input;
  } catch (const broken_measurement& e) {
    fmt::print(stderr, "{}: the measurement is broken: {}\n", program, e.what());
    return broken_measurement_code;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: {}\n", program, e.what());
    return bad_input;
  }
}

}  // namespace selectors::perf
