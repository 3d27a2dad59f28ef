// Writes and reads the manifests of compiled functions: two lines of JSON.
#include "frontend/function_manifest.h"

#include <nlohmann/json.hpp>

#include "codegen/toolchain/build.h"
#include "runtime/abi.h"

namespace gnomon {

namespace {

using nlohmann::json;

// Names are the user's and may be no UTF-8.
std::string line_of(const json& value) {
  return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

// A field of an object; `otherwise` where there is none of that kind.
template <class T>
T field(const json& object, const char* name, T otherwise) {
  const auto at = object.is_object() ? object.find(name) : object.end();
  if (at == object.end()) return otherwise;
  if constexpr (std::is_same_v<T, std::string>)
    return at->is_string() ? at->template get<T>() : otherwise;
  else
    return at->is_number_integer() ? at->template get<T>() : otherwise;
}

}  // namespace

std::string manifest_head(std::string_view key) {
  return line_of({{"abi", GNOMON_ABI_VERSION}, {"build", build_id()}, {"key", key}});
}

std::string manifest_text(std::string_view head, const FunctionOrigin& origin) {
  const json line = {{"name", origin.name}, {"processor", origin.processor}, {"made", origin.made}};
  return std::string(head) + "\n" + line_of(line);
}

bool has_manifest_head(std::string_view manifest, std::string_view head) {
  return manifest.starts_with(head) &&
         (manifest.size() == head.size() || manifest[head.size()] == '\n');
}

std::vector<StoredFunction> stored_functions(const Cache& cache, CacheLook look) {
  std::vector<StoredFunction> functions;
  for (const ListedEntry& entry : cache.entries(look)) {
    const std::size_t end = std::min(entry.manifest.find('\n'), entry.manifest.size());
    const json head = json::parse(entry.manifest.substr(0, end), nullptr, false);
    const json origin = json::parse(entry.manifest.substr(std::min(end + 1, entry.manifest.size())),
                                    nullptr, false);
    StoredFunction f;
    f.key = entry.key;
    f.origin = {field<std::string>(origin, "name", ""), field<std::string>(origin, "processor", ""),
                field<std::int64_t>(origin, "made", 0)};
    f.build = field<std::string>(head, "build", "");
    f.current = f.build == build_id();
    f.bytes = entry.bytes;
    f.used = entry.used / 1'000'000'000;
    f.damage = entry.damage;
    functions.push_back(std::move(f));
  }
  return functions;
}

}  // namespace gnomon
