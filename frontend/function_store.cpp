// Finds and keeps compiled functions in the disk cache.
#include "frontend/function_store.h"

#include <fmt/format.h>
#include <time.h>

#include "frontend/compile_options.h"
#include "frontend/function_manifest.h"
#include "runtime/error.h"
#include "runtime/log.h"
#include "runtime/options.h"

namespace gnomon {

FunctionStore::FunctionStore(const Closed& closed, const CompileOptions& options,
                             const std::optional<MemoryBudget>& budget, const Target& target)
    : cache_(std::string(options.cache_folder)),
      key_(cache_key(closed.graph, options, budget, target)),
      manifest_head_(manifest_head(key_)),
      name_(options.name),
      processor_(target.name),
      writes_(options.cache),
      reads_(options.cache && !options.explain && !dump_folder()) {}

void FunctionStore::tell(std::string_view what) const {
  if (logs(LogSubject::cache))
    log(LogSubject::cache,
        fmt::format("{}: {}: {}", name_.empty() ? "a function" : name_, key_, what));
}

std::shared_ptr<Program> FunctionStore::find(const Closed& closed) const {
  if (!reads_) {
    tell(!writes_ ? "not looked for: the option cache is off"
                  : "not looked for: stages are to be explained or dumped");
    return nullptr;
  }
  const auto entry = cache_.find(key_);
  if (!entry) {
    tell("miss: no such entry");
    return nullptr;
  }
  try {
    if (has_manifest_head(entry->manifest, manifest_head_)) {
      std::shared_ptr<Program> program = load(Library::open(entry->file, entry->object), closed);
      tell("hit");
      return program;
    }
    tell("miss: the entry is of another build");
  } catch (const DeviceError& error) {
    tell(fmt::format("miss: the entry cannot be used: {}", error.what()));
  }
  cache_.remove(key_);
  return nullptr;
}

std::shared_ptr<const Library> FunctionStore::open(std::span<const char> object) const {
  if (writes_) {
    const FunctionOrigin origin{name_, processor_, std::int64_t{::time(nullptr)}};
    const CacheEntry entry = cache_.store(key_, manifest_text(manifest_head_, origin), object);
    tell(entry.persistent ? fmt::format("stored: {} bytes", object.size())
                          : fmt::format("not stored: {} cannot be written or is not safe",
                                        cache_.folder().string()));
    try {
      if (entry.persistent) return Library::open(entry.file, entry.object);
    } catch (const DeviceError&) {
    }
  }
  return Library::open(object);
}

}  // namespace gnomon
