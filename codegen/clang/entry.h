// The one door of libgnomon-clang: plain data and function pointers, so that no type of Clang, LLVM
// or the C++ library crosses it.
#pragma once

#include <cstddef>

namespace gnomon {

/// Changes whenever a structure below does: a library of another version is refused.
inline constexpr int clang_entry_version = 4;
inline constexpr const char* clang_entry_name = "gnomon_clang_entry";

/// A named text or binary; `name` ends in a zero, `data` need not.
struct ClangText {
  const char* name;
  const char* data;
  std::size_t size;
};

struct ClangMessage {
  int severity;  // Diagnostic::Severity
  const char* file;
  int line, column;
  const char* text;
  const char* source_line;
};

enum class ClangOutput { object, assembly, llvm_ir, identity };

/// Where results go; the functions must not throw.
struct ClangSink {
  void* user;
  void (*output)(void* user, ClangOutput kind, const char* data, std::size_t size);
  void (*message)(void* user, const ClangMessage& message);
};

struct ClangSettings {
  // "native", LLVM's name or a level: "x86-64-v3", "aarch64+sve"; or a GPU of NVIDIA, "sm_90": the
  // unit is CUDA C++, and becomes PTX, which is sent as assembly.
  const char* cpu;
  int opt_level;
  bool assembly, llvm_ir;
  bool apart;        // what each unit has of the prelude is its own, and no other object sees it
  bool own_prelude;  // the unit says how it is to be read, so that the precompiled one is not it
  const ClangText* headers;  // paths below the include root, as "prelude/exp.h"
  std::size_t header_count;
};

struct ClangTable {
  int version;
  /// Sends the text of `toolchain_id`.
  void (*identify)(const ClangSettings&, const ClangSink&);
  /// Compiles one unit; safe to call from several threads. Wants a stack of `clang_stack_bytes`.
  bool (*compile)(const ClangText& unit, const ClangSettings&, const ClangSink&);
  /// Links objects that lie in files into the file `output`: a shared object, or one for another
  /// linker. Options of lld may stand behind the files. One call at a time.
  bool (*link)(const char* const* objects, std::size_t count, bool shared, const char* output,
               const ClangSink&);
  /// Sends a static library of one object.
  bool (*archive)(const ClangText& object, const ClangSink&);
};

/// Deeply nested text overflows the usual 8 MiB.
inline constexpr std::size_t clang_stack_bytes = std::size_t{256} << 20;

}  // namespace gnomon

extern "C" const gnomon::ClangTable* gnomon_clang_entry();
