# Configures SOURCE without Clang, LLVM and lld, as on a machine that has none: the build is complete,
# and no part of it asks for them.
string(RANDOM LENGTH 12 suffix)
set(place /tmp/gnomon-without-clang-${suffix})
find_program(ninja ninja REQUIRED)
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${place} -G Ninja -DCMAKE_CXX_COMPILER=${COMPILER}
          -DGNOMON_CLANG=OFF -DGNOMON_TESTS=OFF -DGNOMON_BENCH=OFF
          -DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON -DCMAKE_DISABLE_FIND_PACKAGE_Clang=ON
          -DCMAKE_DISABLE_FIND_PACKAGE_LLD=ON
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0)
  execute_process(COMMAND ${ninja} -C ${place} -t commands gnomon_package
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
endif()
file(REMOVE_RECURSE ${place})
if(NOT status EQUAL 0 OR NOT output MATCHES "libgnomon.so.[0-9.]+ ")
  message(FATAL_ERROR "${output}")
endif()
string(REGEX MATCHALL "[^ ]*(codegen/clang/|-lclang|-lLLVM|-llld|libclang|libLLVM|liblld)[^ ]*" found
       "${output}")
if(found)
  message(FATAL_ERROR "without Clang the build still has ${found}")
endif()
