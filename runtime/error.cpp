// Errors that are told again with more to say.
#include "runtime/error.h"

namespace gnomon {

void throw_like(const Error& error, const std::string& what) {
  const auto is = [&]<class T>(const T*) { return dynamic_cast<const T*>(&error) != nullptr; };
  if (is(static_cast<IndexError*>(nullptr))) throw IndexError(what);
  if (is(static_cast<ValueError*>(nullptr))) throw ValueError(what);
  if (is(static_cast<TypeError*>(nullptr))) throw TypeError(what);
  if (const auto* refused = dynamic_cast<const FileError*>(&error))
    throw FileError(what, refused->code(), refused->reason(), refused->path());
  if (is(static_cast<DeviceError*>(nullptr))) throw DeviceError(what);
  if (is(static_cast<FloatingPointError*>(nullptr))) throw FloatingPointError(what);
  if (is(static_cast<Interrupted*>(nullptr))) throw Interrupted(what);
  if (is(static_cast<InternalError*>(nullptr))) throw InternalError(what);
  if (const auto* failed = dynamic_cast<const CompileError*>(&error))
    throw CompileError(what, failed->source(), failed->log());
  throw Error(what);
}

}  // namespace gnomon
