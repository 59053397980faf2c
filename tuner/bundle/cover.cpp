#include "tuner/bundle/cover.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <set>

namespace warptune::tuner {
namespace {

using Losses = std::vector<std::vector<double>>;
using Bits = std::vector<std::uint64_t>;

constexpr std::size_t word_bits = 64;

// Of those in both.
std::size_t common(const Bits& a, const Bits& b) {
  std::size_t result = 0;
  for (std::size_t i = 0; i < a.size(); ++i) result += static_cast<std::size_t>(std::popcount(a[i] & b[i]));
  return result;
}
std::size_t count(const Bits& bits) { return common(bits, bits); }
bool has(const Bits& bits, std::size_t target) {
  return ((bits[target / word_bits] >> (target % word_bits)) & 1) != 0;
}
void put(Bits& bits, std::size_t target) {
  bits[target / word_bits] |= std::uint64_t{1} << (target % word_bits);
}
Bits without(Bits bits, const Bits& gone) {
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] &= ~gone[i];
  return bits;
}
bool is_within(const Bits& inner, const Bits& outer) {
  for (std::size_t i = 0; i < inner.size(); ++i)
    if ((inner[i] & ~outer[i]) != 0) return false;
  return true;
}
bool is_empty(const Bits& bits) {
  return std::all_of(bits.begin(), bits.end(), [](std::uint64_t word) { return word == 0; });
}

// A config with the targets that it covers.
struct Candidate {
  Bits covers;
  std::size_t config = 0;
  std::size_t size = 0;  // number of targets
};

double worst_within(const std::vector<double>& losses, double bound) {
  double worst = 0;
  for (const double loss : losses)
    if (loss <= bound) worst = std::max(worst, loss);
  return worst;
}

// One per set of targets, none whose targets another covers too; the widest first.
std::vector<Candidate> candidates_at(const Losses& loss, double bound, std::size_t words) {
  std::map<Bits, std::size_t> best;
  for (std::size_t config = 0; config < loss.size(); ++config) {
    Bits covers(words);
    for (std::size_t target = 0; target < loss[config].size(); ++target)
      if (loss[config][target] <= bound) put(covers, target);
    if (is_empty(covers)) continue;
    const auto [found, fresh] = best.try_emplace(std::move(covers), config);
    if (!fresh && worst_within(loss[config], bound) < worst_within(loss[found->second], bound))
      found->second = config;
  }
  std::vector<Candidate> all;
  for (const auto& [covers, config] : best) all.push_back({covers, config, count(covers)});
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.size > b.size; });
  std::vector<Candidate> kept;
  for (Candidate& each : all) {
    const bool contained = std::any_of(kept.begin(), kept.end(), [&](const Candidate& wider) {
      return is_within(each.covers, wider.covers);
    });
    if (!contained) kept.push_back(std::move(each));
  }
  return kept;
}

std::vector<std::size_t> greedy(const std::vector<Candidate>& candidates, Bits open) {
  std::vector<std::size_t> chosen;
  while (!is_empty(open)) {
    const auto best =
        std::max_element(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
          return common(open, a.covers) < common(open, b.covers);
        });
    if (best == candidates.end() || common(open, best->covers) == 0)
      return {};  // what is open cannot be covered
    chosen.push_back(best->config);
    open = without(std::move(open), best->covers);
  }
  return chosen;
}

// Looks for a cover of at most so many members, branching over those that cover the target which fewest do.
class Search {
 public:
  // `effort`: looks at candidates that are left, over all searches; it is used up.
  Search(const std::vector<Candidate>& candidates, std::size_t targets, std::int64_t& effort)
      : candidates_(candidates), covering_(targets), effort_(effort) {
    for (const Candidate& each : candidates_)
      for (std::size_t target = 0; target < targets; ++target)
        if (has(each.covers, target)) covering_[target].push_back(&each);
  }

  bool find(const Bits& open, std::size_t at_most) {
    if (is_empty(open)) return true;
    if (at_most == 0 || effort_ <= 0) return false;
    effort_ -= static_cast<std::int64_t>(candidates_.size());
    const std::vector<const Candidate*>* rarest = nullptr;
    for (std::size_t target = 0; target < covering_.size(); ++target)
      if (has(open, target) && (rarest == nullptr || covering_[target].size() < rarest->size()))
        rarest = &covering_[target];
    std::size_t widest = 0;
    for (const Candidate& each : candidates_) widest = std::max(widest, common(open, each.covers));
    if (widest * at_most < count(open)) return false;  // not even if each covered as much as the best
    for (const Candidate* each : *rarest) {
      chosen.push_back(each->config);
      if (find(without(open, each->covers), at_most - 1)) return true;
      chosen.pop_back();
    }
    return false;
  }
  bool gave_up() const { return effort_ <= 0; }

  std::vector<std::size_t> chosen;

 private:
  const std::vector<Candidate>& candidates_;
  std::vector<std::vector<const Candidate*>> covering_;  // by target
  std::int64_t& effort_;
};

// Seconds at most; dozens of problems need a small part of it.
constexpr std::int64_t most_effort = 20'000'000;

struct Found {
  std::vector<std::size_t> members;
  bool smallest = true;
};

// The smallest cover of `open`, which the candidates do cover.
Found smallest_cover(const std::vector<Candidate>& candidates, const Bits& open, std::size_t targets) {
  Found found{greedy(candidates, open), true};
  std::int64_t effort = most_effort;
  for (std::size_t size = 1; size < found.members.size(); ++size) {
    Search search(candidates, targets, effort);
    if (search.find(open, size)) return {search.chosen, true};
    if (search.gave_up()) return {found.members, false};
  }
  return found;
}

}  // namespace

Cover find_cover(const Losses& loss, double bound) {
  const std::size_t targets = loss.empty() ? 0 : loss.front().size();
  const std::size_t words = (targets + word_bits - 1) / word_bits;
  Bits open(words);
  std::set<double> levels;
  for (const std::vector<double>& row : loss) {
    for (std::size_t target = 0; target < targets; ++target) {
      if (!(row[target] <= bound)) continue;
      put(open, target);
      levels.insert(row[target]);
    }
  }
  Found best = smallest_cover(candidates_at(loss, bound, words), open, targets);

  // As few members under the lowest bound that allows it.
  const std::vector<double> ascending(levels.begin(), levels.end());
  std::int64_t effort = most_effort;
  std::size_t low = 0, high = ascending.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const std::vector<Candidate> candidates = candidates_at(loss, ascending[middle], words);
    Search search(candidates, targets, effort);
    if (search.find(open, best.members.size())) {
      best.members = search.chosen;
      high = middle;
    } else {
      low = middle + 1;
    }
  }

  std::sort(best.members.begin(), best.members.end());
  Cover cover{best.members, std::vector<std::optional<std::size_t>>(targets), 0, best.smallest};
  for (std::size_t target = 0; target < targets; ++target) {
    if (!has(open, target)) continue;
    for (const std::size_t member : cover.members)
      if (!cover.serving[target] || loss[member][target] < loss[*cover.serving[target]][target])
        cover.serving[target] = member;
    cover.worst_loss = std::max(cover.worst_loss, loss[*cover.serving[target]][target]);
  }
  return cover;
}

}  // namespace warptune::tuner
