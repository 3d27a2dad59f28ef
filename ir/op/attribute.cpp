// Hash and equality of attributes.
#include "ir/op/attribute.h"

#include <xxhash.h>

#include "ir/graph/hash.h"

namespace gnomon {

namespace {

std::size_t hash_of(const std::string& s) { return XXH3_64bits(s.data(), s.size()); }

std::size_t hash_of(const Array& a) {
  if (!a.defined()) return 0;
  const Array packed = a.contiguous();
  std::size_t h = XXH3_64bits(packed.data(), static_cast<std::size_t>(packed.bytes()));
  h = mix_hash(h, static_cast<std::size_t>(a.dtype()));
  for (const std::int64_t extent : a.shape()) h = mix_hash(h, static_cast<std::size_t>(extent));
  return h;
}

struct Hash {
  std::size_t operator()(std::int64_t v) const { return static_cast<std::size_t>(v); }
  std::size_t operator()(FloatBits v) const { return std::bit_cast<std::uint64_t>(v.value); }
  std::size_t operator()(bool v) const { return v; }
  std::size_t operator()(DType v) const { return static_cast<std::size_t>(v); }
  std::size_t operator()(const IntList& list) const {
    std::size_t h = list.size();
    for (const std::int64_t v : list) h = mix_hash(h, static_cast<std::size_t>(v));
    return h;
  }
  std::size_t operator()(const Shape& shape) const {
    std::size_t h = shape.size();
    for (const Dim& d : shape) h = mix_hash(h, d.hash());
    return h;
  }
  std::size_t operator()(const std::string& s) const { return hash_of(s); }
  std::size_t operator()(const Body& body) const {
    return reinterpret_cast<std::size_t>(body.get());
  }
  std::size_t operator()(const Array& a) const { return hash_of(a); }
  std::size_t operator()(const Opaque& o) const { return mix_hash(o.id, o.version); }
};

bool equal_arrays(const Array& a, const Array& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  return same_bits(a, b);
}

}  // namespace

Attribute::Attribute(std::int64_t v) : storage_(v) {}
Attribute::Attribute(double v) : storage_(FloatBits{v}) {}
Attribute::Attribute(bool v) : storage_(v) {}
Attribute::Attribute(DType v) : storage_(v) {}
Attribute::Attribute(IntList v) : storage_(std::move(v)) {}
Attribute::Attribute(Shape v) : storage_(std::move(v)) {}
Attribute::Attribute(std::string v) : storage_(std::move(v)) {}
Attribute::Attribute(const char* v) : storage_(std::string(v)) {}
Attribute::Attribute(Body v) : storage_(std::move(v)) {}
Attribute::Attribute(Array v) : storage_(std::move(v)) {}
Attribute::Attribute(Opaque v) : storage_(std::move(v)) {}
Attribute::Attribute(const Attribute& other) = default;
Attribute::Attribute(Attribute&& other) noexcept = default;
Attribute& Attribute::operator=(const Attribute& other) = default;
Attribute& Attribute::operator=(Attribute&& other) noexcept = default;
Attribute::~Attribute() = default;

std::size_t Attribute::hash() const {
  return mix_hash(storage_.index(), std::visit(Hash{}, storage_));
}

bool operator==(const Attribute& a, const Attribute& b) {
  if (a.kind() != b.kind()) return false;
  if (a.kind() == Attribute::Kind::array) return equal_arrays(a.array(), b.array());
  return std::visit(
      [&]<class T>(const T& x) {
        if constexpr (std::is_same_v<T, Array>) {
          return false;  // compared above
        } else {
          return x == std::get<T>(b.storage_);
        }
      },
      a.storage_);
}

}  // namespace gnomon
