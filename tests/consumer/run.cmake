# Installs Gnomon from BUILD into a fresh prefix elsewhere, builds the project in SOURCE against it and
# runs its programs, none of which may know of the build tree.
string(RANDOM LENGTH 12 suffix)
set(temporary $ENV{TMPDIR})
if(NOT temporary)
  set(temporary /tmp)
endif()
set(place ${temporary}/gnomon-consumer-${suffix})
set(prefix ${place}/prefix)
set(work ${place}/build)

function(fail text)
  file(REMOVE_RECURSE ${place})
  message(FATAL_ERROR "${text}")
endfunction()

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    fail("${ARGV}\n${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect text)
  run(${ARGN})
  if(NOT output STREQUAL text)
    fail("${ARGN}: expected ${text}, found ${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${work} -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build ${work})

# With the build tree gone, everything must be found all the same.
foreach(file IN ITEMS ${work}/consumer ${work}/early ${work}/plugin.so ${prefix}/bin/gnomon)
  file(STRINGS ${file} found REGEX "${BUILD}" LIMIT_COUNT 1)
  if(found)
    fail("${file} knows of the build tree: ${found}")
  endif()
endforeach()
file(GLOB_RECURSE headers ${prefix}/include/*.h)
foreach(header IN LISTS headers)
  file(STRINGS ${header} found REGEX "#include \"(runtime|ir|stdlib|passes|codegen|frontend)/")
  if(found)
    fail("${header} is open to a user's own headers: ${found}")
  endif()
endforeach()

# An empty cache, so that the installed compiler library is found and used.
set(ENV{GNOMON_CACHE_DIR} ${place}/cache)
expect("3 5 7, the user's\n" ${work}/consumer)
expect("" ${work}/leaf)
expect("-0.1454 -0.5 4 8 1\n" ${work}/early)
expect("4000000 4000000 4000000 closed\n" ${work}/host ${work}/plugin.so)
file(REMOVE_RECURSE ${place})
