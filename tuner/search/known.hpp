// The configs a strategy must not propose again. One thread at a time.
#pragma once

#include <unordered_set>

#include <warptune/spec/template_spec.hpp>

namespace warptune::tuner {

class KnownConfigs {
 public:
  // False when it was known already.
  bool add(const spec::Config& config) { return configs_.insert(config).second; }
  bool contains(const spec::Config& config) const { return configs_.contains(config); }
  std::size_t size() const { return configs_.size(); }

 private:
  std::unordered_set<spec::Config, spec::ConfigHash> configs_;
};

}  // namespace warptune::tuner
