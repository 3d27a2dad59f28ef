// Compares kernels but for their names and comments.
#include "codegen/module/alike.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <tuple>

namespace gnomon {

namespace {

// The bits that a constant of this dtype has.
std::uint64_t bits_of(DType t, Cell value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, size_of(t));
  return bits;
}

bool are_alike(const Axis& a, const Axis& b) {
  const auto all = [](const Axis& x) {
    return std::tie(x.kind, x.width, x.chains, x.masks, x.grain);
  };
  return all(a) == all(b);
}

bool are_alike(const BufferParam& a, const BufferParam& b) {
  const auto all = [](const BufferParam& x) {
    return std::tie(x.dtype, x.writes, x.reads, x.per_worker, x.elements, x.aliased, x.by_value);
  };
  return all(a) == all(b);
}

bool are_alike(const Statement& a, const Statement& b) {
  const auto all = [](const Statement& x) {
    return std::tie(x.code, x.dtype, x.lanes, x.access, x.stream, x.atomic, x.axis, x.buffer,
                    x.number, x.op, x.dim, x.args, x.extents);
  };
  return all(a) == all(b) && bits_of(a.dtype, a.value) == bits_of(b.dtype, b.value);
}

}  // namespace

bool are_alike(const Kernel& a, const Kernel& b) {
  const auto same = [](const auto& x, const auto& y) { return are_alike(x, y); };
  return a.inlined == b.inlined && std::ranges::equal(a.body, b.body, same) &&
         std::ranges::equal(a.axes, b.axes, same) && std::ranges::equal(a.buffers, b.buffers, same);
}

std::size_t hash_of(const Kernel& kernel) {
  std::uint64_t hash = kernel.buffers.size();
  const auto add = [&](std::uint64_t word) { hash = (hash ^ word) * 0x9e3779b97f4a7c15; };
  for (const Statement& s : kernel.body) {
    add(static_cast<std::uint64_t>(s.code) << 32 ^ static_cast<std::uint32_t>(s.buffer));
    add(bits_of(s.dtype, s.value) ^ reinterpret_cast<std::uintptr_t>(s.op));
    for (const std::int32_t a : s.args) add(static_cast<std::uint32_t>(a));
    if (s.code == Code::extent) add(s.dim.hash());
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace gnomon
