// Some of the rows that lie side by side: those whose bits are set, 64 a word.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "core/base/array.hpp"
#include "core/columns/split_values.hpp"
#include "core/simd/kernels.hpp"

namespace silva {

// Calls f with each row that counts.
template <class F>
void for_each_row(std::span<const uint64_t> rows, F&& f) {
    for (size_t word = 0; word < rows.size(); ++word)
        for (uint64_t rest = rows[word]; rest != 0; rest &= rest - 1)
            f(static_cast<int64_t>(64 * word) + std::countr_zero(rest));
}

// Copies the values of the rows that count, n of them, in their order; may write a register more.
class MarkedCopy {
  public:
    MarkedCopy(std::span<const uint64_t> rows, int64_t n, Array<uint32_t>& spare,
               bool must_list = false);

    template <class T>
    void operator()(const T* values, T* out) const {
        if (is_dense_) return pack(values, out);
        pick(values, out);
    }
    // The same of any entries, where the rows are listed.
    template <class T>
    void pick_listed(const T* values, T* out) const {
        for (const uint32_t row : listed_) *out++ = values[row];
    }
    // The same of bits; those beyond the last row are zeros.
    void bits(const uint64_t* values, uint64_t* out) const {
        simd::kernels().marked.bits(values, rows_.data(), std::ssize(rows_), out);
    }
    int64_t size() const { return n_; }
    // The rows, where they are listed; followed by some more numbers of rows.
    std::span<const uint32_t> listed() const { return listed_; }

  private:
    void pack(const uint8_t* values, uint8_t* out) const {
        simd::kernels().marked.copy_8(values, rows_.data(), std::ssize(rows_), out);
    }
    void pack(const uint16_t* values, uint16_t* out) const {
        simd::kernels().marked.copy_16(values, rows_.data(), std::ssize(rows_), out);
    }
    void pack(const uint32_t* values, uint32_t* out) const {
        simd::kernels().marked.copy_32(values, rows_.data(), std::ssize(rows_), out);
    }
    void pack(const uint64_t* values, uint64_t* out) const {
        simd::kernels().marked.copy_64(values, rows_.data(), std::ssize(rows_), out);
    }
    void pick(const uint8_t* values, uint8_t* out) const {
        simd::kernels().marked.pick_8(values, listed_.data(), std::ssize(listed_), out);
    }
    void pick(const uint16_t* values, uint16_t* out) const {
        simd::kernels().marked.pick_16(values, listed_.data(), std::ssize(listed_), out);
    }
    void pick(const uint32_t* values, uint32_t* out) const {
        simd::kernels().marked.pick_32(values, listed_.data(), std::ssize(listed_), out);
    }
    void pick(const uint64_t* values, uint64_t* out) const {
        simd::kernels().marked.pick_64(values, listed_.data(), std::ssize(listed_), out);
    }

    std::span<const uint64_t> rows_;
    int64_t n_;
    bool is_dense_;
    std::span<const uint32_t> listed_;
};

}  // namespace silva
