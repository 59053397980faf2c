#include "tuner/cli/cuda_source.hpp"

#include <warptune/base/error.hpp>
#include <warptune/runtime/device.hpp>

namespace warptune::tuner {

std::unique_ptr<EvaluatorSource> open_cuda_source(int ordinal, const EvaluatorSettings&) {
  runtime::open_cuda_device(ordinal);
  throw Error(ErrorKind::unsupported, "tuning on cuda:" + std::to_string(ordinal) + " is not built in");
}

db::Calibration calibrate(int ordinal) {
  runtime::open_cuda_device(ordinal);
  throw Error(ErrorKind::unsupported, "calibration is not built in");
}

}  // namespace warptune::tuner
