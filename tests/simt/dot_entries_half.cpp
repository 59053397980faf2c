// Instantiations of dot for __half operands, products in f32.
#include "tests/simt/dot_instances.hpp"

namespace warptune::simt {

std::vector<DotEntry> dot_entries_half() { return make_entries<__half, Multiply::f32, 1, 2, 4, 8>(); }

}  // namespace warptune::simt
