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
file(GLOB shared ${prefix}/lib*/libgnomon.so)
foreach(file IN ITEMS ${work}/consumer ${work}/early ${work}/plugin.so ${prefix}/bin/gnomon ${shared})
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

# The shared library: every symbol of its own with a version, and no one else's.
find_program(readelf readelf REQUIRED)
find_program(nm nm REQUIRED)
run(${readelf} -d ${shared})
string(REGEX MATCH "soname: \\[libgnomon\\.so\\.([0-9]+\\.[0-9]+)\\]" found "${output}")
if(NOT found)
  fail("${shared} has no soname with a version: ${output}")
endif()
set(version GNOMON_${CMAKE_MATCH_1})
run(${nm} -D --defined-only ${shared})
string(REGEX MATCHALL "[^\n]+" symbols "${output}")
list(LENGTH symbols count)
list(FILTER symbols EXCLUDE REGEX "6gnomon.*@@${version}$| A ${version}")
if(symbols OR count LESS 1000)
  fail("${shared} exports ${count} symbols, among them ${symbols}")
endif()
expect("3 5 7, the user's\n" ${work}/consumer_shared)
expect("-0.1454 -0.5 4 8 1\n" ${work}/early_shared)
expect("4000000 4000000 4000000 closed\n" ${work}/host ${work}/plugin_shared.so)
# Two libraries of Gnomon in one process.
expect("4000000 4000000\n" ${work}/both ${work}/plugin.so ${work}/plugin_shared.so)

# Without CMake: by the compiler and pkg-config, and by Meson.
file(GLOB_RECURSE pc ${prefix}/*/gnomon.pc)
cmake_path(GET pc PARENT_PATH pc_folder)
set(ENV{PKG_CONFIG_PATH} ${pc_folder})
find_program(pkg_config pkg-config REQUIRED)
run(${pkg_config} --cflags --libs gnomon)
separate_arguments(flags_of_pc UNIX_COMMAND "${output}")
separate_arguments(flags_of_test UNIX_COMMAND "${FLAGS}")
run(${COMPILER} -std=c++20 ${flags_of_test} -I${SOURCE}/own ${SOURCE}/consumer.cpp
    ${flags_of_pc} -o ${place}/plain)
expect("3 5 7, the user's\n" ${place}/plain)
run(${pkg_config} --cflags --libs gnomon-shared)
separate_arguments(flags_of_pc UNIX_COMMAND "${output}")
run(${COMPILER} -std=c++20 ${flags_of_test} -I${SOURCE}/own ${SOURCE}/consumer.cpp
    ${flags_of_pc} -o ${place}/plain_shared)
expect("3 5 7, the user's\n" ${place}/plain_shared)
# By a compiler that has modules.
find_program(clang clang++-19)
if(clang)
  run(${pkg_config} --cflags gnomon)
  separate_arguments(cflags UNIX_COMMAND "${output}")
  run(${clang} -std=c++20 -Werror ${cflags} --precompile ${prefix}/include/gnomon/gnomon.cppm
      -o ${place}/gnomon.pcm)
  run(${pkg_config} --libs gnomon)
  separate_arguments(libs UNIX_COMMAND "${output}")
  run(${clang} -std=c++20 ${flags_of_test} -fmodule-file=gnomon=${place}/gnomon.pcm
      ${SOURCE}/importer.cpp ${libs} -o ${place}/importer)
  expect("7 2.71828\n" ${place}/importer)
endif()
find_program(meson meson)
if(meson)
  set(ENV{CXX} ${COMPILER})
  run(${meson} setup ${place}/meson ${SOURCE})
  run(${meson} compile -C ${place}/meson)
  expect("3 5 7, the user's\n" ${place}/meson/consumer)
endif()

# --- where nothing can be written, and nothing compiled -----------------------------------------
set(environment ${CMAKE_COMMAND} -E env)
# Without a home, in the temporary folder.
file(MAKE_DIRECTORY ${place}/tmp)
expect("3 5 7, the user's\n" ${environment} --unset=GNOMON_CACHE_DIR --unset=XDG_CACHE_HOME --unset=HOME
       TMPDIR=${place}/tmp ${work}/consumer)
file(GLOB kept ${place}/tmp/gnomon-*/*.entry)
if(NOT kept)
  fail("without HOME nothing was kept in ${place}/tmp")
endif()
# One line where nothing can be kept.
run(${environment} GNOMON_CACHE_DIR=/proc/gnomon ${work}/early)
if(NOT output MATCHES "^gnomon: functions are not kept in /proc/gnomon: [^\n]+\n-0.1454 -0.5 4 8 1\n$")
  fail("without a cache: ${output}")
endif()
# Without a compiler: what the cache has, and an error that says what is missing.
file(COPY ${place}/cache DESTINATION ${place}/shipped)
expect("3 5 7, the user's\n" ${environment} GNOMON_CACHE_DIR=${place}/shipped/cache
       GNOMON_CLANG_LIBRARY=/none ${work}/consumer)
execute_process(COMMAND ${environment} GNOMON_CACHE_DIR=${place}/empty GNOMON_CLANG_LIBRARY=/none
                        ${work}/consumer RESULT_VARIABLE status ERROR_VARIABLE output
                        OUTPUT_QUIET)
if(status EQUAL 0 OR NOT output MATCHES "expected the compiler library libgnomon-clang.so, found none")
  fail("without a compiler: ${status}: ${output}")
endif()

# --- libraries of saved functions: the folder `kernel` ------------------------------------------
set(models ${place}/models)
set(kernel ${place}/kernel)
file(MAKE_DIRECTORY ${models}/copy)
function(save weight)
  run(${work}/save ${models} ${weight})
  file(COPY ${models}/line.gn DESTINATION ${models}/copy)
endfunction()
set(configure ${CMAKE_COMMAND} -S ${SOURCE}/kernel -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}" -DMODELS=${models})

# How often things of the project's build were made.
function(expect_made count)
  string(REGEX MATCHALL "with Gnomon" found "${output}")
  list(LENGTH found found)
  if(NOT found EQUAL count)
    fail("expected ${count} calls of gnomon build, found ${found}:\n${output}")
  endif()
endfunction()

find_program(ninja ninja)
set(generators "Unix Makefiles")
if(ninja)
  list(APPEND generators Ninja)
endif()
foreach(generator IN LISTS generators)
  file(REMOVE_RECURSE ${kernel})
  save(2)
  run(${configure} -B ${kernel} -G ${generator})
  run(${CMAKE_COMMAND} --build ${kernel})
  expect_made(3)
  expect("3 5 3 5 4e+06\n" ${kernel}/c_user)
  expect("8e+06 8000 8000\n" ${kernel}/cpp_user)
  run(${CMAKE_COMMAND} --build ${kernel})
  expect_made(0)
  run(${CMAKE_COMMAND} --install ${kernel} --prefix ${place}/installed)
  if(NOT EXISTS ${place}/installed/include/line.h OR NOT EXISTS ${place}/installed/lib/libline.a)
    fail("install(TARGETS line) left files out")
  endif()

  # Time stamps may be no finer than a second.
  run(${CMAKE_COMMAND} -E sleep 1.1)
  file(TOUCH ${models}/model.npz)
  run(${CMAKE_COMMAND} --build ${kernel})
  expect_made(2)
  run(${CMAKE_COMMAND} -E sleep 1.1)
  save(3)
  run(${CMAKE_COMMAND} --build ${kernel})
  expect_made(3)
  expect("4 7 4 7 9e+06\n" ${kernel}/c_user)
  expect("1.8e+07 18000 18000\n" ${kernel}/cpp_user)
endforeach()

function(expect_fault text)
  execute_process(COMMAND ${configure} -B ${place}/fault "-DFAULT=${ARGN}"
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  # Messages are in lines of some width.
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "gnomon_add_kernel(${ARGV1}): ${text}" at)
  if(status EQUAL 0 OR at EQUAL -1)
    fail("gnomon_add_kernel(${ARGN}): expected ${text}, found ${output}")
  endif()
endfunction()
set(line ${models}/line.gn)
expect_fault("expected MODEL and files" net)
expect_fault("expected a value behind MODEL" net MODEL)
set(words "MODEL, NAME, GRAD, JVP, HVP, VMAP, TARGETS or EXTRAS")
expect_fault("expected ${words}, found ${line}" net ${line})
expect_fault("expected ${words}, found b" net MODEL ${line} NAME a b)
expect_fault("expected an identifier as NAME, which begins all names in C, found my-net"
             my-net MODEL ${line})
expect_fault("there is no file ${models}/none.gn" net MODEL ${models}/none.gn)
expect_fault("there is another target of this name" gnomon::gnomon MODEL ${line})

file(REMOVE_RECURSE ${place})
