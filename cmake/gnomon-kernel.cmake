# gnomon_add_kernel: a library that the build of a project makes of functions in files and programs,
# as `gnomon build` does. docs/artefacts.md says how it is used.
cmake_policy(VERSION 3.23)

function(_gnomon_kernel_fault text)
  message(FATAL_ERROR "gnomon_add_kernel(${target}): ${text}")
endfunction()

# gnomon_add_kernel(<target> MODEL <file or program>... [NAME <name>] [GRAD <variable>...]
#                   [JVP <variable>...] [HVP <variable>...] [VMAP <input>...]
#                   [TARGETS <processor>...] [EXTRAS <extra>...])
#
# Programs are traced by the interpreter of Python3_EXECUTABLE if it is set, as find_package(Python3)
# does, else by that of the variable GNOMON_PYTHON of the environment, else by python3.
function(gnomon_add_kernel target)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "NAME" "MODEL;GRAD;JVP;HVP;VMAP;TARGETS;EXTRAS")
  if(given_UNPARSED_ARGUMENTS)
    list(GET given_UNPARSED_ARGUMENTS 0 word)
    _gnomon_kernel_fault(
      "expected MODEL, NAME, GRAD, JVP, HVP, VMAP, TARGETS or EXTRAS, found ${word}")
  endif()
  if(given_KEYWORDS_MISSING_VALUES)
    list(GET given_KEYWORDS_MISSING_VALUES 0 word)
    _gnomon_kernel_fault("expected a value behind ${word}")
  endif()
  if(NOT given_MODEL)
    _gnomon_kernel_fault("expected MODEL and files that gn.save or save_function wrote, or programs")
  endif()
  if(TARGET ${target})
    _gnomon_kernel_fault("there is another target of this name")
  endif()
  set(name ${target})
  if(given_NAME)
    set(name ${given_NAME})
  endif()
  if(NOT name MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
    _gnomon_kernel_fault("expected an identifier as NAME, which begins all names in C, found ${name}")
  endif()
  if(CMAKE_CROSSCOMPILING AND NOT given_TARGETS)
    _gnomon_kernel_fault("expected TARGETS where programs are for another machine")
  endif()
  set(models "")
  set(files "")
  foreach(model IN LISTS given_MODEL)
    set(function "")
    if(model MATCHES "^(.*[.]py):(.*)$")
      set(model ${CMAKE_MATCH_1})
      set(function ":${CMAKE_MATCH_2}")
    elseif(model MATCHES "^[A-Za-z_][A-Za-z0-9_.]*:")  # a module: Python finds it
      list(APPEND models ${model})
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH model BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    get_source_file_property(is_made ${model} GENERATED)  # by a command of the project
    if(NOT EXISTS ${model} AND NOT is_made)
      _gnomon_kernel_fault("there is no file ${model}")
    endif()
    list(APPEND models "${model}${function}")
    list(APPEND files ${model})
  endforeach()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}-kernel)
  set(command $<TARGET_FILE:gnomon::command> build ${models} --output ${folder}/${name} --emit o
      --depfile ${folder}/${name}.d)
  foreach(option IN ITEMS GRAD JVP HVP VMAP TARGETS)
    if(given_${option})
      list(JOIN given_${option} "," names)
      string(TOLOWER ${option} word)
      string(REGEX REPLACE "s$" "" word ${word})
      list(APPEND command --${word} ${names})
    endif()
  endforeach()
  if(Python3_EXECUTABLE)
    list(PREPEND command ${CMAKE_COMMAND} -E env GNOMON_PYTHON=${Python3_EXECUTABLE})
  endif()
  set(libraries m)
  if(given_EXTRAS)
    list(JOIN given_EXTRAS "," names)
    list(APPEND command --extras ${names})
    # LAPACK before BLAS, which it calls; a project may name its own.
    if("lapack" IN_LIST given_EXTRAS)
      find_package(LAPACK REQUIRED)
      list(PREPEND libraries ${LAPACK_LIBRARIES})
    elseif("blas" IN_LIST given_EXTRAS)
      find_package(BLAS REQUIRED)
      list(PREPEND libraries ${BLAS_LIBRARIES})
    endif()
  endif()
  file(MAKE_DIRECTORY ${folder})
  # The arrays beside the files are told by what the command has read; its rule names the header
  # first, and Ninja wants the same here.
  add_custom_command(
    OUTPUT ${folder}/${name}.h ${folder}/${name}.o
    COMMAND ${command}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    DEPENDS ${files} gnomon::command
    DEPFILE ${folder}/${name}.d
    COMMENT "Compiling ${name} with Gnomon"
    VERBATIM)
  add_library(${target} STATIC ${folder}/${name}.o)
  # Nothing is left to compile, but a linker has to be chosen: any will do.
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  list(FILTER languages INCLUDE REGEX "^(C|CXX)$")
  list(GET languages 0 language)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ${language})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${folder} FILES ${folder}/${name}.h)
  target_link_libraries(${target} PUBLIC ${libraries})
endfunction()
