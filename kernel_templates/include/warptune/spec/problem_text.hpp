// Problems as people write them: "T=half", "n=2^10..2^28:x4". One reader for the command line and the API.
// Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/spec/problem.hpp>
#include <warptune/spec/template_spec.hpp>

namespace warptune::spec {

// What was written, one string per option; each may hold a list. All are combined with all.
struct ProblemText {
  // "T=half", "T=half,float"; "half" where the template has one type parameter
  std::vector<std::string> types;
  // "n=2^24", "n=1,2,3", "n=2^10..2^28:x4", "n=0..1000:+250", "rows=8 cols=2^10"
  std::vector<std::string> dims;
  std::vector<std::string> attributes;  // "ids=sorted"
  Numerics allowed;
  bool allow_zero = false;  // whether a dim may be 0; tuning nothing makes no sense
};

// All problems, each once: types vary slowest, then the dims in the template's order, the last one fastest. A
// type parameter that allows one type need not be given. Error bad_input says what cannot be read, where in
// the text, and what can be written.
std::vector<Problem> parse_problems(const TemplateSpec& spec, const ProblemText& text);

// A whole number: "16777216", "2^24", "3*2^20", "2^24+1", "2^24-1". Error bad_input: not a number, negative,
// beyond 2^63-1.
std::int64_t parse_size(std::string_view text);

// One size, a list, or a range: "1,2,3", "2^10..2^28:x4" (times 4), "0..1000:+250"; the end counts if it is
// met. Error bad_input as above, and for ranges that are empty, do not grow, or have more than 100,000
// values.
std::vector<std::int64_t> parse_sizes(std::string_view text);

}  // namespace warptune::spec
