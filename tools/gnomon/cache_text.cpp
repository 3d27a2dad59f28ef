// Tables and JSON of what a cache folder holds.
#include "tools/gnomon/cache_text.h"

#include <fmt/format.h>
#include <time.h>

#include <nlohmann/json.hpp>

#include "codegen/toolchain/target.h"
#include "runtime/size_text.h"

namespace gnomon {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t digits = 12;  // of a key that are shown: enough to tell any two apart

// "2025-11-25 20:31", in the user's time.
std::string minute_of(std::int64_t seconds) {
  if (seconds == 0) return "-";
  const time_t moment = seconds;
  tm parts{};
  char text[32] = "-";
  if (::localtime_r(&moment, &parts) != nullptr)
    ::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

// "2025-11-25T19:31:07Z", or nothing.
Json moment_of(std::int64_t seconds) {
  if (seconds == 0) return Json();
  const time_t moment = seconds;
  tm parts{};
  char text[32] = "";
  if (::gmtime_r(&moment, &parts) == nullptr) return Json();
  ::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Json text_or_nothing(const std::string& text) { return text.empty() ? Json() : Json(text); }

// Whom the function was compiled for, without the number that stands for all features.
std::string processor_text(const std::string& name) {
  if (name.empty()) return "-";
  if (name == host_target().name) return "this one";
  const std::size_t dash = name.rfind('-');
  return name.size() - dash == 17 ? name.substr(0, dash) : name;
}

std::string state_of(const StoredFunction& f) {
  if (!f.damage.empty()) return "  damaged: " + f.damage;
  return f.current ? "" : "  of another version";
}

Json json_of(const StoredFunction& f) {
  return {{"key", f.key},
          {"name", text_or_nothing(f.origin.name)},
          {"bytes", f.bytes},
          {"processor", text_or_nothing(f.origin.processor)},
          {"used", moment_of(f.used)},
          {"made", moment_of(f.origin.made)},
          {"build", text_or_nothing(f.build)},
          {"current", f.current},
          {"damage", text_or_nothing(f.damage)}};
}

}  // namespace

std::string object_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string printable(const std::string& name) {
  std::string text;
  for (const char c : name) text += static_cast<unsigned char>(c) < ' ' || c == 127 ? '?' : c;
  return text.empty() ? "-" : text;
}

std::string counted(std::int64_t functions) {
  return fmt::format("{} function{}", functions, functions == 1 ? "" : "s");
}

std::string table_of(const std::vector<StoredFunction>& functions, const CacheStats& stats) {
  std::size_t width = std::string_view("processor").size();
  for (const StoredFunction& f : functions)
    width = std::max(width, processor_text(f.origin.processor).size());
  std::string text;
  std::int64_t others = 0;
  if (!functions.empty())
    text = fmt::format("{:<{}}  {:<16}  {:<16}  {:>10}  {:<{}}  name\n", "key", digits, "used",
                       "made", "size", "processor", width);
  for (const StoredFunction& f : functions) {
    text += fmt::format(
        "{:<{}}  {:<16}  {:<16}  {:>10}  {:<{}}  {}{}\n", printable(f.key.substr(0, digits)),
        digits, minute_of(f.used), minute_of(f.origin.made), size_text(f.bytes),
        processor_text(f.origin.processor), width, printable(f.origin.name), state_of(f));
    if (f.damage.empty() && !f.current) ++others;
  }
  text += fmt::format("{}, {}", counted(stats.entries), size_text(stats.bytes));
  if (others > 0)
    text += fmt::format("; {} of another version, which this one does not use", others);
  return text + "\n";
}

std::string json_of(const Cache& cache, const std::vector<StoredFunction>& functions,
                    const CacheStats& stats) {
  Json list = Json::array();
  for (const StoredFunction& f : functions) list.push_back(json_of(f));
  return object_text({{"folder", cache.folder().string()},
                      {"functions", list},
                      {"count", stats.entries},
                      {"objects", stats.objects},
                      {"bytes", stats.bytes}});
}

std::string text_of(const CacheChange& change) {
  return fmt::format("removed {}, {}; {} of {} stay\n",
                     counted(change.before.entries - change.after.entries),
                     size_text(change.before.bytes - change.after.bytes),
                     counted(change.after.entries), size_text(change.after.bytes));
}

std::string json_of(const Cache& cache, const CacheChange& change) {
  return object_text({{"folder", cache.folder().string()},
                      {"removed", change.before.entries - change.after.entries},
                      {"freed_bytes", change.before.bytes - change.after.bytes},
                      {"count", change.after.entries},
                      {"bytes", change.after.bytes}});
}

}  // namespace gnomon
