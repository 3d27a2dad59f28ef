// Looks at the entries of a cache folder one by one, and removes chosen ones.
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "runtime/cache/cache.h"
#include "runtime/cache/cache_file.h"
#include "runtime/cache/cache_folder.h"

namespace gnomon {

namespace {

// The bytes of the objects of a folder, by their names.
std::unordered_map<std::string, std::int64_t> objects_of(const std::vector<CachedFile>& files) {
  std::unordered_map<std::string, std::int64_t> objects;
  for (const CachedFile& file : files)
    if (file.is_object()) objects[file.name] = file.bytes;
  return objects;
}

// The fault of the file of an entry, or "".
std::string fault_of(const CachedFile& file, const std::optional<EntryFile>& entry) {
  if (!is_content_hash(file.stem())) return "its name is no key";
  if (!entry) return "its file is damaged, or others may write it";
  return entry->key == file.stem() ? "" : "it is the entry of another key";
}

// The fault of its object, or "".
std::string fault_of_object(const Descriptor& folder, const EntryFile& entry, CacheLook look) {
  const Descriptor object = open_file(folder, object_name(entry.object), most_object_bytes);
  if (!object) return "its object is no file of the user's own, or others may write it";
  struct stat status{};
  if (::fstat(object.get(), &status) != 0 ||
      static_cast<std::uint64_t>(status.st_size) != entry.object_bytes)
    return "its object is cut short, or longer than it was";
  if (look == CacheLook::contents && !whole_object(folder, entry)) return "its object is damaged";
  return "";
}

}  // namespace

std::vector<ListedEntry> Cache::entries(CacheLook look) const {
  const Descriptor folder = usable(open_folder(folder_), folder_);
  const std::vector<CachedFile> files = list_files(folder);
  const auto objects = objects_of(files);
  std::vector<ListedEntry> entries;
  for (const CachedFile& file : files) {
    if (!file.is_entry()) continue;
    const auto entry = read_entry(folder, file.name);
    ListedEntry listed{file.stem(), "", file.bytes, file.used, fault_of(file, entry)};
    if (entry) {
      listed.manifest = entry->manifest;
      const auto object = objects.find(object_name(entry->object));
      if (object != objects.end()) listed.bytes += object->second;
      if (listed.damage.empty())
        listed.damage = object == objects.end() ? "its object is missing"
                                                : fault_of_object(folder, *entry, look);
    }
    entries.push_back(std::move(listed));
  }
  std::ranges::sort(entries, [](const ListedEntry& a, const ListedEntry& b) {
    return a.used != b.used ? a.used > b.used : a.key < b.key;
  });
  return entries;
}

void Cache::remove_listed(std::span<const std::string> keys) const {
  const Descriptor folder = usable(open_folder(folder_), folder_);
  const std::set<std::string> unwanted(keys.begin(), keys.end());
  const std::vector<CachedFile> files = list_files(folder);
  std::set<std::string> needed;
  for (const CachedFile& file : files) {
    if (!file.is_entry()) continue;
    if (unwanted.contains(file.stem()))
      remove_file(folder, file.name);
    else if (const auto entry = read_entry(folder, file.name))
      needed.insert(object_name(entry->object));
  }
  for (const CachedFile& file : files)
    if (file.is_object() && !needed.contains(file.name)) remove_file(folder, file.name);
}

}  // namespace gnomon
