// What a kernel does about launches whose problem was not tuned.
#include <algorithm>
#include <utility>

#include "runtime/dispatch/kernel_state.hpp"

namespace warptune::runtime {

bool KernelState::is_tunable(std::span<const std::int64_t> dims) {
  return std::all_of(dims.begin(), dims.end(), [](std::int64_t dim) { return dim > 0; });
}

Miss KernelState::miss_at(const Dims& dims) const {
  return {instance_.spec_ptr(), instance_.with_dims(dims).problem(), policy_,
          context_.device().device->info(), runtime().tunable_database()};
}

// A manifest's path must lead there from any folder.
std::string KernelState::name_to_tune_by() const {
  const std::filesystem::path path(asked_name_);
  return path.extension() == ".toml" ? std::filesystem::absolute(path).string() : asked_name_;
}

void KernelState::tune_if_missed(const LaunchKey& key) {
  const Dims dims = named(key.dims);
  {
    const std::scoped_lock lock(mutex_);
    if (selector_.rank(dims, key.alignment, {}).candidates.front().selection.match == Match::tuned) return;
    if (tried_.size() >= most_entries || !tried_.emplace(key.dims.begin(), key.dims.end()).second) return;
  }
  // Others go on meanwhile, with what serves without it.
  const std::vector<db::StoredWinner> winners = runtime().tune_miss(miss_at(dims));
  if (winners.empty()) return;
  std::vector<Message> messages;
  {
    const std::scoped_lock lock(mutex_);
    selector_ = selector_.with(winners);
    for (std::uint32_t alignment = 1; alignment <= largest_alignment_; alignment *= 2) {
      const LaunchKey met{key.dims, alignment};
      if (table_.find(met) != nullptr) table_.put(build(met, messages));
    }
  }
  for (const Message& message : messages) runtime().warn_once(message.key, message.line);
}

}  // namespace warptune::runtime
