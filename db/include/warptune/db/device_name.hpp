// The rule by which a GPU's marketing name becomes part of a key. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace warptune::db {

// Drops trademark marks ("(R)", "(TM)", "(C)" in either case, and the signs themselves), trims blanks and
// joins runs of them to one space; nothing else changes. So spellings of one model meet, while near-twins
// never do: "H100 PCIe", "H100 SXM", "H100 80GB HBM3" and "h100" stay four names. Vendor prefixes stay:
// drivers that can run this code all write them. Applying it twice changes nothing more.
std::string normalise_device_name(std::string_view name);

}  // namespace warptune::db
