# Fuzzing targets: with GNOMON_FUZZ over libFuzzer (Clang, and the package libclang-rt-19-dev), else
# with a driver that the tests run.
#
#   cmake -B build/fuzz -DGNOMON_FUZZ=ON -DCMAKE_CXX_COMPILER=clang++-19 -DGNOMON_CLANG=OFF \
#         -DCMAKE_CXX_FLAGS="-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all"
#   build/fuzz/fuzz_graph -max_total_time=600 FOLDER tests/fuzz/corpus/graph
option(GNOMON_FUZZ "Link the fuzzing targets with libFuzzer" OFF)
foreach(target graph signature cache_entry)
  add_executable(fuzz_${target} ${PROJECT_SOURCE_DIR}/tests/fuzz/${target}.cpp)
  # A target that uses the lower floors only needs what those refer to above them all the same.
  target_link_libraries(fuzz_${target} PRIVATE gnomon::gnomon
    "$<LINK_GROUP:RESCAN,gnomon_passes,gnomon_stdlib,gnomon_ir>")
  if(GNOMON_FUZZ)
    target_link_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(fuzz_${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/driver.cpp)
    add_test(NAME fuzz_${target}
      COMMAND fuzz_${target} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${target} 3)
    set_tests_properties(fuzz_${target} PROPERTIES TIMEOUT 300)
  endif()
endforeach()
