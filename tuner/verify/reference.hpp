// Inputs of verification and the reference's answers to them, made on the device once and kept while memory allows.
// One thread at a time; everything is enqueued on one stream.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <warptune/runtime/device.hpp>
#include <warptune/spec/instance.hpp>

#include "tuner/measure/bound_plan.hpp"
#include "tuner/verify/arena.hpp"
#include "tuner/verify/device_layout.hpp"
#include "tuner/verify/fills.hpp"
#include "tuner/verify/given_operands.hpp"
#include "tuner/verify/helper_kernels.hpp"

namespace warptune::tuner {

// One set of inputs, ready on the device as long as no other is prepared.
struct PreparedInput {
  std::vector<runtime::DevicePointer> pointers;  // per buffer: in its data, inout its pristine copy, others 0
  ArenaLayout layout;                            // of the in and inout buffers
  runtime::DevicePointer base = 0;               // of that arena
  device::Comparison comparison;         // reference and scale; output and tolerance are the caller's to set
  std::vector<device::Comparison> also;  // the same of CheckSpec::also_outputs
  runtime::DevicePointer baseline = 0;   // device::Report holding the checksums of the untouched inputs
};

class ReferenceStore {
 public:
  // `instances`: the tuned one first, then those with other dims; all of one template. `reference`: the check's kernel.
  // `given`: the caller's values, for the tuned dims; it must outlive the store. `resident_bytes`: how much memory inputs may occupy for good; those that do not fit share one stretch and are made
  // anew whenever they are needed.
  ReferenceStore(runtime::Device& device, const HelperKernels& helpers, std::vector<spec::Instance> instances,
                 runtime::FunctionHandle reference, const GivenOperands& given, runtime::StreamHandle stream,
                 std::size_t resident_bytes, std::uint64_t seed);

  const std::vector<spec::Instance>& instances() const { return instances_; }

  bool has_given() const { return given_.any(); }

  // Inputs for instance `instance`, filled so. Valid until the next call. Enqueues what is missing. Precondition: what the caller
  // brought is asked for at the tuned dims only. Errors: out_of_memory, cuda, bad_input (fill).
  const PreparedInput& prepare(std::size_t instance, const FillChange& change);
  // Some candidate wrote where it must not: everything is made anew when next needed.
  void invalidate();

 private:
  struct Entry {
    std::size_t instance = 0;
    FillChange change;
    PreparedInput input;
    std::size_t bytes = 0;         // of inputs, reference and scale together
    runtime::DeviceBuffer memory;  // empty: lives in shared_
    runtime::DeviceBuffer baseline;
    bool ready = false;
  };

  Entry& entry(std::size_t instance, const FillChange& change);
  void place(Entry& entry);
  void generate(Entry& entry);

  runtime::Device& device_;
  const HelperKernels& helpers_;
  std::vector<spec::Instance> instances_;
  runtime::FunctionHandle reference_;
  const GivenOperands& given_;
  runtime::StreamHandle stream_;
  std::size_t resident_left_;
  std::uint64_t seed_;
  std::vector<std::unique_ptr<Entry>> entries_;
  runtime::DeviceBuffer shared_;
  Entry* in_shared_ = nullptr;
};

}  // namespace warptune::tuner
