// How the commands for the cache write what they found.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "frontend/function_manifest.h"

namespace gnomon {

/// What a folder held before and after something was removed.
struct CacheChange {
  CacheStats before, after;
};

/// Functions as a table, with totals below.
std::string table_of(const std::vector<StoredFunction>& functions, const CacheStats& stats);
/// The same as one object of JSON, which names the folder.
std::string json_of(const Cache& cache, const std::vector<StoredFunction>& functions,
                    const CacheStats& stats);

/// "12 functions of 34 were removed, 1.5 MiB of 8 MiB", and as an object of JSON.
std::string text_of(const CacheChange& change);
std::string json_of(const Cache& cache, const CacheChange& change);

/// The text of an object, with something in the place of bytes that are no text.
std::string object_text(const nlohmann::ordered_json& json);

/// "1 function", "2 functions".
std::string counted(std::int64_t functions);

/// A text that a terminal may be given, of a name that may hold anything; "-" for none.
std::string printable(const std::string& name);

}  // namespace gnomon
