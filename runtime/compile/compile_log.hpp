// Reading the compiler's log. Pure function; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace warptune::runtime {

// The first error as one line, "dot.cu(12): error: ...", with what follows indented below it left out; the first line of the
// log where no line says error; "no log" when it is empty.
std::string first_error(std::string_view log);

}  // namespace warptune::runtime
