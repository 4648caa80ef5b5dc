#include "core/tree/pack_tree.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace silva {
namespace {

enum Writing : uint32_t { kConstant, kBits, kBytes, kShorts, kWords, kWhole };

struct Entry {
    uint32_t name, how;
    int64_t base, count, n_apart;
};
static_assert(sizeof(Entry) == 32);

// The bytes of a tree: a count, a list of entries, and the arrays, each beginning at a multiple of
// eight bytes. Arrays without values are left out.
class PackedBytes {
  public:
    explicit PackedBytes(const ArrayNumbers& numbers) : numbers_(numbers) {}

    void put(const char* name, const std::vector<double>& values) {
        if (values.empty()) return;
        const auto bits_of = [](double value) { return std::bit_cast<int64_t>(value); };
        const int64_t first = bits_of(values[0]);
        const bool constant = std::all_of(values.begin(), values.end(),
                                          [&](double value) { return bits_of(value) == first; });
        add(name, constant ? kConstant : kWhole, constant ? first : 0, values.size());
        if (!constant) append(values.data(), values.size());
    }
    template <class T>
    void put(const char* name, const std::vector<T>& values) {
        if (values.empty()) return;
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        put_above(name, values, *low, static_cast<uint64_t>(*high) - static_cast<uint64_t>(*low));
    }
    void put_lengths(const char* name, const std::vector<int64_t>& starts) {
        std::vector<int64_t> lengths(starts.size() - 1);
        for (size_t i = 0; i < lengths.size(); ++i) lengths[i] = starts[i + 1] - starts[i];
        put(name, lengths);
    }
    std::string all() const {
        const auto count = static_cast<int64_t>(entries_.size());
        std::string out(reinterpret_cast<const char*>(&count), sizeof count);
        out.append(reinterpret_cast<const char*>(entries_.data()), entries_.size() * sizeof(Entry));
        return out + blocks_;
    }

  private:
    // A width that most differences from the lowest value fit; others are its largest number, and
    // stand apart.
    struct Width {
        Writing how = kWhole;
        int64_t n_apart = 0;
    };

    template <class T>
    void put_above(const char* name, const std::vector<T>& values, T low, uint64_t span) {
        if (span == 0) return add(name, kConstant, low, values.size());
        if (span == 1) return put_bits(name, values, low);
        const Width width = best_width(values, low, span);
        add(name, width.how, low, values.size(), width.n_apart);
        switch (width.how) {
            case kBytes: return append_narrow<uint8_t>(values, low, width.n_apart);
            case kShorts: return append_narrow<uint16_t>(values, low, width.n_apart);
            case kWords: return append_narrow<uint32_t>(values, low, width.n_apart);
            default: return append_narrow<uint64_t>(values, low, 0);
        }
    }
    template <class T>
    void put_bits(const char* name, const std::vector<T>& values, T low) {
        add(name, kBits, low, values.size());
        std::vector<uint8_t> bytes((values.size() + 7) / 8);
        for (size_t i = 0; i < values.size(); ++i)
            bytes[i / 8] |= static_cast<uint8_t>((values[i] != low ? 0x80 : 0) >> (i % 8));
        append(bytes.data(), bytes.size());
    }

    template <class T>
    static uint64_t above(T value, T low) {
        return static_cast<uint64_t>(value) - static_cast<uint64_t>(low);
    }
    // The first of the widths with the fewest bytes.
    template <class T>
    static Width best_width(const std::vector<T>& values, T low, uint64_t span) {
        Width best;
        size_t fewest = 8 * values.size();
        for (const auto& [how, bytes] : {std::pair{kBytes, 1}, {kShorts, 2}, {kWords, 4}}) {
            const uint64_t limit = (uint64_t{1} << (8 * bytes)) - 1;
            size_t size = values.size() * static_cast<size_t>(bytes);
            if (span < limit) return size <= fewest ? Width{how, 0} : best;
            const auto n_apart = std::count_if(values.begin(), values.end(), [&, low](T value) {
                return above(value, low) >= limit;
            });
            size += 8 * static_cast<size_t>(n_apart) + 7;
            if (size >= fewest) continue;
            fewest = size;
            best = {how, n_apart};
        }
        return best;
    }
    template <class Narrow, class T>
    void append_narrow(const std::vector<T>& values, T low, int64_t n_apart) {
        constexpr auto limit = static_cast<Narrow>(~Narrow{0});
        std::vector<Narrow> narrow(values.size());
        std::vector<uint64_t> apart;
        if (n_apart == 0) {
            for (size_t i = 0; i < values.size(); ++i)
                narrow[i] = static_cast<Narrow>(above(values[i], low));
        } else {
            for (size_t i = 0; i < values.size(); ++i) {
                const uint64_t one = above(values[i], low);
                narrow[i] = static_cast<Narrow>(std::min<uint64_t>(one, limit));
                if (one >= limit) apart.push_back(one);
            }
        }
        append(narrow.data(), narrow.size());
        append(apart.data(), apart.size());
    }

    void add(const char* name, Writing how, int64_t base, size_t count, int64_t n_apart = 0) {
        const auto number = numbers_.find(name);
        if (number == numbers_.end())
            throw std::invalid_argument(std::string(name) + " has no number");
        entries_.push_back({number->second, how, base, static_cast<int64_t>(count), n_apart});
    }
    template <class T>
    void append(const T* values, size_t n) {
        blocks_.append(reinterpret_cast<const char*>(values), n * sizeof(T));
        blocks_.append((8 - blocks_.size() % 8) % 8, '\0');
    }

    const ArrayNumbers& numbers_;
    std::vector<Entry> entries_;
    std::string blocks_;
};

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

}  // namespace

std::string pack_tree(const TreeArrays& tree, double weight_unit, const ArrayNumbers& numbers) {
    PackedBytes bytes(numbers);
    bytes.put("split_kind", tree.split_kind);
    bytes.put("gain", gains_of_splits(tree));
    bytes.put("leaf_rows", tree.leaf_rows);
    bytes.put("threshold_column", tree.threshold_column);
    bytes.put("threshold_value", tree.threshold_value);
    bytes.put("threshold_missing", tree.threshold_missing);
    bytes.put("threshold_unseen", tree.threshold_unseen);
    bytes.put("subset_column", tree.subset_column);
    bytes.put_lengths("subset_start", tree.subset_start);
    bytes.put("subset_codes", tree.subset_codes);
    bytes.put_lengths("subset_rest_start", tree.subset_rest_start);
    bytes.put("subset_rest", tree.subset_rest);
    bytes.put("subset_missing", tree.subset_missing);
    bytes.put("subset_unseen", tree.subset_unseen);
    bytes.put("multiway_column", tree.multiway_column);
    bytes.put_lengths("multiway_start", tree.multiway_start);
    bytes.put("multiway_codes", tree.multiway_codes);
    bytes.put("multiway_missing", tree.multiway_missing);
    bytes.put("multiway_unseen", tree.multiway_unseen);
    bytes.put_lengths("oblique_start", tree.oblique_start);
    bytes.put("oblique_column", tree.oblique_column);
    bytes.put("oblique_code", tree.oblique_code);
    bytes.put("oblique_weight", tree.oblique_weight);
    bytes.put("oblique_threshold", tree.oblique_threshold);
    bytes.put("oblique_missing", tree.oblique_missing);
    bytes.put("distance_metric", tree.distance_metric);
    bytes.put_lengths("distance_start", tree.distance_start);
    bytes.put("distance_column", tree.distance_column);
    bytes.put("distance_center", tree.distance_center);
    bytes.put("distance_scale", tree.distance_scale);
    bytes.put_lengths("distance_matrix_start", tree.distance_matrix_start);
    bytes.put("distance_matrix", tree.distance_matrix);
    bytes.put("distance_threshold", tree.distance_threshold);
    bytes.put("distance_missing", tree.distance_missing);
    bytes.put_lengths("class_start", tree.class_start);
    bytes.put("class_code", tree.class_code);
    bytes.put("class_weight", tree.class_weight);
    bytes.put("numbers", std::vector<double>{weight_unit});
    return bytes.all();
}

}  // namespace silva
