// Numbers as people read them: three to four significant digits and a unit. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace warptune::tuner {

// "2.71 us", "18.2 us", "1.05 ms", "3.2 s". ASCII, so that column widths hold in any locale.
std::string time_text(double time_ns);
// "3.69 TB/s", "812 GB/s".
std::string rate_text(double bytes_per_s);
// "1.33x".
std::string factor_text(double factor);
// "84.1 %" of a share of 1.
std::string percent_text(double share);
// "50.0 MiB", "139 GiB".
std::string bytes_text(std::int64_t bytes);
// Seconds from one time to a later one, both since 1970; 0 where `then` is not earlier. Any values do.
std::int64_t age_s(std::int64_t then_unix_s, std::int64_t now_unix_s);
// "5 s", "12 min", "3 h", "9 d".
std::string age_text(std::int64_t seconds);

}  // namespace warptune::tuner
