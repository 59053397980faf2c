// Instantiations of dot for __half operands, products in half2.
#include "tests/simt/dot_instances.hpp"

namespace warptune::simt {

std::vector<DotEntry> dot_entries_half2() { return make_entries<__half, Multiply::half2, 2, 4, 8>(); }

}  // namespace warptune::simt
