// The errors the library throws. It never prints and never aborts.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace gnomon {

/// The call of a function of the library that an error is told of: its name and the user's line.
struct PlaceOfCall {
  std::string_view function = {};
  const char* file = nullptr;
  unsigned line = 0;
};
/// That of this thread; set by `CallScope`.
PlaceOfCall& place_of_call();
/// Its name, or `otherwise` where there is none.
std::string_view name_of_call_or(std::string_view otherwise);

/// While it lives, errors of this thread end with this line, if it is the user's and none counts
/// yet.
class LineScope {
 public:
  explicit LineScope(const std::source_location& at);
  ~LineScope();
  LineScope(const LineScope&) = delete;
  LineScope& operator=(const LineScope&) = delete;

 private:
  bool outermost_;
};

/// Base of all errors. Text: lower case, the operation first, what was expected, what was found,
/// the user's line in brackets:
/// `dot: inner sizes differ: x: f32[n, 3] and w: f32[5, 2] [model.cpp:12]`.
class Error : public std::runtime_error {
 public:
  /// With the line of the call that runs, unless the text ends with a place.
  explicit Error(const std::string& what) : std::runtime_error(with_place(what)) {}

 private:
  static std::string with_place(const std::string& what);
};

/// Something is of a wrong kind: a dtype, a structure, a number of operands, an operation without
/// what is asked of it.
class TypeError : public Error {
 public:
  using Error::Error;
};

/// Something of the right kind has a wrong value: extents, a rank, a parameter, a failed check.
class ValueError : public Error {
 public:
  using Error::Error;
};

/// An index, a label or an axis is out of range.
class IndexError : public ValueError {
 public:
  using ValueError::ValueError;
};

/// The toolchain failed; `source` and `log` say where.
class CompileError : public Error {
 public:
  /// What failed, the code that was compiled, and what the compiler said.
  explicit CompileError(const std::string& what, std::string source = {}, std::string log = {})
      : Error(what), source_(std::move(source)), log_(std::move(log)) {}
  /// The code, and what the compiler said; empty where there is none.
  const std::string& source() const noexcept { return source_; }
  const std::string& log() const noexcept { return log_; }

 private:
  std::string source_, log_;
};

/// A device, a driver or the machine failed: no such device, out of memory, a full disk.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// The system refused a file: there is none, nobody may read it, the disk is full.
class FileError : public DeviceError {
 public:
  /// `reason`: without the path, which may be empty.
  FileError(const std::string& what, int code, std::string reason, std::string path)
      : DeviceError(what), code_(code), reason_(std::move(reason)), path_(std::move(path)) {}
  /// The system's number: ENOENT where there is no such file.
  int code() const noexcept { return code_; }
  /// What the system says, and the path, which may be empty.
  const std::string& reason() const noexcept { return reason_; }
  const std::string& path() const noexcept { return path_; }

 private:
  int code_;
  std::string reason_, path_;
};

/// A result is NaN or infinite, and what it was computed from is not: see the option `nan_guard`.
class FloatingPointError : public Error {
 public:
  using Error::Error;
};

/// A call was ended by the check that `set_interrupt_check` set.
class Interrupted : public Error {
 public:
  using Error::Error;
};

/// A bug of Gnomon.
class InternalError : public Error {
 public:
  using Error::Error;
};

/// Throws an error of the class of `error` that says `what`.
[[noreturn]] void throw_like(const Error& error, const std::string& what);

}  // namespace gnomon
