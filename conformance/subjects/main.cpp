// The kit over the library's own backends.
#include <selectors/conformance/suite.hpp>

#include "liars.hpp"
#include "library_subject.hpp"

int main(int argc, char** argv) {
  using namespace selectors::conformance;
  return run_suite(argc, argv, library_subjects(), liars());
}
