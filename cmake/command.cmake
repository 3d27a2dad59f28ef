# The command `gnomon` and its manual page, which the command writes itself.
file(GLOB command_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/gnomon/*.cpp)
add_executable(gnomon_tool ${command_sources})
target_link_libraries(gnomon_tool PRIVATE gnomon::gnomon CLI11::CLI11)
add_executable(gnomon::command ALIAS gnomon_tool)
include(${PROJECT_SOURCE_DIR}/cmake/gnomon-kernel.cmake)
# In a wheel it lies beside what it opens, in the folder of the package.
if(SKBUILD)
  set(libraries "$ORIGIN")
else()
  set(libraries "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()
set_target_properties(gnomon_tool PROPERTIES OUTPUT_NAME gnomon EXPORT_NAME command
                                             INSTALL_RPATH "${libraries}")

set(manual ${PROJECT_BINARY_DIR}/gnomon.1)
add_custom_command(
  OUTPUT ${manual}
  COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0
          $<TARGET_FILE:gnomon_tool> man --output ${manual}
  DEPENDS gnomon_tool
  COMMENT "Writing the manual page"
  VERBATIM)
add_custom_target(gnomon_manual ALL DEPENDS ${manual})

if(NOT SKBUILD)
  install(TARGETS gnomon_tool EXPORT gnomon_targets
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
