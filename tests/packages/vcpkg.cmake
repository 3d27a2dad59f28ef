# Runs the port of vcpkg with a stand-in for the functions of vcpkg: each does with SOURCE, and with the
# build that is in BUILD, what vcpkg's does, and fails where the port asks for what is not there.
string(RANDOM LENGTH 12 suffix)
set(place /tmp/gnomon-vcpkg-${suffix})
set(port ${SOURCE}/tools/packages/vcpkg/gnomon)
set(CURRENT_PACKAGES_DIR ${place}/packages)

function(fail text)
  file(REMOVE_RECURSE ${place})
  message(FATAL_ERROR "${text}")
endfunction()

function(expect_file)
  foreach(name IN LISTS ARGN)
    if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${name})
      fail("the port asks for ${name}, which is not installed")
    endif()
  endforeach()
endfunction()

file(READ ${port}/vcpkg.json manifest)
file(STRINGS ${SOURCE}/CMakeLists.txt project REGEX "^project\\(gnomon VERSION ")
string(JSON version GET "${manifest}" version)
if(NOT project MATCHES "VERSION ${version} ")
  fail("vcpkg.json has the version ${version}: ${project}")
endif()

function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "OUT_FEATURE_OPTIONS" "FEATURES")
  set(options "")
  while(given_FEATURES)
    list(POP_FRONT given_FEATURES feature option)
    string(JSON description GET "${manifest}" features ${feature} description)
    list(APPEND options -D${option}=ON)
  endwhile()
  set(${given_OUT_FEATURE_OPTIONS} ${options} PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "SOURCE_PATH" "OPTIONS")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${given_SOURCE_PATH} -B ${place}/build
                          -DCMAKE_CXX_COMPILER=${COMPILER} ${given_OPTIONS}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0 OR output MATCHES "were not used by the project")
    fail("${output}")
  endif()
endfunction()

function(vcpkg_cmake_install)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${CURRENT_PACKAGES_DIR}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    fail("${output}")
  endif()
endfunction()

function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "PACKAGE_NAME;CONFIG_PATH" "")
  expect_file(${given_CONFIG_PATH}/${given_PACKAGE_NAME}-config.cmake)
endfunction()

function(vcpkg_fixup_pkgconfig)
  expect_file(lib/pkgconfig/gnomon.pc)
endfunction()

function(vcpkg_copy_tools)
  cmake_parse_arguments(PARSE_ARGV 0 given "AUTO_CLEAN" "" "TOOL_NAMES")
  list(TRANSFORM given_TOOL_NAMES PREPEND bin/)
  expect_file(${given_TOOL_NAMES})
endfunction()

include(${port}/portfile.cmake)
file(REMOVE_RECURSE ${place})
