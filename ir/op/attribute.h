// The attributes of a node: values of a closed variant, declared by the op's record.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/op/type.h"
#include "runtime/arrays/array.h"

namespace gnomon {

class Graph;
/// A closed body. Equal bodies are one object: compare by pointer.
using Body = std::shared_ptr<const Graph>;

/// State of an op made at run time, a leaf's identity, a shared variable: compared by id.
struct Opaque {
  std::uint64_t id = 0;
  std::uint64_t version = 0;
  std::shared_ptr<const void> object;
  friend bool operator==(const Opaque& a, const Opaque& b) {
    return a.id == b.id && a.version == b.version;
  }
};

/// A double compared by its bits: -0 is not 0, a NaN equals itself.
struct FloatBits {
  double value = 0;
  friend bool operator==(FloatBits a, FloatBits b) {
    return std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
  }
};

using IntList = std::vector<std::int64_t>;

class Attribute {
 public:
  enum class Kind : std::uint8_t {
    integer,
    real,
    flag,
    dtype,
    int_list,
    dim_list,
    string,
    body,
    array,
    opaque
  };
  using Storage = std::variant<std::int64_t, FloatBits, bool, DType, IntList, Shape, std::string,
                               Body, Array, Opaque>;

  // Defined elsewhere: who includes this need not compile a variant's functions.
  Attribute(std::int64_t v);
  Attribute(int v) : Attribute(std::int64_t{v}) {}
  Attribute(double v);
  Attribute(bool v);
  Attribute(DType v);
  Attribute(IntList v);
  Attribute(Shape v);
  Attribute(std::string v);
  Attribute(const char* v);
  Attribute(Body v);
  Attribute(Array v);
  Attribute(Opaque v);
  Attribute(const Attribute& other);
  Attribute(Attribute&& other) noexcept;
  Attribute& operator=(const Attribute& other);
  Attribute& operator=(Attribute&& other) noexcept;
  ~Attribute();

  Kind kind() const { return static_cast<Kind>(storage_.index()); }
  std::int64_t integer() const { return std::get<std::int64_t>(storage_); }
  double real() const { return std::get<FloatBits>(storage_).value; }
  bool flag() const { return std::get<bool>(storage_); }
  DType dtype() const { return std::get<DType>(storage_); }
  const IntList& ints() const { return std::get<IntList>(storage_); }
  const Shape& dims() const { return std::get<Shape>(storage_); }
  const std::string& string() const { return std::get<std::string>(storage_); }
  const Body& body() const { return std::get<Body>(storage_); }
  const Array& array() const { return std::get<Array>(storage_); }
  const Opaque& opaque() const { return std::get<Opaque>(storage_); }

  std::size_t hash() const;
  /// Arrays compare by dtype, shape and bits.
  friend bool operator==(const Attribute& a, const Attribute& b);

 private:
  Storage storage_;
};

using Attributes = std::vector<Attribute>;

/// One declared attribute: `{"axes", Attribute::Kind::int_list}`.
struct AttributeSpec {
  std::string_view name;
  Attribute::Kind kind = Attribute::Kind::integer;
};

/// A constant list of declarations.
struct AttributeSpecs {
  std::array<AttributeSpec, 6> specs{};
  int count = 0;
  constexpr AttributeSpecs() = default;
  constexpr AttributeSpecs(std::initializer_list<AttributeSpec> list) {
    for (const AttributeSpec& spec : list) specs[count++] = spec;
  }
  constexpr const AttributeSpec* begin() const { return specs.data(); }
  constexpr const AttributeSpec* end() const { return specs.data() + count; }
};

}  // namespace gnomon
