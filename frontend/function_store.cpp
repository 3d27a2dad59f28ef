// Finds and keeps compiled functions in the disk cache.
#include "frontend/function_store.h"

#include <time.h>

#include "frontend/compile_options.h"
#include "frontend/function_manifest.h"
#include "runtime/error.h"
#include "runtime/options.h"

namespace gnomon {

FunctionStore::FunctionStore(const Closed& closed, const CompileOptions& options,
                             const std::optional<MemoryBudget>& budget, const Target& target)
    : cache_(options.cache_folder.empty() ? default_cache_folder() : options.cache_folder),
      key_(cache_key(closed.graph, options, budget, target)),
      manifest_head_(manifest_head(key_)),
      name_(options.name),
      processor_(target.name),
      writes_(options.cache),
      reads_(options.cache && !options.explain && !dump_folder()) {}

std::shared_ptr<Program> FunctionStore::find(const Closed& closed) const {
  if (!reads_) return nullptr;
  const auto entry = cache_.find(key_);
  if (!entry) return nullptr;
  try {
    if (has_manifest_head(entry->manifest, manifest_head_))
      return load(Library::open(entry->file, entry->object), closed);
  } catch (const DeviceError&) {
  }
  cache_.remove(key_);
  return nullptr;
}

std::shared_ptr<const Library> FunctionStore::open(std::span<const char> object) const {
  if (writes_) {
    const FunctionOrigin origin{name_, processor_, std::int64_t{::time(nullptr)}};
    const CacheEntry entry = cache_.store(key_, manifest_text(manifest_head_, origin), object);
    try {
      if (entry.persistent) return Library::open(entry.file, entry.object);
    } catch (const DeviceError&) {
    }
  }
  return Library::open(object);
}

}  // namespace gnomon
