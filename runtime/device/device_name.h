// What users call devices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gnomon {

/// What a user calls a device.
struct DeviceName {
  enum class Kind : std::uint8_t { cpu, cuda, sim };
  Kind kind = Kind::cpu;
  int number = 0;

  bool is_simulated() const { return kind == Kind::sim; }
  bool is_host() const { return kind == Kind::cpu; }
  std::string text() const;
  friend bool operator==(const DeviceName&, const DeviceName&) = default;
};

/// "cpu", "cuda", "cuda:1", "sim", "sim:1". ValueError for another text.
DeviceName device_named(std::string_view text);

}  // namespace gnomon
