// Compiled functions as a library for programs that have neither Gnomon nor a compiler: a C header,
// and an object that needs nothing but the C library.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/toolchain/unit.h"
#include "frontend/function.h"

namespace gnomon {

/// What `export_library` makes of functions.
struct ExportOptions {
  /// The processors to compile for: "native", a level of an architecture ("x86-64-v3",
  /// "aarch64+sve", see `processor_levels`), or LLVM's name of one of this machine's. Of several
  /// levels the call takes the best that its processor has. "cuda:sm_90" is a GPU, which runs the
  /// functions on arrays in its memory, as newer ones do; "sim" the simulated device. Beside them
  /// may stand the processor of the code that launches kernels, else the least of this machine's.
  std::vector<std::string> targets = {"native"};
  int opt_level = 2;                ///< of Clang, 0 to 3
  bool assembly = false;            ///< also return assembly texts
  bool llvm_ir = false;             ///< also return LLVM's IR
  std::string wheel_version = "0";  ///< of the package, if a wheel is made
  /// What the library may have beside its own code: "fft", the code of Fourier transforms; "lapack"
  /// and "blas", calls of those, which the program links: systems, decompositions; large products.
  std::vector<std::string> extras = {};
  bool cuda = false;          ///< also return the kernels in CUDA C++, and how they are launched
  bool ptx = false;           ///< also compile those
  std::string gpu = "sm_80";  ///< for this architecture
  /// Of texts and libraries for GPUs: this, or "nvrtc" where it is there.
  std::string device_compiler = "clang";
  /// Puts weights and first values of variables into a file of their own: the rest of the library
  /// is the same for any of their values.
  bool separate_weights = false;

  /// Asks for the texts that files of these kinds take: see `write_library`.
  void ask_for(std::span<const std::string> kinds);
};

/// A unit of a library, and the processor that it was compiled for.
struct ExportedUnit {
  Unit unit;                      ///< its name and its C++
  std::string target;             ///< the processor, as in `ExportOptions::targets`
  std::string assembly, llvm_ir;  ///< if they were asked for
};

/// A library, before it is written: see `write_library`.
struct ExportedLibrary {
  std::string name;                     ///< an identifier of C
  std::string header;                   ///< the text of NAME.h
  std::vector<ExportedUnit> units;      ///< those that the object is made of
  std::vector<char> object;             ///< relocatable
  std::string python;                   ///< NAME/__init__.py of a wheel
  std::string wheel_version;            ///< of the options
  bool is_portable = false;             ///< it asks what the processor has
  std::string gpu = {};                 ///< that runs it, if one does
  std::vector<char> weights = {};       ///< their file, if they have one
  std::vector<std::string> needs = {};  ///< libraries that programs link with it: "lapack", "blas"
  std::string cuda = {}, launches = {}, ptx = {};  ///< if they were asked for

  std::vector<char> archive() const;  ///< a static library of the object
  std::vector<char> shared() const;   ///< a shared one
};

struct Closed;

/// A function of a library, under its name there. An empty name: that of the library itself.
class LibraryFunction {
 public:
  /// A compiled one. ValueError: it is none.
  LibraryFunction(std::string name, const Function& function);
  /// One that is not compiled for this process. TypeError, ValueError: as of `compile`.
  LibraryFunction(std::string name, std::vector<Expr> inputs, std::vector<Output> outputs,
                  std::vector<Update> updates = {}, CompileOptions options = {});

 private:
  friend class Exporting;
  friend ExportedLibrary export_library(const std::string&, std::span<const LibraryFunction>,
                                        const ExportOptions&);
  std::string name_;
  std::shared_ptr<const Closed> closed_;
  CompileOptions options_;
};

/// Compiles the functions once more, for other callers. Weights (large constants) are in the
/// object, or in a file of their own with all arrays of floats that are constants; shared variables
/// are a state that the caller holds. Products are kernels. Equal functions and options give equal
/// bytes.
/// ValueError: a name is no identifier or stands twice, a variable has an open extent, several
/// targets are not levels of one architecture, an extra is another one, a function prints, or needs
/// an extra that is not asked for; there is nothing for a file of weights; the host would do work
/// of a function for a GPU.
ExportedLibrary export_library(const std::string& name, std::span<const LibraryFunction> functions,
                               const ExportOptions& options = {});

/// What `write_library` can write of a library beside its header; kinds that are extensions have
/// no other name.
std::span<const std::string_view> library_kinds();

/// Writes FOLDER/NAME.h and a file of each kind: "o", "a", "so", "whl", "cpp", "llvm-ir" ("ll"),
/// "asm" ("s"), "cuda" ("cu"), "ptx", "json"; and `weights`, if they have a file. Each is written
/// aside and renamed. Returns their paths. ValueError: another kind, a name or version that no
/// wheel can have, a wheel that needs LAPACK or BLAS, a path of weights where they have no file or
/// that of another file, none where they have one; FileError: a file cannot be written.
std::vector<std::string> write_library(const ExportedLibrary& library, const std::string& folder,
                                       std::span<const std::string> kinds,
                                       const std::string& weights = {});

}  // namespace gnomon
