#include "core/simd/vec.hpp"
#include "core/simd/walk.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

constexpr uint32_t kSign = 0x80000000u, kInfinity = 0x7F800000u;

// The bits of a float as an integer of the same order; both zeros are one key.
SILVA_INLINE uint32_t key_of_bits(uint32_t bits) {
    const auto sign = static_cast<uint32_t>(static_cast<int32_t>(bits) >> 31);
    return ((bits ^ sign) - sign) ^ (kSign & ~sign);
}

// Both loops are for the compiler to turn into vectors, where `step` is the size of a number.
SILVA_INLINE void write_floats(const char* from, int64_t step, int64_t n, uint32_t* keys,
                               KeyFacts& facts) {
    uint32_t missing = 0;
    for (int64_t i = 0; i < n; ++i) {
        uint32_t bits;
        __builtin_memcpy(&bits, from + step * i, 4);
        const bool absent = static_cast<int32_t>(bits & ~kSign) > static_cast<int32_t>(kInfinity);
        keys[i] = absent ? kMissingKey : key_of_bits(bits);
        missing |= absent ? 1 : 0;
    }
    facts.missing |= missing != 0;
}

// Rounded to float32, down. Comparisons of NaN are false, so a missing value is rounded nowhere.
SILVA_INLINE void write_doubles(const char* from, int64_t step, int64_t n, uint32_t* keys,
                                KeyFacts& facts) {
    uint32_t missing = 0, rounded = 0;
    for (int64_t i = 0; i < n; ++i) {
        double x;
        __builtin_memcpy(&x, from + step * i, 8);
        const auto near = static_cast<float>(x);
        const auto back = static_cast<double>(near);
        uint32_t bits;
        __builtin_memcpy(&bits, &near, 4);
        const uint32_t above = back > x ? 1 : 0, below = back < x ? 1 : 0;
        const bool absent = static_cast<int32_t>(bits & ~kSign) > static_cast<int32_t>(kInfinity);
        keys[i] = absent ? kMissingKey : key_of_bits(bits) - above;
        missing |= absent ? 1 : 0;
        rounded |= above | below;
    }
    facts.missing |= missing != 0;
    facts.rounded |= rounded != 0;
}

template <class T>
SILVA_INLINE void write_keys(const char* from, int64_t step, int64_t n, uint32_t* keys,
                             KeyFacts& facts) {
    if constexpr (sizeof(T) == 4)
        write_floats(from, step, n, keys, facts);
    else
        write_doubles(from, step, n, keys, facts);
}

template <class T>
KeyFacts keys_of(const char* rows, int64_t stride, int64_t n, int64_t width, uint32_t* keys) {
    constexpr int64_t size = sizeof(T);
    KeyFacts facts;
    if (stride == width * size)
        write_keys<T>(rows, size, n * width, keys, facts);
    else if (width == 1)
        write_keys<T>(rows, stride, n, keys, facts);
    else
        for (int64_t i = 0; i < n; ++i)
            write_keys<T>(rows + i * stride, size, width, keys + i * width, facts);
    return facts;
}

}  // namespace

KeyKernels key_kernels() { return {keys_of<float>, keys_of<double>}; }

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
