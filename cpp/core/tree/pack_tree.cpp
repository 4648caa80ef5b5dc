#include "core/tree/pack_tree.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace silva {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

template <class T>
uint64_t above(T value, T low) {
    return static_cast<uint64_t>(value) - static_cast<uint64_t>(low);
}

std::vector<double> gains_of_splits(const TreeArrays& tree) {
    if (tree.gain.size() < tree.split_kind.size()) return tree.gain;
    std::vector<double> gains(tree.gain.size() + 1);
    size_t n = 0;
    for (size_t node = 0; node < tree.gain.size(); ++node) {
        gains[n] = tree.gain[node];
        n += tree.split_kind[node] != static_cast<int8_t>(SplitKind::leaf) ? 1 : 0;
    }
    gains.resize(n);
    return gains;
}

std::vector<int64_t> lengths_of(const std::vector<int64_t>& starts) {
    std::vector<int64_t> lengths(starts.size() - 1);
    for (size_t i = 0; i < lengths.size(); ++i) lengths[i] = starts[i + 1] - starts[i];
    return lengths;
}

}  // namespace

void PackedArrays::put(uint32_t number, std::span<const int8_t> values) {
    put_integers(number, values);
}
void PackedArrays::put(uint32_t number, std::span<const int32_t> values) {
    put_integers(number, values);
}
void PackedArrays::put(uint32_t number, std::span<const int64_t> values) {
    put_integers(number, values);
}

void PackedArrays::put(uint32_t number, std::span<const double> values) {
    if (values.empty()) return;
    const auto bits_of = [](double value) { return std::bit_cast<int64_t>(value); };
    const int64_t first = bits_of(values[0]), count = static_cast<int64_t>(values.size());
    const bool constant = std::all_of(values.begin(), values.end(),
                                      [&](double value) { return bits_of(value) == first; });
    if (constant) {
        entries_.push_back({number, kConstant, first, count, 0});
        return;
    }
    entries_.push_back({number, kWhole, 0, count, 0});
    append(values);
}

std::string PackedArrays::bytes() const {
    static_assert(sizeof(Entry) == 32);
    const auto count = static_cast<int64_t>(entries_.size());
    std::string out(reinterpret_cast<const char*>(&count), sizeof count);
    out.append(reinterpret_cast<const char*>(entries_.data()), entries_.size() * sizeof(Entry));
    return out + blocks_;
}

template <class T>
void PackedArrays::put_integers(uint32_t number, std::span<const T> values) {
    if (values.empty()) return;
    const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
    const T low = *lowest;
    const uint64_t range = above(*highest, low);
    const Width width = range == 0   ? Width{kConstant}
                        : range == 1 ? Width{kBits}
                                     : best_width(values, low, range);
    entries_.push_back(
        {number, width.encoding, low, static_cast<int64_t>(values.size()), width.n_apart});
    switch (width.encoding) {
        case kConstant: return;
        case kBits: return append_bits(values, low);
        case kBytes: return append_narrow<uint8_t>(values, low, width.n_apart);
        case kShorts: return append_narrow<uint16_t>(values, low, width.n_apart);
        case kWords: return append_narrow<uint32_t>(values, low, width.n_apart);
        case kWhole: return append_narrow<uint64_t>(values, low, 0);
    }
}

template <class T>
void PackedArrays::append_bits(std::span<const T> values, T low) {
    std::vector<uint8_t> bytes((values.size() + 7) / 8);
    for (size_t i = 0; i < values.size(); ++i)
        bytes[i / 8] |= static_cast<uint8_t>((values[i] != low ? 0x80 : 0) >> (i % 8));
    append(std::span<const uint8_t>(bytes));
}

// The first of the widths with the fewest bytes.
template <class T>
PackedArrays::Width PackedArrays::best_width(std::span<const T> values, T low, uint64_t range) {
    Width best;
    size_t fewest = 8 * values.size();
    for (const auto& [encoding, bytes] : {std::pair{kBytes, 1}, {kShorts, 2}, {kWords, 4}}) {
        const uint64_t limit = (uint64_t{1} << (8 * bytes)) - 1;
        size_t size = values.size() * static_cast<size_t>(bytes);
        if (range < limit) return size <= fewest ? Width{encoding, 0} : best;
        const auto n_apart = std::count_if(
            values.begin(), values.end(), [&, low](T value) { return above(value, low) >= limit; });
        size += 8 * static_cast<size_t>(n_apart) + 7;
        if (size >= fewest) continue;
        fewest = size;
        best = {encoding, n_apart};
    }
    return best;
}

template <class Narrow, class T>
void PackedArrays::append_narrow(std::span<const T> values, T low, int64_t n_apart) {
    constexpr auto limit = static_cast<Narrow>(~Narrow{0});
    std::vector<Narrow> narrow(values.size());
    for (size_t i = 0; i < values.size(); ++i)
        narrow[i] = static_cast<Narrow>(std::min<uint64_t>(above(values[i], low), limit));
    append(std::span<const Narrow>(narrow));
    if (n_apart == 0) return;
    std::vector<uint64_t> apart;
    for (const T value : values)
        if (above(value, low) >= limit) apart.push_back(above(value, low));
    append(std::span<const uint64_t>(apart));
}

template <class T>
void PackedArrays::append(std::span<const T> values) {
    blocks_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    blocks_.append((8 - blocks_.size() % 8) % 8, '\0');
}

std::string pack_tree(const TreeArrays& tree, double weight_unit, const ArrayNumbers& numbers) {
    PackedArrays packed;
    const auto put = [&](std::string_view name, const auto& values) {
        const auto number = numbers.find(name);
        if (number == numbers.end())
            throw std::invalid_argument(std::string(name) + " has no number");
        if constexpr (std::is_same_v<decltype(values), const std::vector<int64_t>&>)
            if (name.ends_with("_start")) return packed.put(number->second, lengths_of(values));
        packed.put(number->second, values);
    };
    put("split_kind", tree.split_kind);
    put("gain", gains_of_splits(tree));
    put("leaf_rows", tree.leaf_rows);
    each_split_array(tree, put);
    put("class_start", tree.class_start);
    put("class_code", tree.class_code);
    put("class_weight", tree.class_weight);
    put("numbers", std::vector<double>{weight_unit});
    return packed.bytes();
}

}  // namespace silva
