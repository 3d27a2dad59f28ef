// Text of C++ units -> bytes of one shared object, by Clang and lld inside this process.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/toolchain/unit.h"

namespace gnomon {

/// What the units become.
enum class ObjectKind {
  shared,       ///< a shared object, to be opened
  relocatable,  ///< an object file for a linker; what units have of the prelude is in it once for
                ///< each, so that objects for several processors can be in one program
};

/// How to build. Every field but `kind`, `threads`, `stage` and the wishes for texts is part of
/// `toolchain_id`.
struct BuildOptions {
  std::string cpu = "native";  ///< LLVM's name of a processor, a level of `processor_levels`, or
                               ///< "native": this one
  int opt_level = 2;           ///< 0 to 3; 3 runs all of LLVM's passes
  std::string device = {};     ///< that runs units with kernels: "sm_90", "sim"
  std::string device_compiler = "clang";  ///< of these units for GPUs, or "nvrtc"
  ObjectKind kind = ObjectKind::shared;
  int threads = 0;        ///< the most units compiled at once; 0: as many as the machine runs
  bool assembly = false;  ///< also return the assembly text of each unit
  bool llvm_ir = false;   ///< also return the optimised LLVM IR of each unit
  /// Units say themselves how the prelude is to be read, before they include it.
  bool own_prelude = false;
  /// Is told "clang" and "link" as each is done.
  std::function<void(const char*)> stage = {};
};

/// One message of the compiler.
struct Diagnostic {
  enum class Severity { note, remark, warning, error };
  Severity severity = Severity::error;
  std::string file;  ///< the unit's name, or what a #line directive says
  int line = 0;      ///< from 1; 0 when the message has no place
  int column = 0;
  std::string text;
  std::string source_line;
};

/// "softmax.cpp:3:7: error: use of undeclared identifier 'y'", then the line and a caret.
std::string format(const Diagnostic& diagnostic);

/// What a build returns. `assembly` and `llvm_ir` have one text a unit if they were asked for.
struct BuildResult {
  std::vector<char> object;
  std::vector<Diagnostic> diagnostics;  ///< warnings and remarks, in the order of the units
  std::vector<std::string> assembly;
  std::vector<std::string> llvm_ir;
};

/// Compiles the units in parallel and links them into one object. Equal units and options give
/// equal bytes. Symbols declared with default visibility are exported. A shared object needs no
/// symbol from outside but memcpy, memmove, memset, memcmp, fma, fmin, fmax and the functions of C
/// that round.
/// Throws CompileError.
BuildResult build(std::span<const Unit> units, const BuildOptions& options = {});

/// The bytes of `build`.
std::vector<char> build_shared_object(std::span<const Unit> units,
                                      const BuildOptions& options = {});

/// PTX of a unit of CUDA C++ for a GPU of NVIDIA, "sm_80", of which a driver makes machine code.
/// The unit may include the prelude, which has CUDA's names; contraction is off, as on the host.
/// Equal units give equal texts. Throws CompileError.
std::string build_ptx(const Unit& unit, const std::string& gpu);

/// What a device loads of a unit with kernels: for "sm_90" and the like PTX by Clang, which ends in
/// a zero, or machine code by NVRTC; for "sim" a shared object. Throws CompileError.
std::vector<char> build_device_image(const Unit& unit, const BuildOptions& options);

/// One object of a kind from relocatable ones of one architecture, which needs the symbols that
/// `build` says, C's files and what Linux says of the processor. It may call LAPACK and BLAS if it
/// `needs` "lapack" or "blas"; a shared object says so by the names that Linux has for these, as
/// liblapack.so.3. Throws CompileError.
std::vector<char> link_objects(std::span<const std::vector<char>> objects, ObjectKind kind,
                               std::span<const std::string> needs = {});

/// A static library that has the object as `name`. Throws CompileError.
std::vector<char> archive_of(const std::string& name, std::span<const char> object);

/// Clang's version, the processor and its features, the flags: what decides, besides the units and
/// the prelude, the bytes of an object. Throws CompileError without a toolchain.
std::string toolchain_id(const BuildOptions& options = {});

/// Whether libgnomon-clang can be opened; opens it. When not, `build` says why and what to install.
bool toolchain_available();

/// One header of the prelude, as embedded in this library: name "exp.h", without its room.
struct PreludeFile {
  std::string_view name, text;
};

/// The scalar mathematics every kernel includes.
std::span<const PreludeFile> prelude_files();

/// The text of runtime/abi.h.
std::string_view abi_header();

/// A hash of the sources of runtime, ir, stdlib, passes and codegen that this library is made of.
const char* build_id();

}  // namespace gnomon
