// The algorithm as the standard has it: blocks of 64 bytes, 64 rounds each.
#include "frontend/files/sha256.h"

#include <bit>
#include <string>

namespace gnomon {

namespace {

constexpr int rounds = 64;

constexpr auto primes = [] {
  std::array<int, rounds> found{};
  int count = 0;
  for (int n = 2; count < rounds; ++n) {
    bool is_prime = true;
    for (int i = 0; i < count; ++i) is_prime = is_prime && n % found[i] != 0;
    if (is_prime) found[count++] = n;
  }
  return found;
}();

// The first 32 bits behind the point of the root of order `order` of n: the largest r with
// r^order <= n * 2^(32 order), without what stands before the point.
constexpr std::uint32_t root_bits(int n, int order) {
  using Wide = unsigned __int128;
  Wide root = 0;
  for (int bit = 36; bit >= 0; --bit) {
    const Wide tried = root | Wide{1} << bit;
    const Wide power = order == 2 ? tried * tried : tried * tried * tried;
    if (power <= Wide(n) << (32 * order)) root = tried;
  }
  return static_cast<std::uint32_t>(root);
}

constexpr auto round_constants = [] {
  std::array<std::uint32_t, rounds> all{};
  for (int i = 0; i < rounds; ++i) all[i] = root_bits(primes[i], 3);
  return all;
}();

using State = std::array<std::uint32_t, 8>;

constexpr State first_state = [] {
  State state{};
  for (int i = 0; i < 8; ++i) state[i] = root_bits(primes[i], 2);
  return state;
}();

void add_block(State& state, const unsigned char* block) {
  using std::rotr;
  std::array<std::uint32_t, rounds> w;
  for (int i = 0; i < 16; ++i)
    w[i] = std::uint32_t{block[4 * i]} << 24 | std::uint32_t{block[4 * i + 1]} << 16 |
           std::uint32_t{block[4 * i + 2]} << 8 | block[4 * i + 3];
  for (int i = 16; i < rounds; ++i) {
    const std::uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (rotr(a, 7) ^ rotr(a, 18) ^ a >> 3) + w[i - 7] +
           (rotr(b, 17) ^ rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (int i = 0; i < rounds; ++i) {
    const std::uint32_t t = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                            round_constants[i] + w[i];
    const std::uint32_t u =
        (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t, d = c, c = b, b = a, a = t + u;
  }
  const State added = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state[i] += added[i];
}

}  // namespace

std::array<std::uint8_t, 32> sha256_of(std::string_view bytes) {
  // Behind the bytes a one, zeros, and the number of bits.
  const std::size_t whole = bytes.size() / 64 * 64;
  std::string rest(bytes.substr(whole));
  rest += '\x80';
  while (rest.size() % 64 != 56) rest += '\0';
  for (int shift = 56; shift >= 0; shift -= 8)
    rest += static_cast<char>(std::uint64_t{bytes.size()} * 8 >> shift & 0xff);
  State state = first_state;
  for (const std::string_view part : {bytes.substr(0, whole), std::string_view(rest)})
    for (std::size_t at = 0; at < part.size(); at += 64)
      add_block(state, reinterpret_cast<const unsigned char*>(part.data() + at));
  std::array<std::uint8_t, 32> digest;
  for (int i = 0; i < 32; ++i)
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - i % 4 * 8));
  return digest;
}

}  // namespace gnomon
