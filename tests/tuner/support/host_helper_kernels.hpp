// The helper kernels of verification as host code on the stub device. One thread per launch.
#pragma once

#include "tests/support/stub_device.hpp"

namespace warptune::test {

// Gives every helper kernel its body, made from the same source as the device's.
void define_helper_kernels(testing::StubDevice& device);

}  // namespace warptune::test
