# Fuzzing targets: in the preset `fuzz` over libFuzzer (Clang, and the package libclang-rt-19-dev),
# else with a driver that the tests run.
#
#   cmake --preset fuzz && cmake --build --preset fuzz
#   build/fuzz/fuzz_graph -max_total_time=600 -dict=tests/fuzz/dictionaries/graph.dict \
#     FOLDER tests/fuzz/corpus/graph
foreach(target cache_entry description graph graph_file kernel npy npz safetensors signature)
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
