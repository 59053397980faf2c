// Stored winners as a table that show, explain and export share. Pure functions apart from reading templates.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <warptune/db/records.hpp>

#include "tuner/report/document.hpp"

namespace warptune::tuner {

// Says how far a stored winner can be trusted here.
class Freshness {
 public:
  // `present`: this machine's toolchain; parts that are empty or 0 are not compared.
  explicit Freshness(db::Toolchain present) : present_(std::move(present)) {}

  // "fresh"; "unchecked" when there is no toolchain to compare with; else what differs, such as "template
  // changed, other driver". A winner whose template changed is not used by the runtime; one of another
  // toolchain is, with a mark.
  std::string of(const db::StoredWinner& winner) const;

 private:
  const std::string& template_hash(const std::string& kernel) const;
  db::Toolchain present_;
  mutable std::map<std::string, std::string>
      hashes_;  // kernel -> hash, empty when there is no such template here
};

// Sorted by kernel, types, class, policy, device, dims, alignment. `now_unix_s` gives ages.
Table winner_table(std::vector<db::StoredWinner> winners, const Freshness& freshness,
                   std::int64_t now_unix_s);

// One row per problem: the record for the widest alignment.
std::vector<db::StoredWinner> widest_only(const std::vector<db::StoredWinner>& winners);

std::int64_t unix_now_s();

}  // namespace warptune::tuner
