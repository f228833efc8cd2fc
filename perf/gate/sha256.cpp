#include "sha256.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace selectors::gate {
namespace {

using word = std::uint32_t;
using state = std::array<word, 8>;

// The standard defines its constants as fractional parts of roots of the first primes; they are computed
// rather than typed, and the test vectors hold them to account.
word fraction_bits(long double value) {
  return static_cast<word>((value - std::floor(value)) * 4294967296.0L);
}

template <std::size_t Count, class Root>
std::array<word, Count> prime_roots(Root root) {
  std::array<word, Count> out{};
  std::size_t found = 0;
  for (int candidate = 2; found < Count; ++candidate) {
    bool prime = true;
    for (int d = 2; d * d <= candidate; ++d) prime = prime && candidate % d != 0;
    if (prime) out[found++] = fraction_bits(root(static_cast<long double>(candidate)));
  }
  return out;
}

void mix_block(state& h, std::string_view block) {
  static const auto k = prime_roots<64>([](long double p) { return std::cbrt(p); });
  std::array<word, 64> w{};
  for (std::size_t i = 0; i < 64; ++i) {
    const auto byte = static_cast<word>(static_cast<unsigned char>(block[i]));
    w[i / 4] |= byte << (24 - 8 * (i % 4));
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const word a = w[i - 15];
    const word b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  state s = h;
  for (std::size_t i = 0; i < 64; ++i) {
    const word big_e = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
    const word t1 = s[7] + big_e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
    const word big_a = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
    const word t2 = big_a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
  }
  for (std::size_t i = 0; i < 8; ++i) h[i] += s[i];
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  state h = prime_roots<8>([](long double p) { return std::sqrt(p); });
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  while (bytes.size() >= 64) {
    mix_block(h, bytes.substr(0, 64));
    bytes.remove_prefix(64);
  }
  std::string tail(bytes);
  tail += '\x80';
  tail.resize(tail.size() <= 56 ? 56 : 120, '\0');
  for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>((bits >> shift) & 0xff);
  for (std::size_t at = 0; at < tail.size(); at += 64) mix_block(h, std::string_view(tail).substr(at, 64));
  std::string out;
  for (const word part : h) out += fmt::format("{:08x}", part);
  return out;
}

}  // namespace selectors::gate
