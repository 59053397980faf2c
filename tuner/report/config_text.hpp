// Stored names and values as people read and type them. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <warptune/db/records.hpp>

namespace warptune::tuner {

// "FINISH=two_pass NUM_THREADS=256": by name.
std::string config_text(const db::NamedValues& values);
std::string config_text(const std::map<std::string, std::int64_t>& values);

// CUDA type names as their short aliases: "T=f16".
std::string types_text(const std::map<std::string, std::string>& types);

}  // namespace warptune::tuner
