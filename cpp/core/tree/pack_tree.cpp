#include "core/tree/pack_tree.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <type_traits>
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
    static_assert(sizeof(PackedEntry) == 32);
    const auto count = static_cast<int64_t>(entries_.size());
    std::string out(reinterpret_cast<const char*>(&count), sizeof count);
    out.append(reinterpret_cast<const char*>(entries_.data()),
               entries_.size() * sizeof(PackedEntry));
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

namespace {

constexpr int64_t kHeader = sizeof(int64_t);
// Constants take no room, so that small files could stand for any number of entries: all arrays of
// a tree may take so many bytes for each of its own, and so many beyond.
constexpr int64_t kMaxExpanded = 50, kExpandedRoom = 1 << 25;

[[noreturn]] void refuse(std::string_view name, const std::string& why) {
    throw std::invalid_argument(std::string(name) + ": " + why);
}

int64_t width_of(uint32_t encoding) {
    switch (encoding) {
        case kBytes: return 1;
        case kShorts: return 2;
        case kWords: return 4;
        default: return 8;
    }
}

int64_t padded(int64_t size) { return (size + 7) / 8 * 8; }

// Bytes of a block; `count` is small enough not to overflow.
int64_t size_of(const PackedEntry& entry) {
    if (entry.encoding == kConstant) return 0;
    if (entry.encoding == kBits) return (entry.count + 7) / 8;
    const int64_t body = entry.count * width_of(entry.encoding);
    return entry.n_apart == 0 ? body : padded(body) + 8 * entry.n_apart;
}

template <class T>
T read(std::string_view bytes, int64_t index) {
    T value;
    std::memcpy(&value, bytes.data() + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return value;
}

// Calls f(i, difference from the base) for each entry.
template <class Narrow, class F>
void each_narrow(const PackedEntry& entry, std::string_view block, std::string_view name, F&& f) {
    constexpr auto limit = static_cast<Narrow>(~Narrow{0});
    const std::string_view apart = block.substr(block.size() - 8 * entry.n_apart);
    int64_t n_apart = 0;
    for (int64_t i = 0; i < entry.count; ++i) {
        const auto value = read<Narrow>(block, i);
        if (value != limit || entry.n_apart == 0)
            f(i, uint64_t{value});
        else if (n_apart < entry.n_apart)
            f(i, read<uint64_t>(apart, n_apart++));
        else
            refuse(name, "too many entries stand apart");
    }
    if (n_apart != entry.n_apart) refuse(name, "too few entries stand apart");
}

template <class F>
void each_above(const PackedEntry& entry, std::string_view block, std::string_view name, F&& f) {
    switch (entry.encoding) {
        case kBits:
            for (int64_t i = 0; i < entry.count; ++i)
                f(i, static_cast<uint64_t>(static_cast<uint8_t>(block[i / 8]) >> (7 - i % 8) & 1));
            return;
        case kBytes: return each_narrow<uint8_t>(entry, block, name, f);
        case kShorts: return each_narrow<uint16_t>(entry, block, name, f);
        case kWords: return each_narrow<uint32_t>(entry, block, name, f);
        default:
            for (int64_t i = 0; i < entry.count; ++i) f(i, read<uint64_t>(block, i));
    }
}

}  // namespace

UnpackedArrays::UnpackedArrays(std::string_view bytes, const std::vector<std::string>& names)
    : max_entries_((kMaxExpanded * std::ssize(bytes) + kExpandedRoom) / 8) {
    const int64_t size = std::ssize(bytes);
    if (size < kHeader) refuse("tree", "is too short");
    const auto count = read<int64_t>(bytes, 0);
    if (count < 0 || count > std::ssize(names) ||
        kHeader + count * static_cast<int64_t>(sizeof(PackedEntry)) > size)
        refuse("tree", "cannot have " + std::to_string(count) + " arrays");
    const std::string_view entries = bytes.substr(kHeader);
    int64_t begin = kHeader + count * static_cast<int64_t>(sizeof(PackedEntry));
    for (int64_t i = 0; i < count; ++i) {
        const auto entry = read<PackedEntry>(entries, i);
        if (entry.number >= names.size() || places_.contains(names[entry.number]))
            refuse("tree",
                   "array number " + std::to_string(entry.number) + " is not known or comes twice");
        Place place{entry, bytes.substr(begin)};
        check(place, names[entry.number]);
        max_entries_ -= entry.count;
        const int64_t n_bytes = size_of(entry);
        place.block = place.block.substr(0, n_bytes);
        begin += padded(n_bytes);
        if (begin > size) refuse(names[entry.number], "is cut off");
        places_.emplace(names[entry.number], place);
    }
    if (begin != size) refuse("tree", "has more bytes than its arrays");
}

// Whether the entry is possible in the bytes that are left.
void UnpackedArrays::check(const Place& place, std::string_view name) const {
    const auto& [number, encoding, base, count, n_apart] = place.entry;
    const bool has_width = encoding == kBytes || encoding == kShorts || encoding == kWords;
    if (encoding > kWhole) refuse(name, "encoding " + std::to_string(encoding) + " is not known");
    if (n_apart < 0 || n_apart > count || (n_apart > 0 && !has_width))
        refuse(name, "an impossible number of entries stands apart");
    const int64_t room = encoding == kConstant ? max_entries_
                         : encoding == kBits   ? 8 * std::ssize(place.block)
                                               : std::ssize(place.block) / width_of(encoding);
    if (count > std::min(room, max_entries_) || size_of(place.entry) > std::ssize(place.block))
        refuse(name, std::to_string(count) + " entries are more than the tree can have");
}

const UnpackedArrays::Place* UnpackedArrays::find(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : &found->second;
}

template <class T>
std::vector<T> UnpackedArrays::get(std::string_view name) const {
    const Place* place = find(name);
    if (place == nullptr) return {};
    const auto& [entry, block] = *place;
    std::vector<T> out(static_cast<size_t>(entry.count));
    if constexpr (std::is_same_v<T, double>) {
        if (entry.encoding == kConstant)
            std::fill(out.begin(), out.end(), std::bit_cast<double>(entry.base));
        else if (entry.encoding == kWhole)
            std::memcpy(out.data(), block.data(), block.size());
        else
            refuse(name, "is not written as floating point numbers");
    } else {
        bool fits = true;
        const auto put = [&](int64_t i, uint64_t difference) {
            const auto value = static_cast<int64_t>(static_cast<uint64_t>(entry.base) + difference);
            out[i] = static_cast<T>(value);
            fits = fits && out[i] == value;
        };
        if (entry.encoding == kConstant)
            for (int64_t i = 0; i < entry.count; ++i) put(i, 0);
        else
            each_above(entry, block, name, put);
        if (!fits) refuse(name, "holds a number that does not fit its type");
    }
    return out;
}

template std::vector<int8_t> UnpackedArrays::get(std::string_view) const;
template std::vector<int32_t> UnpackedArrays::get(std::string_view) const;
template std::vector<int64_t> UnpackedArrays::get(std::string_view) const;
template std::vector<double> UnpackedArrays::get(std::string_view) const;

const double* UnpackedArrays::whole(std::string_view name) const {
    const Place* place = find(name);
    if (place == nullptr || place->entry.encoding != kWhole) return nullptr;
    return reinterpret_cast<const double*>(place->block.data());
}

std::vector<int64_t> starts_of(const std::vector<int64_t>& lengths) {
    std::vector<int64_t> starts(lengths.size() + 1);
    for (size_t i = 0; i < lengths.size(); ++i) starts[i + 1] = starts[i] + lengths[i];
    return starts;
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
