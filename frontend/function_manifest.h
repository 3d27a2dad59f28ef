// What the cache keeps beside the object of a function: what it is of, and for people, who made it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cache/cache.h"

namespace gnomon {

/// What a function is called, for whom it was compiled and when. None of it decides the code, so
/// the entry of a key has that of whoever compiled it first.
struct FunctionOrigin {
  std::string name;       ///< may be empty, and is any text
  std::string processor;  ///< `Target::name`
  std::int64_t made = 0;  ///< seconds since 1970
};

/// The first line, which an entry must begin with to be of the key and this build.
std::string manifest_head(std::string_view key);
/// The whole text: the first line and one of the origin.
std::string manifest_text(std::string_view head, const FunctionOrigin& origin);
/// Whether the manifest of an entry has that first line; older ones have nothing else.
bool has_manifest_head(std::string_view manifest, std::string_view head);

/// A compiled function that a cache folder keeps.
struct StoredFunction {
  std::string key;
  FunctionOrigin origin;  ///< empty where the entry was made by an older Gnomon, or is damaged
  std::string build;      ///< `build_id` of the Gnomon that made it
  bool current = false;   ///< that is this one: others do not use it
  std::int64_t bytes = 0;
  std::int64_t used = 0;  ///< seconds since 1970
  std::string damage;     ///< why it cannot be used, or ""
};

/// Those of a folder, the one used last first.
std::vector<StoredFunction> stored_functions(const Cache& cache, CacheLook look = CacheLook::sizes);

}  // namespace gnomon
