// The user's lines in errors, and errors that are told again with more to say.
#include "runtime/error.h"

#include <algorithm>
#include <atomic>

#include "runtime/place_text.h"

namespace gnomon {

PlaceOfCall& place_of_call() {
  thread_local PlaceOfCall place;
  return place;
}

namespace {
std::atomic<bool> are_there_places = true;
}  // namespace

void without_call_places() { are_there_places.store(false, std::memory_order_relaxed); }
bool has_call_places() { return are_there_places.load(std::memory_order_relaxed); }

bool is_file_of_user(const char* name) {
  if (name == nullptr || !has_call_places()) return false;
  // Where this file was when it was compiled, and with it the rest of the library.
  static constexpr std::string_view here = __FILE__, own = "runtime/error.cpp";
  static constexpr std::string_view root = here.substr(0, here.size() - own.size());
  static constexpr std::string_view rooms[] = {"codegen/", "frontend/", "ir/",   "passes/",
                                               "runtime/", "stdlib/",   "tools/"};
  const std::string_view file(name);
  for (const std::string_view folder : {"/include/c++/", "/include/gnomon/"})
    if (file.find(folder) != file.npos) return false;
  if (file.starts_with("/usr/include/")) return false;
  if (!file.starts_with(root)) return true;
  const std::string_view rest = file.substr(root.size());
  return std::ranges::none_of(rooms,
                              [&](std::string_view room) { return rest.starts_with(room); }) ||
         rest.starts_with("frontend/examples/");
}

LineScope::LineScope(const std::source_location& at) : outermost_(place_of_call().file == nullptr) {
  if (outermost_) place_of_call() = {{}, at.file_name(), at.line()};
}

LineScope::~LineScope() {
  if (outermost_) place_of_call() = {};
}

std::string_view name_of_call_or(std::string_view otherwise) {
  const std::string_view name = place_of_call().function;
  return name.empty() ? otherwise : name;
}

bool ends_with_place(std::string_view message) {
  if (!message.ends_with(']')) return false;
  message.remove_suffix(1);
  std::size_t digits = 0;
  while (digits < message.size() && message[message.size() - 1 - digits] >= '0' &&
         message[message.size() - 1 - digits] <= '9')
    ++digits;
  message.remove_suffix(digits);
  return digits > 0 && message.ends_with(':');
}

std::string place_text(std::string_view file, unsigned line) {
  file.remove_prefix(file.rfind('/') + 1);
  return std::string(file) + ":" + std::to_string(line);
}

std::string text_of_call() {
  const PlaceOfCall& place = place_of_call();
  if (!is_file_of_user(place.file)) return {};
  return " [" + place_text(place.file, place.line) + "]";
}

namespace {

// Functions are made of others: a message begins with the one that was called.
std::string named_as_called(const std::string& what) {
  const std::string_view called = place_of_call().function;
  const std::size_t end = what.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789");
  if (called.empty() || end == 0 || end == what.npos || what.compare(end, 2, ": ") != 0)
    return what;
  return std::string(called) + what.substr(end);
}

}  // namespace

std::string Error::with_place(const std::string& what) {
  const std::string text = named_as_called(what);
  return ends_with_place(text) ? text : text + text_of_call();
}

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
