// The report as one HTML page that holds its style, script and data and loads nothing. Pure function, thread-safe.
#pragma once

#include <string>

#include "tuner/report/json_value.hpp"

namespace warptune::tuner {

// `data`: as report_data() gives it. Names in it cannot become markup: in the page they are JSON without "<", and the
// script enters them as text.
std::string report_page(const JsonValue& data);

}  // namespace warptune::tuner
