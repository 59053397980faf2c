// Checks one config against the reference: tuned dims with every input, other dims with two, outputs and workspaces poisoned,
// inputs restored, guards and counters audited. All runs of a config are enqueued and read back once.
// One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <warptune/runtime/device.hpp>
#include <warptune/spec/instance.hpp>

#include "tuner/measure/bound_plan.hpp"
#include "tuner/measure/handles.hpp"
#include "tuner/verify/reference.hpp"

namespace warptune::tuner {

struct Verification {
  bool passed = false;
  std::string reason;    // why not, one line
  double max_error = 0;  // largest |output - reference| / scale at the tuned dims
  bool verified_ragged =
      false;  // right, too, at every other dims where the config may run, and there were some
  double gpu_ns = 0;
};

class Verifier {
 public:
  Verifier(runtime::Device& device, const HelperKernels& helpers, ReferenceStore& references,
           runtime::StreamHandle stream);

  // Precondition: the config is not excluded at the tuned dims. A wrong value at other dims costs only verified_ragged; a
  // write outside a buffer, into an input, or a counter left other than zero fails at any dims.
  // Errors: those of the device (a launch refused or failed), out_of_memory.
  Verification verify(const spec::Config& config, const KernelSet& kernels);

 private:
  // One run: which inputs, how much error is allowed.
  struct Case {
    std::size_t instance = 0;
    FillChange fill;
    double tolerance = 0;
  };
  // What is needed to read a run's report.
  struct Run {
    Case what;
    ArenaLayout work;  // out, inout, workspace
    ArenaLayout inputs;
  };

  std::vector<Case> cases_for(const spec::Config& config, const KernelSet& kernels) const;
  void reserve(runtime::DeviceBuffer& buffer, std::size_t bytes);
  // `report`: the first of this run's reports.
  Run enqueue(const Case& what, const BoundPlan& plan, runtime::DevicePointer report);
  std::string memory_fault(const Run& run, const device::Report& report,
                           const device::Report& baseline) const;
  // `output`: name of the buffer that the report is about.
  std::string value_fault(const Run& run, const std::string& output, const device::Report& report) const;
  // The same over all outputs of a run.
  std::string value_fault(const Run& run, const device::Report* reports) const;
  // Reports of one run: the output's, the baseline, and one for each further output.
  std::size_t reports_per_run() const;

  runtime::Device& device_;
  const HelperKernels& helpers_;
  ReferenceStore& references_;
  runtime::StreamHandle stream_;
  Stopwatch stopwatch_;
  runtime::DeviceBuffer work_, counters_, reports_;
};

}  // namespace warptune::tuner
