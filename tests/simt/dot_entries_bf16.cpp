// Instantiations of dot for __nv_bfloat16 operands, products in f32.
#include "tests/simt/dot_instances.hpp"

namespace warptune::simt {

std::vector<DotEntry> dot_entries_bf16() { return make_entries<__nv_bfloat16, Multiply::f32, 1, 2, 4, 8>(); }

}  // namespace warptune::simt
