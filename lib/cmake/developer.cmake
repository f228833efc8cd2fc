# What every target of this project is compiled with. A consumer of the library sees none of it.
function(selectors_developer_target target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(PROJECT_IS_TOP_LEVEL)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
    # g++ 12 sees overlaps that are not there in "text" + std::string, its bug 105651, also from other people's headers.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      target_compile_options(${target} PRIVATE -Wno-restrict)
    endif()
    if(SELECTORS_WARNINGS_AS_ERRORS)
      target_compile_options(${target} PRIVATE -Werror)
    endif()
  endif()
endfunction()

# A target whose coverage is counted (SELECTORS_COVERAGE): not the tests, which would only be slower for it.
function(selectors_covered_target target)
  if(SELECTORS_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage -fprofile-update=atomic)
    target_link_options(${target} PUBLIC --coverage)
    target_compile_definitions(${target} PUBLIC SELECTORS_COVERAGE)
  endif()
endfunction()
