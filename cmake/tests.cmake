# One executable of all tests; one ctest entry a file, so that a failure names its subject.
if(GNOMON_FUZZ)  # a build of the fuzzing targets alone
  include(${PROJECT_SOURCE_DIR}/cmake/fuzz.cmake)
  return()
endif()
find_package(doctest REQUIRED)
gnomon_needs(Eigen3 libeigen3-dev)
set(test_sources "")
foreach(floor IN LISTS GNOMON_TEST_FLOORS)
  file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${floor}/*_test.cpp)
  list(APPEND test_sources ${found})
  # What a unity build compiles together.
  set(place 0)
  foreach(source IN LISTS found)
    math(EXPR group "${place} / 5")
    math(EXPR place "${place} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${floor}_${group})
  endforeach()
endforeach()
find_library(GNOMON_MPFR_LIBRARY mpfr)
find_library(GNOMON_GMP_LIBRARY gmp)
mark_as_advanced(GNOMON_MPFR_LIBRARY GNOMON_GMP_LIBRARY)

add_executable(gnomon_tests ${PROJECT_SOURCE_DIR}/tests/main.cpp ${test_sources})
target_link_libraries(gnomon_tests PRIVATE gnomon::gnomon doctest::doctest Eigen3::Eigen)
target_compile_definitions(gnomon_tests PRIVATE
  DOCTEST_CONFIG_SUPER_FAST_ASSERTS
  GNOMON_SOURCE_DIR="${PROJECT_SOURCE_DIR}" GNOMON_BUILD_DIR="${PROJECT_BINARY_DIR}")
# Tests are much text that runs once: the time to compile them is what counts.
target_compile_options(gnomon_tests PRIVATE $<$<CONFIG:Release>:-O1>)
target_precompile_headers(gnomon_tests PRIVATE <doctest/doctest.h> ${library_headers}
                          <frontend/gnomon.h>)
set_target_properties(gnomon_tests PROPERTIES UNITY_BUILD_MODE GROUP)
set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/main.cpp PROPERTIES
                            SKIP_PRECOMPILE_HEADERS ON)
if(GNOMON_MPFR_LIBRARY AND GNOMON_GMP_LIBRARY)
  target_link_libraries(gnomon_tests PRIVATE ${GNOMON_MPFR_LIBRARY} ${GNOMON_GMP_LIBRARY})
endif()

foreach(source IN LISTS test_sources)
  cmake_path(GET source STEM stem)
  string(REGEX REPLACE "_test$" "" name ${stem})
  add_test(NAME ${name} COMMAND gnomon_tests --source-file=*/${stem}.cpp --no-intro)
  set_tests_properties(${name} PROPERTIES TIMEOUT 600)
  if(CMAKE_CXX_FLAGS_DEBUG MATCHES "sanitize=thread" AND CMAKE_BUILD_TYPE STREQUAL "Debug")
    set_tests_properties(${name} PROPERTIES ENVIRONMENT
      "TSAN_OPTIONS=ignore_noninstrumented_modules=1:suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp")
  endif()
endforeach()

# These begin first, so that the others fill the processors beside them.
foreach(name IN ITEMS compile_fuzz accuracy property ops_mpfr complex_matrices rematerialize)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES COST 100)
  endif()
endforeach()

# These take minutes: `tools/test full` runs them too.
foreach(name IN ITEMS compile_dtypes rematerialize robust_scale)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES LABELS long)
  endif()
endforeach()

include(${PROJECT_SOURCE_DIR}/cmake/fuzz.cmake)

# Once more with the kernels on the simulated device, which must change nothing.
foreach(name IN ITEMS branches column_pairs combine_at compile_dtypes compile_fuzz compile_linear
        compile_values complex gradient_table halves linalg loops networks order pairs pooling
        random recurrences reductions safe_where scatter solvers tiles)
  if(TEST ${name})
    add_test(NAME sim_${name}
             COMMAND gnomon_tests --source-file=*/${name}_test.cpp --no-intro
                     "--test-case-exclude=what is too large for the caches*")  # of the text
    set_tests_properties(sim_${name} PROPERTIES TIMEOUT 600 ENVIRONMENT GNOMON_DEVICE=sim)
  endif()
endforeach()

add_test(NAME tree COMMAND ${PROJECT_SOURCE_DIR}/tools/check --build ${PROJECT_BINARY_DIR})
if(EXISTS ${PROJECT_SOURCE_DIR}/frontend/gnomon.h)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  add_test(NAME consumer
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/tests/consumer
            -DBUILD=${PROJECT_BINARY_DIR} -DCOMPILER=${CMAKE_CXX_COMPILER}
            "-DFLAGS=${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}"
            -P ${PROJECT_SOURCE_DIR}/tests/consumer/run.cmake)
  set_tests_properties(consumer PROPERTIES TIMEOUT 600)
  add_test(NAME vcpkg_port
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR}
            -DCOMPILER=${CMAKE_CXX_COMPILER} -P ${PROJECT_SOURCE_DIR}/tests/packages/vcpkg.cmake)
  set_tests_properties(vcpkg_port PROPERTIES TIMEOUT 300)
  add_test(NAME without_clang
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DCOMPILER=${CMAKE_CXX_COMPILER}
            -P ${PROJECT_SOURCE_DIR}/tests/packages/without_clang.cmake)
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  find_program(GNOMON_DOXYGEN doxygen)
  mark_as_advanced(GNOMON_DOXYGEN)
  if(GNOMON_DOXYGEN)
    add_test(NAME reference_pages
      COMMAND ${PROJECT_SOURCE_DIR}/tools/reference ${PROJECT_BINARY_DIR}/reference)
  else()
    message(STATUS "doxygen is not installed: the test `reference_pages` is left out")
  endif()
  add_test(NAME misuse
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/misuse/run.py ${PROJECT_SOURCE_DIR}
            ${PROJECT_BINARY_DIR} ${CMAKE_CXX_COMPILER} "${CMAKE_CXX_FLAGS}")
  set_tests_properties(misuse PROPERTIES TIMEOUT 600)
  add_test(NAME readme
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/readme/run.py ${PROJECT_BINARY_DIR}
            ${CMAKE_CXX_COMPILER} "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}")
  set_tests_properties(readme PROPERTIES TIMEOUT 600)
endif()

# Instructions instead of seconds: noise cannot trip it. Only optimised code is worth counting.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMAKE_CXX_FLAGS MATCHES "sanitize")
  find_path(GNOMON_VALGRIND_INCLUDE valgrind/callgrind.h)
  mark_as_advanced(GNOMON_VALGRIND_INCLUDE)
  if(GNOMON_VALGRIND_INCLUDE)
    add_executable(bench_instructions ${PROJECT_SOURCE_DIR}/tests/bench/instructions.cpp)
    target_link_libraries(bench_instructions PRIVATE gnomon::gnomon)
    target_include_directories(bench_instructions SYSTEM PRIVATE ${GNOMON_VALGRIND_INCLUDE})
    target_compile_definitions(bench_instructions
                               PRIVATE GNOMON_CLANG_VERSION="${LLVM_PACKAGE_VERSION}")
    add_test(NAME instructions
      COMMAND ${PROJECT_SOURCE_DIR}/tests/bench/instructions.py
              $<TARGET_FILE:bench_instructions>)
    set_tests_properties(instructions PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
    add_test(NAME instructions_of_compilers
      COMMAND ${PROJECT_SOURCE_DIR}/tests/bench/instructions.py
              $<TARGET_FILE:bench_instructions> --compile)
    set_tests_properties(instructions_of_compilers
                         PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77 LABELS long)
  else()
    message(STATUS "valgrind is not installed: the test `instructions` is left out")
  endif()
endif()
