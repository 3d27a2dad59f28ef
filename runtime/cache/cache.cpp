// The disk cache: an entry file per key, an object file per content, both checksummed whole.
#include "runtime/cache/cache.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <time.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/cache/cache_file.h"
#include "runtime/cache/cache_folder.h"
#include "runtime/cache/entry_file.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

namespace fs = std::filesystem;

// Writes the object unless a whole one is there already.
Descriptor put_object(const Descriptor& folder, const EntryFile& entry, std::string_view bytes) {
  if (Descriptor there = whole_object(folder, entry)) return there;
  errno = 0;
  const std::string name = object_name(entry.object);
  return write_file(folder, name, bytes) ? open_file(folder, name, most_object_bytes)
                                         : Descriptor();
}

void check_key(std::string_view key) {
  if (!is_content_hash(key))
    throw ValueError(
        fmt::format("cache: expected a key of 32 hexadecimal digits, found \"{}\"", key));
}

// Files that processes were writing when they ended, of a folder that this one has not swept yet.
void sweep_unfinished(const Descriptor& folder, const fs::path& path) {
  constexpr std::int64_t longest = 3600;  // seconds: nobody writes for so long
  static std::mutex mutex;
  static std::set<fs::path> swept;
  {
    const std::lock_guard lock(mutex);
    if (!swept.insert(path).second) return;
  }
  const std::int64_t oldest = (std::int64_t{::time(nullptr)} - longest) * 1'000'000'000;
  for (const CachedFile& file : list_files(folder))
    if (is_unfinished(file.name) && file.used < oldest) remove_file(folder, file.name);
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Cache::Cache(const fs::path& folder) : folder_(folder.empty() ? default_cache_folder() : folder) {}

std::optional<CacheEntry> Cache::find(std::string_view key) const {
  check_key(key);
  const Descriptor folder = usable(open_folder(folder_), folder_);
  if (!folder) return std::nullopt;
  const std::string name = entry_name(key);
  const Descriptor file = open_file(folder, name, most_entry_bytes);
  const auto text = read_file(file);
  auto entry = text ? parse_entry_file(*text) : std::nullopt;
  if (!entry || entry->key != key) {
    remove_file(folder, name);
    return std::nullopt;
  }
  const std::string object = object_name(entry->object);
  Descriptor whole = whole_object(folder, *entry);
  if (!whole) {
    remove_file(folder, name);
    remove_file(folder, object);
    return std::nullopt;
  }
  // `trim` goes by this time; a folder that is only readable keeps the old one.
  ::futimens(file.get(), nullptr);
  return CacheEntry{std::move(entry->manifest), folder_ / object, std::move(whole), true};
}

CacheEntry Cache::store(std::string_view key, std::string_view manifest,
                        std::span<const char> object) const {
  check_key(key);
  const std::string_view bytes(object.data(), object.size());
  const EntryFile entry{std::string(key), content_hash(bytes), std::string(manifest), bytes.size()};
  const std::string name = object_name(entry.object);
  // The object first: an entry never names a file that is not there yet.
  errno = 0;
  OpenedFolder opened = make_folder(folder_);
  const bool is_safe = opened.problem.empty();
  if (const Descriptor folder = usable(std::move(opened), folder_)) {
    sweep_unfinished(folder, folder_);
    errno = 0;
    if (Descriptor file = put_object(folder, entry, bytes))
      if (write_file(folder, entry_name(key), format_entry_file(entry)))
        return {entry.manifest, folder_ / name, std::move(file), true};
  }
  if (is_safe)
    tell_once(fmt::format(
        "functions are not kept in {}: {}; GNOMON_CACHE_DIR names another folder", folder_.string(),
        errno != 0 ? std::generic_category().message(errno) : "what is written cannot be read"));
  return {entry.manifest, {}, Descriptor(), false};
}

void Cache::remove(std::string_view key) const {
  check_key(key);
  if (const Descriptor folder = usable(open_folder(folder_), folder_))
    remove_file(folder, entry_name(key));
}

void Cache::clear() const {
  const Descriptor folder = usable(open_folder(folder_), folder_);
  for (const CachedFile& file : list_files(folder)) remove_file(folder, file.name);
}

void Cache::trim(std::int64_t bytes) const {
  const Descriptor folder = usable(open_folder(folder_), folder_);
  std::vector<CachedFile> files = list_files(folder);
  std::int64_t total = 0;
  for (const CachedFile& file : files) total += file.bytes;
  if (total <= bytes) return;
  // The most recently used entries stay, with their objects, while they fit.
  std::ranges::sort(files, std::ranges::greater(), &CachedFile::used);
  std::set<std::string> kept;
  std::int64_t held = 0;
  for (const CachedFile& file : files) {
    if (!file.is_entry()) continue;
    const auto entry = read_entry(folder, file.name);
    if (!entry) continue;
    const std::string object = object_name(entry->object);
    const std::int64_t cost =
        file.bytes + (kept.contains(object) ? 0 : static_cast<std::int64_t>(entry->object_bytes));
    if (held + cost > bytes) break;
    held += cost;
    kept.insert({file.name, object});
  }
  // Entries before objects, so that no entry is left without its object.
  std::ranges::partition(files, &CachedFile::is_entry);
  for (const CachedFile& file : files)
    if (!kept.contains(file.name)) remove_file(folder, file.name);
}

CacheStats Cache::stats() const {
  CacheStats stats;
  for (const CachedFile& file : list_files(usable(open_folder(folder_), folder_))) {
    stats.bytes += file.bytes;
    if (file.is_entry()) ++stats.entries;
    if (file.is_object()) ++stats.objects;
  }
  return stats;
}

}  // namespace gnomon
