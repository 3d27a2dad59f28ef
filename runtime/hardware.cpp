// Reads the files in which Linux describes the machine.
#include "runtime/hardware.h"

#include <fmt/core.h>
#include <sched.h>

#include <charconv>
#include <fstream>
#include <set>

namespace gnomon {

namespace {

constexpr const char* cpus = "/sys/devices/system/cpu/";
constexpr int most_caches = 16;  // that are looked for

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The text behind "name:" in a file of such lines, or "".
std::string value_of(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(name) || colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

// "48K" and "16384 kB" as bytes; 0 for another text.
std::int64_t bytes_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return 0;
  std::string_view unit = text.substr(static_cast<std::size_t>(stop - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (unit.starts_with('K') || unit.starts_with('k')) return number << 10;
  if (unit.starts_with('M')) return number << 20;
  return unit.empty() ? number : 0;
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

std::vector<ProcessorCache> processor_caches() {
  std::vector<ProcessorCache> caches;
  for (int i = 0; i < most_caches; ++i) {
    const std::string folder = fmt::format("{}cpu0/cache/index{}/", cpus, i);
    const std::int64_t bytes = bytes_of(first_line(folder + "size"));
    if (bytes == 0) continue;
    caches.push_back({static_cast<int>(bytes_of(first_line(folder + "level"))),
                      lower(first_line(folder + "type")), bytes,
                      first_line(folder + "shared_cpu_list")});
  }
  return caches;
}

int x86_level() {
#if defined(__x86_64__)
  static const int level = [] {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4")) return 4;
    return __builtin_cpu_supports("x86-64-v3") ? 3 : 1;
  }();
  return level;
#else
  return 1;
#endif
}

std::string processor_model() { return value_of("/proc/cpuinfo", "model name"); }

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  std::set<std::string> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    const std::string threads =
        first_line(fmt::format("{}cpu{}/topology/thread_siblings_list", cpus, cpu));
    if (threads.empty()) return 0;
    cores.insert(threads);
  }
  return static_cast<int>(cores.size());
}

MemorySize memory_size() {
  const std::string path = "/proc/meminfo";
  return {bytes_of(value_of(path, "MemTotal")), bytes_of(value_of(path, "MemAvailable"))};
}

}  // namespace gnomon
