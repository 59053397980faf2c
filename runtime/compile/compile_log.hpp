// Reading the compiler's log. Pure function; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace warptune::runtime {

// The first error as one line, "dot.cu(12): error: ...". Where it lies in another file, the line of `program` that led there is
// added: "... (from dot.cu(3))". The first line of the log where no line says error; "no log" when it is empty.
std::string first_error(std::string_view log, std::string_view program);

}  // namespace warptune::runtime
