// Counter-based randomness: a draw is a hash of what it is for, never the next of a stream.
#pragma once

#include <cstdint>

namespace silva {

[[gnu::always_inline]] inline uint64_t mix(uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}
[[gnu::always_inline]] inline uint64_t mix(uint64_t a, uint64_t b) { return mix(mix(a) ^ b); }

// Uniform among 0, ..., n - 1.
inline uint64_t below(uint64_t hash, uint64_t n) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(hash) * n) >> 64);
}
// Uniform in (0, 1].
inline double unit_draw(uint64_t hash) { return static_cast<double>((hash >> 11) + 1) * 0x1p-53; }

// Uniform in (low, high].
inline double random_between(double low, double high, uint64_t hash) {
    const double u = unit_draw(hash);
    const double drawn = low * (1 - u) + high * u;
    return drawn > low && drawn <= high ? drawn : high;
}

}  // namespace silva
