# libgnomon-clang: everything that touches Clang, LLVM and lld.
#
# The folders of Clang and LLD are pinned because an older Clang on the machine may have a broken
# configuration in the default search path.
gnomon_needs(Clang libclang-19-dev CONFIG PATHS ${LLVM_LIBRARY_DIR}/cmake/clang NO_DEFAULT_PATH)
gnomon_needs(LLD liblld-19-dev CONFIG PATHS ${LLVM_LIBRARY_DIR}/cmake/lld NO_DEFAULT_PATH)
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")

add_library(gnomon_clang_parts OBJECT codegen/clang/entry.cpp codegen/clang/backend.cpp)
target_include_directories(gnomon_clang_parts PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(gnomon_clang_parts SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS}
                                                             ${CLANG_INCLUDE_DIRS})
target_compile_definitions(gnomon_clang_parts PRIVATE ${llvm_definitions})
# Templates of LLVM that are instrumented here and not in LLVM's libraries report false errors.
target_compile_options(gnomon_clang_parts PRIVATE -fno-exceptions -fno-sanitize=all
                                                  -fvisibility=hidden -fvisibility-inlines-hidden)

# Linked in statically, LLVM opens three times as fast: only the parts in use are there, and no
# symbol is looked up by name. The libraries go by their files, because CMake's targets of Clang
# bring LLVM's shared library along, and two LLVMs in one process are one too many.
if(GNOMON_CLANG_STATIC)
  set(clang_libraries "")
  foreach(part IN ITEMS Frontend CodeGen Serialization Driver Parse Sema APINotes Analysis Edit
                        ASTMatchers AST Lex Basic Support)
    list(APPEND clang_libraries ${LLVM_LIBRARY_DIR}/libclang${part}.a)
  endforeach()
  file(GLOB llvm_libraries ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  set(compiled_for ${LLVM_NATIVE_ARCH} X86 AArch64 RISCV NVPTX)
  # lld names every target LLVM has; all but those that something is compiled for are made to be
  # nothing.
  string(CONCAT text "// Generated: parts of LLVM that lld names and nothing here needs.\n"
                     "#include \"llvm/Passes/PassPlugin.h\"\nextern \"C\" {\n")
  foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
    if(NOT target IN_LIST compiled_for)
      foreach(part IN ITEMS TargetInfo Target TargetMC AsmPrinter AsmParser Disassembler)
        string(APPEND text "void LLVMInitialize${target}${part}() {}\n")
      endforeach()
    endif()
  endforeach()
  string(APPEND text "}\nllvm::PassPluginLibraryInfo getPollyPluginInfo() {\n  return "
                     "{LLVM_PLUGIN_API_VERSION, \"none\", \"\", [](llvm::PassBuilder&) {}};\n}\n")
  file(CONFIGURE OUTPUT ${generated}/other_targets.cpp CONTENT "${text}" @ONLY)
  target_sources(gnomon_clang_parts PRIVATE ${generated}/other_targets.cpp)
  set(gnomon_clang_libraries -Wl,--start-group ${LLVM_LIBRARY_DIR}/liblldELF.a
      ${LLVM_LIBRARY_DIR}/liblldCommon.a ${clang_libraries} ${llvm_libraries} -Wl,--end-group
      rt dl m z zstd xml2 Threads::Threads)
  # llvm::sys::RemoveFileOnSignal, in whose place codegen/clang/entry.cpp has its own.
  string(CONCAT remove_file_on_signal "_ZN4llvm3sys18RemoveFileOnSignalENS_9StringRefE"
                "PNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")
  target_compile_definitions(gnomon_clang_parts PRIVATE
    GNOMON_REMOVE_FILE_ON_SIGNAL="${remove_file_on_signal}")
  set(gnomon_clang_options -B${LLVM_TOOLS_BINARY_DIR} -fuse-ld=lld -Wl,--exclude-libs,ALL
      -Wl,--gc-sections -Wl,-Bsymbolic -Wl,-z,now -Wl,-z,pack-relative-relocs -Wl,--strip-all
      -Wl,--wrap=${remove_file_on_signal})
else()
  set(gnomon_clang_libraries lldELF lldCommon clang-cpp LLVM Threads::Threads)
  set(gnomon_clang_options -Wl,--exclude-libs,ALL -Wl,--gc-sections)
endif()

# The prelude is parsed once, here, for each level of x86-64 whose vectors differ.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(precompiled_for x86-64 x86-64-v3 x86-64-v4)
else()
  set(precompiled_for "")
endif()
add_executable(gnomon-precompile codegen/clang/precompile.cpp ${generated}/prelude_files.cpp)
add_dependencies(gnomon-precompile gnomon_generated)
target_include_directories(gnomon-precompile PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(gnomon-precompile PRIVATE gnomon_clang_parts ${gnomon_clang_libraries})
target_compile_options(gnomon-precompile PRIVATE -fno-sanitize=all)
target_link_options(gnomon-precompile PRIVATE ${gnomon_clang_options} -fno-sanitize=all)
add_custom_command(
  OUTPUT ${generated}/precompiled.cpp
  COMMAND gnomon-precompile ${generated}/precompiled.cpp ${generated} ${precompiled_for}
  DEPENDS gnomon-precompile
  COMMENT "Precompiling the prelude"
  VERBATIM)

add_library(gnomon-clang SHARED ${generated}/precompiled.cpp)
target_include_directories(gnomon-clang PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_options(gnomon-clang PRIVATE -fvisibility=hidden)
target_link_libraries(gnomon-clang PRIVATE gnomon_clang_parts ${gnomon_clang_libraries})
target_link_options(gnomon-clang PRIVATE ${gnomon_clang_options})
set_target_properties(gnomon-clang PROPERTIES INSTALL_RPATH "$ORIGIN;${LLVM_LIBRARY_DIR}")
install(TARGETS gnomon-clang LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The compiler is opened at run time, so whoever runs a program needs it built, not linked.
add_dependencies(gnomon gnomon-clang)
