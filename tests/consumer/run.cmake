# Installs Gnomon from BUILD into a fresh prefix, builds the project in SOURCE against it and runs it.
set(prefix ${BUILD}/consumer/prefix)
set(work ${BUILD}/consumer/build)
file(REMOVE_RECURSE ${BUILD}/consumer)

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${work} -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build ${work})
# An empty cache, so that the installed compiler library is found and used.
set(ENV{GNOMON_CACHE_DIR} ${BUILD}/consumer/cache)
run(${work}/consumer)
if(NOT output STREQUAL "3 5 7\n")
  message(FATAL_ERROR "expected 3 5 7, found ${output}")
endif()
