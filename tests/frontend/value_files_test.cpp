// Files of values: what others write and read, what is damaged, and what is too much.
#include <zlib.h>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/file_support.h"

using namespace gnomon;
using namespace robust;
using gnomon::test::refused;
namespace fs = std::filesystem;

namespace {

NamedArrays samples(bool with_complex) {
  NamedArrays arrays = {
      {"number", Array(-0.0)},
      {"empty", zeros({0, 3}, float32)},
      {"flags", Array::from({true, false, true})},
      {"large", Array::from({INT64_MAX, INT64_MIN})},
      {"unsigned", Array::from({UINT64_MAX})},
      {"half", full({3}, 0.5, float16)},
      {"brain", full({2, 2}, -2.0, bfloat16)},
      {"turned", Array::from({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, {2, 3}).transpose()},
      {"bytes \xc3\xa9 \"/\\", full({5}, 7, uint8)},
      {"short", full({3}, -7, int16)},
  };
  if (with_complex) arrays.emplace_back("z", Array(std::complex<double>(1, -2)));
  return arrays;
}

void check_same(const NamedArrays& found, const NamedArrays& wanted) {
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].first == wanted[i].first);
    CHECK_MESSAGE(same_bits(found[i].second, wanted[i].second.contiguous()), wanted[i].first);
  }
}

std::string bytes_of_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

// What numpy.savez_compressed wrote of a=int16 [1, 2, -3] and f=asfortranarray(2 x 3 doubles).
const char* const of_numpy =
    "504b03042d000000080000002100dea13d36ffffffffffffffff05001400612e6e7079010010008600000000"
    "0000004a000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9369a4aea3a09e965f5452"
    "9498179f5f94920a12774bcc294e058a17672416a402f91ac63a9a3a0ab50a14002e46062686bfff01504b03"
    "042d000000080000002100e4c80660ffffffffffffffff05001400662e6e707901001000b000000000000000"
    "57000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a1aea3a09e965f5452949817"
    "9f5f94920a120f292a4d050a17672416a402b91a463a0ac69a3a0ab50ae4032e0614c0e100a13fd843680128"
    "9f014a8b380000504b01022d032d000000080000002100dea13d364a00000086000000050000000000000000"
    "000000800100000000612e6e7079504b01022d032d000000080000002100e4c80660570000"
    "00b0000000050000000000000000000000800181000000662e6e7079504b05060000000002000200660000000f"
    "0100000000";

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

std::string npy(const std::string& header, const std::string& data) {
  return "\x93NUMPY\x01" + std::string(1, '\0') + number(header.size(), 2) + header + data;
}

const std::string bytes_header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n";

// An archive by the published layout, with what tests want to be wrong in it.
struct Archive {
  struct Member {
    std::string name, packed;
    std::uint64_t size = 0, crc = 0, method = 0, flags = 0;
    bool large = false;  // its sizes stand in the part for large files
  };
  std::vector<Member> members;

  Archive& add(const std::string& name, const std::string& content) {
    const auto* bytes = reinterpret_cast<const Bytef*>(content.data());
    const auto crc = ::crc32(0, bytes, static_cast<uInt>(content.size()));
    members.push_back({name, content, content.size(), crc});
    return *this;
  }
  // The last member deflated.
  Archive& deflate() {
    Member& m = members.back();
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string packed(::deflateBound(&stream, m.packed.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(m.packed.data());
    stream.avail_in = static_cast<uInt>(m.packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    REQUIRE(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    m.packed = packed;
    m.method = 8;
    return *this;
  }
  std::string bytes() const {
    std::string file, directory;
    for (const Member& m : members) {
      const std::string start = number(45, 2) + number(m.flags, 2) + number(m.method, 2) +
                                number(0, 4) + number(m.crc, 4);
      const std::string large =
          m.large ? number(1, 2) + number(16, 2) + number(m.size, 8) + number(m.packed.size(), 8)
                  : "";
      const std::string sizes = m.large ? number(0xffffffff, 4) + number(0xffffffff, 4)
                                        : number(m.packed.size(), 4) + number(m.size, 4);
      const std::string lengths = number(m.name.size(), 2) + number(large.size(), 2);
      directory += "PK\1\2" + number(45, 2) + start + sizes + lengths + number(0, 10) +
                   number(file.size(), 4) + m.name + large;
      file += "PK\3\4" + start + sizes + lengths + m.name + large + m.packed;
    }
    const std::uint64_t at = file.size(), count = members.size();
    return file + directory + "PK\5\6" + number(0, 4) + number(count, 2) + number(count, 2) +
           number(directory.size(), 4) + number(at, 4) + number(0, 2);
  }
};

}  // namespace

TEST_CASE("arrays come back in both formats, in their order, and alone in their folder") {
  const Folder f;
  for (const char* name : {"w.npz", "w.safetensors"}) {
    const NamedArrays arrays = samples(std::string_view(name) == "w.npz");
    save_values(f.path / name, arrays);
    check_same(load_values(f.path / name), arrays);
    CHECK(array_named(load_values(f.path / name), "large").data<std::int64_t>()[0] == INT64_MAX);
  }
  CHECK_THROWS_AS(array_named({}, "w"), ValueError);
  CHECK(std::distance(fs::directory_iterator(f.path), fs::directory_iterator()) == 2);
}

TEST_CASE("what NumPy wrote is read") {
  const Folder f;
  spill(f.path / "a.npz", bytes_of_hex(of_numpy));
  const NamedArrays found = load_values(f.path / "a.npz");
  check_same(found, {{"a", Array::from<std::int16_t>({1, 2, -3})},
                     {"f", Array::from({0.0, 1.0, 2.0, 3.0, 4.0, 5.0}, {2, 3})}});
}

TEST_CASE("safetensors has the published layout") {
  const Folder f;
  save_values(f.path / "w.safetensors", {{"b", full({2}, 3, int8)}, {"a", Array::from({1.5})}});
  const std::string head = R"({"b":{"dtype":"I8","shape":[2],"data_offsets":[8,10]},)"
                           R"("a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})";
  const std::string padding((8 - head.size() % 8) % 8, ' ');
  const double number_a = 1.5;
  CHECK(slurp(f.path / "w.safetensors") ==
        number(head.size() + padding.size(), 8) + head + padding +
            std::string(reinterpret_cast<const char*>(&number_a), 8) + "\3\3");
}

TEST_CASE("archives are read as the format has them: deflated, large, behind something else") {
  const Folder f;
  const fs::path path = f.path / "a.npz";
  const std::string content = npy(bytes_header, "\1\2");
  Archive archive;
  archive.add("a.npy", content).add("b.npy", content).deflate();
  archive.members[0].large = true;
  const NamedArrays wanted = {{"a", Array::from<std::uint8_t>({1, 2})},
                              {"b", Array::from<std::uint8_t>({1, 2})}};
  spill(path, archive.bytes());
  check_same(load_values(path), wanted);
  spill(path, "what stands before" + archive.bytes());
  check_same(load_values(path), wanted);

  // More than the reader unpacks at once, of bytes that do and do not repeat.
  constexpr std::int64_t count = 300'000;
  Array many = zeros({count}, uint8);
  for (std::int64_t i = 0; i < count; i += i < count / 2 ? 1 : 1000)
    many.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * i / 7);
  const std::string data(reinterpret_cast<const char*>(many.data<std::uint8_t>()), count);
  Archive large;
  large.add("m.npy", npy("{'descr':'|u1','fortran_order':False,'shape':(300000,)}", data));
  spill(path, large.deflate().bytes());
  check_same(load_values(path), {{"m", many}});
}

TEST_CASE("an archive may have more members than 16 bits count") {
  const Folder f;
  NamedArrays many;
  for (std::int64_t i = 0; i < 66'000; ++i) many.emplace_back(std::to_string(i), Array(i));
  save_values(f.path / "m.npz", many);
  check_same(load_values(f.path / "m.npz", std::int64_t{1} << 40), many);
}

TEST_CASE("every truncation of a file of values is found") {
  const Folder f;
  for (const char* name : {"w.npz", "w.safetensors"}) {
    const fs::path path = f.path / name;
    save_values(path, {{"a", zeros({5}, float64)}, {"b", ones({2, 2}, int32)}});
    const std::string whole = slurp(path);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      spill(path, whole.substr(0, size));
      CHECK_MESSAGE(refused(ValueError(""), "load: " + path.string(), [&] { load_values(path); }),
                    size);
    }
  }
}

TEST_CASE("each damage of an archive is found and named") {
  struct Case {
    const char* told;
    std::function<void(Archive&)> damage;
  };
  const Case cases[] = {
      {"Bad CRC-32 for file 'a.npy'", [](Archive& a) { a.members[0].packed.back() ^= 1; }},
      {"a: packed in a way", [](Archive& a) { a.members[0].method = 12; }},
      {"encrypted", [](Archive& a) { a.members[0].flags = 1; }},
      {"a: there are two of that name", [](Archive& a) { a.members.push_back(a.members[0]); }},
      {"two sizes", [](Archive& a) { a.members[0].size = 1; }},
      {"not UTF-8", [](Archive& a) { a.members[0].name = "\xff"; }},
      {"a: expected 2 elements of uint8, found less",
       [](Archive& a) {
         a.deflate();
         a.members[0].packed.resize(a.members[0].packed.size() - 4);
       }},
      {"Error -3 while decompressing data: invalid block type",
       [](Archive& a) { a.deflate().members[0].packed = "\xff\xff\xff"; }},
      {"a: expected 2 elements of uint8, found another size",
       [](Archive& a) {
         a.members.clear();
         a.add("a.npy", npy(bytes_header, "\1\2\3"));
       }},
      {"a: expected an array in the .npy format",
       [](Archive& a) {
         a.members.clear();
         a.add("a.npy", "no array");
       }},
  };
  const Folder f;
  for (const Case& c : cases) {
    Archive archive;
    archive.add("a.npy", npy(bytes_header, "\1\2"));
    c.damage(archive);
    spill(f.path / "a.npz", archive.bytes());
    CHECK_MESSAGE(refused(ValueError(""), c.told, [&] { load_values(f.path / "a.npz"); }), c.told);
  }
  // The places that the directory tells: of itself, and of a member.
  const std::string whole = Archive().add("a.npy", npy(bytes_header, "\1\2")).bytes();
  for (const std::size_t from_end : {6, 10, 26 + 5}) {
    std::string bytes = whole;
    bytes.replace(bytes.size() - from_end, 4, "\xff\xff\xff\x7f");
    spill(f.path / "a.npz", bytes);
    CHECK(refused(ValueError(""), "not a whole .npz file", [&] { load_values(f.path / "a.npz"); }));
  }
}

TEST_CASE("headers of .npy are not trusted") {
  const Folder f;
  for (const char* header :
       {"{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1 1), }",
        "{'descr': '<f8', 'fortran_order': 3, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775808,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4611686018427387904, 4), }",
        "{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", "{'descr': '<f8'}",
        "{'descr': '<f8", "{'descr': (((", "{", "__import__('os')", "(((", ""}) {
    spill(f.path / "w.npz", Archive().add("a.npy", npy(header, std::string(8, '\0'))).bytes());
    CHECK_MESSAGE(refused(ValueError(""), "w.npz: a: ", [&] { load_values(f.path / "w.npz"); }),
                  header);
  }
}

TEST_CASE("headers of safetensors are not trusted") {
  const Folder f;
  for (const std::string& header : std::initializer_list<std::string>{
           R"({"a":{"dtype":"F64","shape":[2],"data_offsets":[0,8]}})",
           R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[8,16]}})",
           R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[8,0]}})",
           R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
           R"("b":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})",
           R"({"a":{"dtype":"F128","shape":[1],"data_offsets":[0,8]}})",
           R"({"a":{"dtype":"","shape":[1],"data_offsets":[0,8]}})",
           R"({"a":{"dtype":5,"shape":[1],"data_offsets":[0,8]}})",
           R"({"a":{"dtype":"F64","shape":[-1],"data_offsets":[0,-8]}})",
           R"({"a":{"dtype":"F64","shape":[1.0],"data_offsets":[0,8]}})",
           R"({"a":{"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,8]}})",
           R"({"a":{"dtype":"F64","shape":[18446744073709551615],"data_offsets":[0,8]}})",
           R"({"a":{"dtype":"F64","shape":"x","data_offsets":[0,8]}})",
           R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0]}})", R"({"a":[]})", "[]", "{",
           "{\"\xff\":1}", std::string(100'000, '[')}) {
    spill(f.path / "w.safetensors", number(header.size(), 8) + header + std::string(8, '\0'));
    CHECK_MESSAGE(
        refused(ValueError(""), "w.safetensors", [&] { load_values(f.path / "w.safetensors"); }),
        header.substr(0, 100));
  }
}

TEST_CASE("what an archive unpacks to is limited") {
  const Folder f;
  const fs::path path = f.path / "a.npz";
  Archive archive;
  archive.add("a.npy", npy(bytes_header, "\1\2"));
  spill(path, archive.bytes());
  const auto size = static_cast<std::int64_t>(archive.members[0].size);
  CHECK(load_values(path, size).size() == 1);
  for (const std::int64_t most : {size - 1, std::int64_t{0}, std::int64_t{-1}})
    CHECK(refused(ValueError(""), "give most_bytes to load it", [&] { load_values(path, most); }));
  // A directory that claims more than anybody has: nothing is made for it.
  archive.members[0].size = std::uint64_t{1} << 40;
  archive.members[0].large = true;
  archive.members[0].method = 8;
  spill(path, archive.bytes());
  CHECK(refused(ValueError(""), "unpacks to 1099511627776 bytes, more than 1073741824",
                [&] { load_values(path); }));
}

TEST_CASE("files that cannot be read or written are told with the system's number") {
  const Folder f;
  const auto code = [](const std::function<void()>& action) {
    try {
      action();
    } catch (const FileError& error) {
      return error.code();
    }
    return 0;
  };
  CHECK(code([&] { load_values(f.path / "none.npz"); }) == ENOENT);
  CHECK(code([&] { save_values(f.path / "none" / "a.npz", {}); }) == ENOENT);
  fs::create_directory(f.path / "d.npz");
  CHECK(code([&] { load_values(f.path / "d.npz"); }) == EISDIR);
  CHECK(code([&] { save_values(f.path / "d.npz", {}); }) == EISDIR);
  CHECK(std::distance(fs::directory_iterator(f.path), fs::directory_iterator()) == 1);
}

TEST_CASE("what a format does not have is refused, and the old file stays") {
  const Folder f;
  const fs::path path = f.path / "w.safetensors";
  save_values(path, {{"a", Array(1.0)}});
  const std::string before = slurp(path);
  const Array one(1.0);
  for (const NamedArrays& arrays :
       {NamedArrays{{"z", Array(std::complex<double>(1, 2))}}, NamedArrays{{"__metadata__", one}},
        NamedArrays{{"a", one}, {"a", one}}, NamedArrays{{"\xff", one}}, NamedArrays{{"a", {}}}})
    CHECK_THROWS_AS(save_values(path, arrays), ValueError);
  CHECK(slurp(path) == before);
  CHECK_THROWS_AS(save_values(f.path / "w.txt", {}), ValueError);
  CHECK_THROWS_AS(load_values(path.parent_path()), ValueError);
  CHECK(std::distance(fs::directory_iterator(f.path), fs::directory_iterator()) == 1);
}
