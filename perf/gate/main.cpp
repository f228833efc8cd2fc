#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "cli.hpp"

int main(int argc, char** argv) {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  selectors::gate::surroundings world{selectors::gate::today()};
  world.colour = ::isatty(STDOUT_FILENO) == 1 && !set("NO_COLOR");
  world.github = set("GITHUB_ACTIONS");
  return selectors::gate::run_command({argv + 1, argv + argc}, world, std::cout, std::cerr);
}
