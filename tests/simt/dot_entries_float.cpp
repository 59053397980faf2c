// Instantiations of dot for float operands, products in f32.
#include "tests/simt/dot_instances.hpp"

namespace warptune::simt {

std::vector<DotEntry> dot_entries_float() { return make_entries<float, Multiply::f32, 1, 2, 4>(); }

}  // namespace warptune::simt
