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

// Values are rounded to float32, down. A loop for the compiler to vectorise, where `step` is the
// size of a number. Comparisons of NaN are false, so a missing value is not rounded.
template <class T>
SILVA_INLINE void write_keys(const char* from, int64_t step, int64_t n, uint32_t* keys,
                             KeyFacts& facts) {
    uint32_t missing = 0, rounded = 0;
    for (int64_t i = 0; i < n; ++i) {
        T x;
        __builtin_memcpy(&x, from + step * i, sizeof(T));
        const auto near = static_cast<float>(x);
        uint32_t bits, above = 0;
        __builtin_memcpy(&bits, &near, 4);
        if constexpr (sizeof(T) == 8) {
            const auto back = static_cast<double>(near);
            above = back > x ? 1 : 0;
            rounded |= above | (back < x ? 1 : 0);
        }
        const bool absent = static_cast<int32_t>(bits & ~kSign) > static_cast<int32_t>(kInfinity);
        keys[i] = absent ? kMissingKey : key_of_bits(bits) - above;
        missing |= absent ? 1 : 0;
    }
    facts.missing |= missing != 0;
    facts.rounded |= rounded != 0;
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
