// The kit over the library's own backends.
#include <selectors/conformance/suite.hpp>

#include "library_subject.hpp"

int main(int argc, char** argv) {
  return selectors::conformance::run_suite(argc, argv, selectors::conformance::library_subjects());
}
