#include "core/optimal/sorted_engine.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace silva::optimal {

SortedEngine::SortedEngine(const RowFacts& facts, int64_t n_ids, bool use_intervals)
    : use_intervals_(use_intervals), node_(facts, n_ids) {}

void SortedEngine::offer(int64_t value, int32_t column, int64_t place) {
    if (value < best_.value) best_ = {value, column, place};
}

int64_t SortedEngine::child(int64_t leaf, int64_t stump) const {
    return std::min(query_.unit * leaf, query_.unit * stump + query_.penalty);
}

TwoLevels SortedEngine::solve(const SortedView& view, const TwoLevelQuery& query) {
    query_ = query;
    best_ = {query.upper, -1, 0};
    node_.load_rows(view);
    work_ += node_.n;
    offer(query.unit * node_.leaf_cost(), -1, 0);
    if (best_.value <= splits_bound() || node_.slots.size() < 2) return best_;
    node_.load_columns(view);
    work_ += node_.n * view.columns;
    try_stumps();
    if (query.max_depth < 2 || query.max_splits < 2 || best_.value <= 2 * query.penalty)
        return best_;
    search();
    return best_;
}

// A lower bound of the value of a tree that is no leaf.
int64_t SortedEngine::splits_bound() const {
    const int64_t most = query_.max_depth < 2 ? 1 : std::min<int64_t>(query_.max_splits, 3);
    int64_t bound = std::numeric_limits<int64_t>::max();
    for (int64_t splits = 1; splits <= most; ++splits)
        bound =
            std::min(bound, query_.unit * node_.leaves_cost(splits + 1) + query_.penalty * splits);
    return bound;
}

// ---- one split ---------------------------------------------------------------------------------

// A column that splits no part of the node into leaves of enough rows splits the node neither, and
// goes. Good columns come first: they leave little for the sweeps of the others to find.
void SortedEngine::try_stumps() {
    for (NodeColumn& column : node_.columns) {
        const Stump stump = stumps_.best(node_, column, query_.min_rows);
        column.stump_cost = stump.cost;
        column.place = stump.place;
        column.two_levels = stump.two_levels;
    }
    std::erase_if(node_.columns, [](const NodeColumn& column) { return column.place == 0; });
    std::sort(node_.columns.begin(), node_.columns.end(),
              [](const NodeColumn& a, const NodeColumn& b) {
                  return std::pair(a.stump_cost, a.column) < std::pair(b.stump_cost, b.column);
              });
    whole_ = query_.unit * node_.leaf_cost();
    if (node_.columns.empty()) return;
    const NodeColumn& best = node_.columns[0];
    whole_ = child(node_.leaf_cost(), best.stump_cost);
    offer(query_.unit * best.stump_cost + query_.penalty, best.column, best.place);
}

// ---- two levels --------------------------------------------------------------------------------

void SortedEngine::search() {
    relaxed_ = &relaxed_passes_.fit(node_.total_worst);
    relaxed_->load(node_, 1);
    if (query_.min_rows > 1) {
        strict_ = &strict_passes_.fit(std::max(node_.total_worst, node_.total_count));
        strict_->load(node_, query_.min_rows);
    }
    open_all();
    advance_all();
    search_flags();
    while (!active_.empty() && !was_late_) advance_all();
}

void SortedEngine::advance_all() {
    std::erase_if(active_, [&](size_t i) { return is_late() || !advance(searches_[i]); });
    std::sort(active_.begin(), active_.end(), [&](size_t a, size_t b) {
        return std::pair(searches_[a].promise, a) < std::pair(searches_[b].promise, b);
    });
}

bool SortedEngine::is_late() {
    constexpr int64_t kBetweenLooks = 1 << 20;
    if (was_late_ || is_late_ == nullptr || work_ < next_look_) return was_late_;
    next_look_ = work_ + kBetweenLooks;
    return was_late_ = (*is_late_)();
}

// Before and after all rows.
std::pair<SortedEngine::Point, SortedEngine::Point> SortedEngine::outer_points() const {
    const int64_t leaf = query_.unit * node_.leaf_cost();
    return {{0, 0, 0, whole_, 0, leaf},
            {node_.n, query_.unit * node_.total_worst, whole_, 0, leaf, 0}};
}

// Many flags share a pass. A first pass of each other column leaves fewer of them to evaluate.
void SortedEngine::search_flags() {
    ThresholdPass& pass = query_.min_rows > 1 ? *strict_ : *relaxed_;
    sides_.resize(static_cast<size_t>(pass.capacity()));
    flags_.clear();
    for (size_t i = 0; i < node_.columns.size(); ++i)
        if (node_.columns[i].is_flag()) flags_.push_back(i);
    while (!is_late()) {
        if (use_intervals_)
            std::erase_if(flags_,
                          [&](size_t i) { return flag_bound(node_.columns[i]) >= best_.value; });
        if (flags_.empty()) return;
        pass.evaluate_flags(flags_, taken_, sides_.data());
        work_ += node_.visits();
        offer_flags();
    }
}

int64_t SortedEngine::flag_bound(const NodeColumn& flag) const {
    int64_t distance = 0;
    if (node_.is_even)
        distance = static_cast<int64_t>(flag.flag_rows().size()) * node_.worst[0];
    else
        for (const uint32_t row : flag.flag_rows()) distance += node_.worst[row];
    const auto [before, after] = outer_points();
    return std::max(query_.unit * flag.two_levels + query_.penalty,
                    bound(before, after, query_.unit * distance));
}

void SortedEngine::offer_flags() {
    for (size_t i = 0; i < taken_.size(); ++i) {
        const Sides& sides = sides_[i];
        const NodeColumn& flag = node_.columns[taken_[i]];
        offer(value(point(sides, flag.flag_place, 0)), flag.column, flag.flag_place);
    }
}

void SortedEngine::open_all() {
    if (searches_.size() < node_.columns.size()) searches_.resize(node_.columns.size());
    active_.clear();
    for (size_t i = 0; i < node_.columns.size(); ++i) {
        if (node_.columns[i].is_flag()) continue;
        const auto [before, after] = outer_points();
        searches_[i].column = i;
        searches_[i].points.assign({before, after});
        active_.push_back(i);
    }
}

// Evaluates some of the places that can be better than the best tree; false if there are no others.
bool SortedEngine::advance(Search& search) {
    const NodeColumn& column = node_.columns[search.column];
    if (use_intervals_ && query_.unit * column.two_levels + query_.penalty >= best_.value)
        return false;
    measure(column);
    list_places(search);
    if (places_.empty()) return false;
    const bool is_last = static_cast<int64_t>(places_.size()) <= relaxed_->capacity();
    if (!is_last) thin_out(relaxed_->capacity());
    evaluate(*relaxed_, column);
    add_points(search);
    if (query_.min_rows > 1) offer_strict(search);
    return !is_last;
}

void SortedEngine::evaluate(ThresholdPass& pass, const NodeColumn& column) {
    sides_.resize(places_.size());
    pass.evaluate(column, places_, sides_.data());
    work_ += node_.visits();
}

void SortedEngine::measure(const NodeColumn& column) {
    if (node_.is_even) return;
    distances_.resize(static_cast<size_t>(node_.n) + 1);
    counts_.resize(distances_.size());
    int64_t distance = 0, count = 0;
    for (int64_t j = 0; j < node_.n; ++j) {
        const uint32_t row = column.order.rows[j];
        distance += node_.worst[row];
        count += node_.count[row];
        distances_[static_cast<size_t>(j) + 1] = query_.unit * distance;
        counts_[static_cast<size_t>(j) + 1] = count;
    }
}

int64_t SortedEngine::distance(int64_t place) const {
    return node_.is_even ? place * query_.unit * node_.worst[0]
                         : distances_[static_cast<size_t>(place)];
}

void SortedEngine::list_places(const Search& search) {
    places_.clear();
    for (size_t i = 1; i < search.points.size(); ++i)
        list_between(search, search.points[i - 1], search.points[i]);
}

void SortedEngine::list_between(const Search& search, const Point& low, const Point& high) {
    const uint8_t* ends = node_.columns[search.column].order.ends;
    const bool is_counted = query_.min_rows > 1;
    for (int64_t place = low.place + 1; place < high.place; ++place) {
        if (ends[place - 1] == 0 || (is_counted && !is_permitted(place))) continue;
        if (use_intervals_ && bound(low, high, distance(place)) >= best_.value) continue;
        places_.push_back(place);
    }
}

bool SortedEngine::is_permitted(int64_t place) const {
    const int64_t count =
        node_.is_even ? place * node_.count[0] : counts_[static_cast<size_t>(place)];
    return count >= query_.min_rows && node_.total_count - count >= query_.min_rows;
}

// A lower bound of the value of a split between two places whose sides are known, without a minimum
// of rows. The value of a side grows with it, and by at most the costs of the rows that it gets.
int64_t SortedEngine::bound(const Point& low, const Point& high, int64_t distance) const {
    const int64_t to_high = high.distance - distance, from_low = distance - low.distance;
    const int64_t left = std::max(low.left, high.left - to_high);
    const int64_t right = std::max(high.right, low.right - from_low);
    if (query_.max_splits >= 3) return query_.penalty + left + right;
    const int64_t left_leaf = std::max(low.left_leaf, high.left_leaf - to_high);
    const int64_t right_leaf = std::max(high.right_leaf, low.right_leaf - from_low);
    return query_.penalty + std::min(left_leaf + right, left + right_leaf);
}

// Keeps n places, evenly spread.
void SortedEngine::thin_out(int64_t n) {
    const auto size = static_cast<int64_t>(places_.size());
    for (int64_t i = 0; i < n; ++i)
        places_[static_cast<size_t>(i)] =
            places_[static_cast<size_t>((2 * i + 1) * size / (2 * n))];
    places_.resize(static_cast<size_t>(n));
}

SortedEngine::Point SortedEngine::point(const Sides& sides, int64_t place, int64_t distance) const {
    return {place,
            distance,
            child(sides.left_leaf, sides.left_stump),
            child(sides.right_leaf, sides.right_stump),
            query_.unit * sides.left_leaf,
            query_.unit * sides.right_leaf};
}

int64_t SortedEngine::value(const Point& point) const {
    if (query_.max_splits >= 3) return query_.penalty + point.left + point.right;
    return query_.penalty + std::min(point.left + point.right_leaf, point.left_leaf + point.right);
}

// With a minimum of rows, keeps the places that would be better than the best tree without it.
void SortedEngine::add_points(Search& search) {
    const int32_t column = node_.columns[search.column].column;
    size_t n_kept = 0;
    search.promise = std::numeric_limits<int64_t>::max();
    for (size_t i = 0; i < places_.size(); ++i) {
        search.points.push_back(point(sides_[i], places_[i], distance(places_[i])));
        const int64_t found = value(search.points.back());
        search.promise = std::min(search.promise, found);
        if (query_.min_rows <= 1)
            offer(found, column, places_[i]);
        else if (found < best_.value)
            places_[n_kept++] = places_[i];
    }
    places_.resize(n_kept);
    std::sort(search.points.begin(), search.points.end(),
              [](const Point& a, const Point& b) { return a.place < b.place; });
}

// Offers the trees of the places that were kept.
void SortedEngine::offer_strict(const Search& search) {
    if (places_.empty()) return;
    const NodeColumn& column = node_.columns[search.column];
    kept_ = places_;
    const auto step = static_cast<size_t>(strict_->capacity());
    for (size_t first = 0; first < kept_.size(); first += step) {
        places_.assign(kept_.begin() + static_cast<int64_t>(first),
                       kept_.begin() + static_cast<int64_t>(std::min(first + step, kept_.size())));
        evaluate(*strict_, column);
        for (size_t i = 0; i < places_.size(); ++i)
            offer(value(point(sides_[i], places_[i], 0)), column.column, places_[i]);
    }
}

}  // namespace silva::optimal
