// Compiled as a kernel, once for each instruction set: no standard library (see simd/vec.hpp).
#include "tests/simd/vec_checks.hpp"

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

const char* wrong = nullptr;

void expect(bool is_right, const char* name) {
    if (!is_right && wrong == nullptr) wrong = name;
}

struct Random {
    uint64_t state = 88172645463325252u;

    uint64_t next() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state;
    }
    // Of all kinds: any bits, none, all, few.
    uint64_t bits(int n) {
        const uint64_t kinds[] = {next(), 0, ~uint64_t{0}, next() & next() & next()};
        return kinds[next() % 4] & lowest_bits(n);
    }
    // Small and extreme numbers, so that comparisons have ties; floats are whole.
    template <class T>
    T value() {
        const uint64_t some = next();
        if constexpr (kIsFloat<T>) return static_cast<T>(static_cast<int64_t>(some % 7) - 3);
        return static_cast<T>(some % 3 == 0 ? next() : next() % 4 - some % 2);
    }
};

// Two registers of lanes with what lies around them in memory.
template <class T>
struct Sample {
    static constexpr int n = kLanes<T>;
    T a[2 * n], b[2 * n];
    uint64_t set;

    explicit Sample(Random& random) : set(random.bits(n)) {
        for (int i = 0; i < 2 * n; ++i) {
            a[i] = random.value<T>();
            b[i] = random.value<T>();
        }
    }
    template <class F>
    uint64_t bits_where(const F& f) const {
        uint64_t bits = 0;
        for (int i = 0; i < n; ++i) bits |= static_cast<uint64_t>(f(a[i], b[i])) << i;
        return bits;
    }
    template <class F>
    bool each(Vec<T> v, const F& f) const {
        bool same = true;
        for (int i = 0; i < n; ++i) same &= v[i] == static_cast<T>(f(i));
        return same;
    }
};

template <class T>
void check_memory(const Sample<T>& s, Random& random) {
    constexpr int n = kLanes<T>;
    const auto some = static_cast<int>(random.next() % (n + 1));
    expect(s.each(load(s.a), [&](int i) { return s.a[i]; }), "load");
    expect(s.each(all<T>(s.a[0]), [&](int) { return s.a[0]; }), "all");
    expect(s.each(iota<T>(), [&](int i) { return i; }), "iota");
    expect(s.each(load_first(s.a, some), [&](int i) { return i < some ? s.a[i] : T(0); }),
           "load_first");
    T out[n];
    store(out, load(s.b));
    store_first(out, load(s.a), some);
    expect(s.each(load(out), [&](int i) { return i < some ? s.a[i] : s.b[i]; }), "store_first");
}

template <class T>
void check_masks(const Sample<T>& s, Random& random) {
    const auto a = load(s.a), b = load(s.b);
    expect(bits_of(less(a, b)) == s.bits_where([](T x, T y) { return x < y; }), "less");
    expect(bits_of(at_most(a, b)) == s.bits_where([](T x, T y) { return x <= y; }), "at_most");
    expect(bits_of(equal(a, b)) == s.bits_where([](T x, T y) { return x == y; }), "equal");
    expect(bits_of(at_least(a, b)) == s.bits_where([](T x, T y) { return x >= y; }), "at_least");
    const Mask<T> mask = mask_of<T>(s.set), other = mask_of<T>(random.bits(s.n));
    expect(bits_of(mask) == s.set, "mask_of");
    expect(bits_of(~mask) == (s.set ^ lowest_bits(s.n)), "not");
    expect(bits_of(mask & other) == (s.set & bits_of(other)), "and");
    expect(bits_of(mask | other) == (s.set | bits_of(other)), "or");
    expect(any(mask) == (s.set != 0), "any");
    const auto is_in = [&](int i) { return (s.set >> i & 1) != 0; };
    expect(s.each(select(mask, a, b), [&](int i) { return is_in(i) ? s.a[i] : s.b[i]; }), "select");
    expect(s.each(keep(mask, a), [&](int i) { return is_in(i) ? s.a[i] : T(0); }), "keep");
}

template <class T>
void check_lanes(const Sample<T>& s) {
    constexpr int half = kLanes<T> / 2, block = 16 / static_cast<int>(sizeof(T));
    const auto a = load(s.a), b = load(s.b);
    expect(s.each(min(a, b), [&](int i) { return least(s.a[i], s.b[i]); }), "min");
    expect(s.each(max(a, b), [&](int i) { return most(s.a[i], s.b[i]); }), "max");
    T halves[2 * half];
    store(halves, high_half(a));
    store(halves + half, low_half(a));
    expect(s.each(load(halves), [&](int i) { return s.a[(i + half) % (2 * half)]; }), "halves");
    expect(s.each(joined(high_half(a), low_half(b)),
                  [&](int i) { return i < half ? s.a[i + half] : s.b[i - half]; }),
           "joined");
    const auto zipped = [&](int i, int from) {
        const int at = i / block * block + from + i % block / 2;
        return i % 2 == 0 ? s.a[at] : s.b[at];
    };
    expect(s.each(zip_low(a, b), [&](int i) { return zipped(i, 0); }), "zip_low");
    expect(s.each(zip_high(a, b), [&](int i) { return zipped(i, block / 2); }), "zip_high");
}

template <class T>
void check_compress(const Sample<T>& s) {
    T packed[kLanes<T>];
    int n = 0;
    for (int i = 0; i < s.n; ++i)
        if ((s.set >> i & 1) != 0) packed[n++] = s.a[i];
    T out[2 * kLanes<T>];
    bool same = compress(out, load(s.a), s.set) == out + n;
    for (int i = 0; i < n; ++i) same &= out[i] == packed[i];
    expect(same, "compress");
    store(out, load(s.b));
    same = compress_exactly(out, load(s.a), s.set) == out + n;
    for (int i = 0; i < s.n; ++i) same &= out[i] == (i < n ? packed[i] : s.b[i]);
    expect(same, "compress_exactly");
}

template <class T>
void check_integers(const Sample<T>& s) {
    const auto a = load(s.a), b = load(s.b);
    expect(bits_of(shares_bits(a, b)) == s.bits_where([](T x, T y) { return (x & y) != 0; }),
           "shares_bits");
    expect(
        bits_of(top_bit(a)) == s.bits_where([](T x, T) { return static_cast<Signed<T>>(x) < 0; }),
        "top_bit");
    T total = 0, low = s.a[0], high = s.a[0];
    for (int i = 0; i < s.n; ++i) {
        total = static_cast<T>(total + s.a[i]);
        low = least(low, s.a[i]);
        high = most(high, s.a[i]);
    }
    expect(sum(a) == total, "sum");
    expect(lowest(a) == low && highest(a) == high, "lowest and highest");
}

template <class T>
void check_all(Random& random) {
    const Sample<T> s(random);
    check_memory(s, random);
    check_masks(s, random);
    check_lanes(s);
    check_compress(s);
    if constexpr (!kIsFloat<T>) check_integers(s);
}

// What exists for some types only.
void check_bytes(Random& random) {
    const Sample<uint8_t> s(random);
    const auto at = load(s.a) & all<uint8_t>(15);
    expect(s.each(look_up(s.b, at), [&](int i) { return s.b[s.a[i] & 15]; }), "look_up");
}
void check_shorts(Random& random) {
    const Sample<uint16_t> s(random);
    const auto bytes = all<uint16_t>(255);
    uint8_t narrowed[kLanes<uint8_t>];
    store(narrowed, narrow<uint8_t>(load(s.a) & bytes, load(s.a + s.n) & bytes));
    bool same = true;
    for (int i = 0; i < 2 * s.n; ++i) same &= narrowed[i] == (s.a[i] & 255);
    expect(same, "narrow to bytes");
}
void check_words(Random& random) {
    const Sample<uint32_t> s(random);
    const auto shorts = all<uint32_t>(65535);
    uint16_t narrowed[kLanes<uint16_t>];
    store(narrowed, narrow<uint16_t>(load(s.a) & shorts, load(s.a + s.n) & shorts));
    bool same = true;
    for (int i = 0; i < 2 * s.n; ++i) same &= narrowed[i] == (s.a[i] & 65535);
    expect(same, "narrow to shorts");
}
void check_longs(Random& random) {
    const Sample<uint64_t> s(random);
    const auto bytes = [&](int i) {
        uint64_t total = 0;
        for (int shift = 0; shift < 64; shift += 8) total += s.a[i] >> shift & 255;
        return total;
    };
    expect(s.each(sum_bytes(load(s.a)), bytes), "sum_bytes");
    expect(s.each(last_everywhere(load(s.a)), [&](int) { return s.a[s.n - 1]; }),
           "last_everywhere");
    const auto doubles = to_double(load(s.a) >> 12);
    bool same = true;
    for (int i = 0; i < s.n; ++i) same &= doubles[i] == static_cast<double>(s.a[i] >> 12);
    expect(same, "to_double");
    uint64_t extracted = 0, deposited = 0;
    int n = 0;
    for (int i = 0; i < 64; ++i) {
        if ((s.b[0] >> i & 1) == 0) continue;
        extracted |= (s.a[0] >> i & 1) << n;
        deposited |= (s.a[0] >> n++ & 1) << i;
    }
    expect(extract_bits(s.a[0], s.b[0]) == extracted, "extract_bits");
    expect(deposit_bits(s.a[0], s.b[0]) == deposited, "deposit_bits");
}

}  // namespace

const char* first_wrong_primitive() {
    Random random;
    wrong = nullptr;
    for (int round = 0; round < 2000; ++round) {
        check_all<uint8_t>(random);
        check_all<int8_t>(random);
        check_all<uint16_t>(random);
        check_all<int16_t>(random);
        check_all<uint32_t>(random);
        check_all<int32_t>(random);
        check_all<uint64_t>(random);
        check_all<int64_t>(random);
        check_all<float>(random);
        check_all<double>(random);
        check_bytes(random);
        check_shorts(random);
        check_words(random);
        check_longs(random);
    }
    return wrong;
}

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
