// What generated loops assume of the machine: the constants of memory and threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gnomon {

/// Constants of the cost model. These values are good on processors with large caches; `tune`
/// measures those of a machine. They decide how fast a function is and, in products alone, bits.
struct Machine {
  /// How far before its use the memory of a stream is asked for.
  std::int64_t prefetch_bytes = 4096;
  /// Arrays from this size on are not expected in the near caches.
  std::int64_t far_bytes = std::int64_t{1} << 18;
  /// Rows up to this size stay in the caches from one stage to the next, with the row after them.
  std::int64_t resident_row_bytes = std::int64_t{1} << 19;
  /// From so many bytes read and written on, what a kernel writes is gone from the caches before
  /// anyone reads it.
  std::int64_t stream_bytes = std::int64_t{1} << 25;
  /// Products with at most so many rows are kernels of their own.
  std::int64_t few_rows = 48;
  /// Additions that are worth a thread.
  std::int64_t work_of_piece = 131072;

  bool operator==(const Machine&) const = default;
};

/// A constant by its name, and the values a file may give it.
struct MachineConstant {
  std::string_view name;
  std::int64_t Machine::* member;
  std::int64_t least, most;
};

/// All of them, in the order of the structure.
std::span<const MachineConstant> machine_constants();

/// "prefetch_bytes 4096, far_bytes 262144, ...": part of the key of every function.
std::string text(const Machine& machine);

/// The file of a cache folder that holds the constants measured on this machine.
std::string machine_file(const std::string& folder);

/// What the file says, for the processor named; nothing without a file. What it says of another
/// processor, or does not say properly, is not taken, and `problem` tells why.
struct StoredMachine {
  std::optional<Machine> machine;
  std::string problem;
};
StoredMachine read_machine(const std::string& folder, std::string_view processor);

/// Writes the file, whole or not at all; DeviceError when that cannot be done.
void write_machine(const std::string& folder, std::string_view processor, const Machine& machine);

}  // namespace gnomon
