#include "tuner/verify/verifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

#include "tuner/verify/audit_builder.hpp"

namespace warptune::tuner {
namespace {

using spec::BufferRole;

constexpr std::array work_roles = {BufferRole::out, BufferRole::inout, BufferRole::workspace};
constexpr std::array counter_roles = {BufferRole::counter};

std::string dims_text(const spec::Instance& instance) {
  std::string text;
  for (const auto& [name, value] : instance.problem().dims)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

std::string fill_text(const FillChange& fill) {
  if (fill.given) return "brought by the caller";
  return fill.floating.value_or("") + (fill.outside ? ", ids outside" : "");
}

// At further dims one input is enough: whole numbers that must come out exactly, which tell more than what has a tolerance; where
// there are none, the first.
std::vector<spec::CheckInput>::const_iterator telling_input(const std::vector<spec::CheckInput>& inputs) {
  const auto exact = std::find_if(inputs.begin(), inputs.end(), [](const spec::CheckInput& input) {
    return input.fill == "whole" && input.tolerance == 0;
  });
  return exact == inputs.end() ? inputs.begin() : exact;
}

}  // namespace

Verifier::Verifier(runtime::Device& device, const HelperKernels& helpers, ReferenceStore& references,
                   runtime::StreamHandle stream)
    : device_(device),
      helpers_(helpers),
      references_(references),
      stream_(stream),
      stopwatch_(device, stream) {}

std::vector<Verifier::Case> Verifier::cases_for(const spec::Config& config, const KernelSet& kernels) const {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < references_.instances().size(); ++i) {
    const spec::Instance& instance = references_.instances()[i];
    // A config that may not run at other dims is not dispatched there either.
    if (i > 0 && (instance.excluded(config) || instance.excluded_late(config, kernels.traits))) continue;
    const std::vector<spec::CheckInput> inputs = instance.check_inputs(config);
    const auto shows_most = telling_input(inputs);
    for (auto input = inputs.begin(); input != inputs.end(); ++input)
      if (i == 0 || input == shows_most)
        cases.push_back({i, {input->fill, input->outside}, input->tolerance});
    if (i == 0 && references_.has_given() && !inputs.empty())
      cases.push_back({i, {std::nullopt, false, true}, inputs.front().tolerance});
  }
  return cases;
}

void Verifier::reserve(runtime::DeviceBuffer& buffer, std::size_t bytes) {
  if (buffer.bytes() >= bytes) return;
  buffer = runtime::DeviceBuffer();
  buffer = runtime::DeviceBuffer(device_, bytes);
}

Verifier::Run Verifier::enqueue(const Case& what, const BoundPlan& plan, runtime::DevicePointer report) {
  const spec::Instance& instance = references_.instances()[what.instance];
  const PreparedInput& input = references_.prepare(what.instance, what.fill);
  Run run{what, lay_out(instance.spec(), plan.layouts(), work_roles), input.layout};
  const ArenaLayout counters = lay_out(instance.spec(), plan.layouts(), counter_roles);

  std::vector<runtime::DevicePointer> pointers = input.pointers;
  for (const ArenaLayout::Buffer& buffer : counters.buffers)
    pointers[buffer.index] = counters_.get() + buffer.offset;
  if (run.work.bytes > 0) device_.fill(work_.get(), 0xff, run.work.bytes, stream_);
  for (const ArenaLayout::Buffer& buffer : run.work.buffers) {
    const runtime::DevicePointer pristine = input.pointers[buffer.index];
    pointers[buffer.index] = work_.get() + buffer.offset;
    if (pristine != 0 && buffer.bytes > 0)
      device_.copy_on_device(pointers[buffer.index], pristine, buffer.bytes, stream_);
  }
  plan.enqueue(device_, pointers, stream_);

  device::Comparison comparison = input.comparison;
  comparison.output = pointers[instance.spec().buffer_index(instance.spec().check.output)];
  comparison.tolerance = what.tolerance;
  helpers_.compare(comparison, report, stream_);
  for (std::size_t i = 0; i < input.also.size(); ++i) {
    device::Comparison also = input.also[i];
    also.output = pointers[instance.spec().buffer_index(instance.spec().check.also_outputs[i])];
    const runtime::DevicePointer also_report = report + (2 + i) * sizeof(device::Report);
    helpers_.compare(also, also_report, stream_);
    helpers_.audit({}, also, also_report, stream_);
  }
  AuditBuilder audit;
  audit.add_guards(run.work, work_.get(), 0);
  audit.add_guards(run.inputs, input.base, static_cast<int>(run.work.guards.size()));
  int slot = 0;
  for (const ArenaLayout::Buffer& buffer : run.inputs.buffers)
    audit.add_checksum(input.pointers[buffer.index], buffer.bytes, slot++);
  audit.add_zero(counters_.get(), counters.bytes);  // its guards, too, are zero
  helpers_.audit(audit.list(), comparison, report, stream_);
  // The baseline moves into the report's neighbour, because a shared stretch may be made anew before anyone reads it.
  device_.copy_on_device(report + sizeof(device::Report), input.baseline, sizeof(device::Report), stream_);
  return run;
}

std::string Verifier::memory_fault(const Run& run, const device::Report& report,
                                   const device::Report& baseline) const {
  const spec::Instance& instance = references_.instances()[run.what.instance];
  if (report.damaged != 0) {
    const auto guard = static_cast<std::size_t>(~report.damaged_inverse);
    const std::size_t work_guards = run.work.guards.size();
    const std::string where = guard < work_guards
                                  ? run.work.guard_text(instance.spec(), guard)
                                  : run.inputs.guard_text(instance.spec(), guard - work_guards);
    return fmt::format("writes {} at {}", where, dims_text(instance));
  }
  for (std::size_t i = 0; i < run.inputs.buffers.size(); ++i) {
    const std::size_t slot = i % device::max_checksums;
    if (report.sums[slot] != baseline.sums[slot])
      return fmt::format("changes '{}', which must stay as it is, at {}",
                         instance.spec().buffers[run.inputs.buffers[i].index].name, dims_text(instance));
  }
  if (report.counters != 0) return fmt::format("leaves a counter other than zero at {}", dims_text(instance));
  return {};
}

std::size_t Verifier::reports_per_run() const {
  return 2 + references_.instances().front().spec().check.also_outputs.size();
}

std::string Verifier::value_fault(const Run& run, const device::Report* reports) const {
  const spec::CheckSpec& check = references_.instances()[run.what.instance].spec().check;
  std::string fault = value_fault(run, check.output, reports[0]);
  for (std::size_t i = 0; i < check.also_outputs.size() && fault.empty(); ++i)
    fault = value_fault(run, check.also_outputs[i], reports[2 + i]);
  return fault;
}

std::string Verifier::value_fault(const Run& run, const std::string& output,
                                  const device::Report& report) const {
  if (report.wrong == 0) return {};
  const spec::Instance& instance = references_.instances()[run.what.instance];
  const std::string where =
      fmt::format("{} wrong element(s) of '{}' at {}, input {}: [{}] is", report.wrong, output,
                  dims_text(instance), fill_text(run.what.fill), ~report.first_inverse);
  if (instance.spec().check.bytes)
    return fmt::format("{} {:#x} instead of {:#x} (bits)", where, report.got_bits, report.expected_bits);
  if (std::isnan(report.got)) return fmt::format("{} NaN instead of {:.9g}", where, report.expected);
  return fmt::format("{} {:.9g} instead of {:.9g} (error {:.3g}, allowed {:.3g})", where, report.got,
                     report.expected, std::abs(report.got - report.expected),
                     run.what.tolerance * report.scale);
}

Verification Verifier::verify(const spec::Config& config, const KernelSet& kernels) {
  const std::vector<Case> cases = cases_for(config, kernels);
  std::map<std::size_t, BoundPlan> plans;
  std::size_t work_bytes = 0, counter_bytes = 0;
  for (const Case& what : cases) {
    if (plans.contains(what.instance)) continue;
    const spec::Instance& instance = references_.instances()[what.instance];
    const BoundPlan& plan =
        plans.emplace(what.instance, BoundPlan(device_, instance, config, kernels)).first->second;
    work_bytes = std::max(work_bytes, lay_out(instance.spec(), plan.layouts(), work_roles).bytes);
    counter_bytes = std::max(counter_bytes, lay_out(instance.spec(), plan.layouts(), counter_roles).bytes);
  }
  const std::size_t per_run = reports_per_run();
  const std::size_t report_bytes = per_run * sizeof(device::Report) * cases.size();
  reserve(work_, work_bytes);
  reserve(counters_, counter_bytes);
  reserve(reports_, report_bytes);

  Verification result;
  std::vector<Run> runs;
  try {
    stopwatch_.start();
    device_.fill(reports_.get(), 0, report_bytes, stream_);
    // Once per config: between its runs, and between launches in use, nobody resets a counter.
    if (counter_bytes > 0) device_.fill(counters_.get(), 0, counter_bytes, stream_);
    for (const Case& what : cases)
      runs.push_back(enqueue(what, plans.at(what.instance),
                             reports_.get() + per_run * sizeof(device::Report) * runs.size()));
    stopwatch_.stop();
    result.gpu_ns = stopwatch_.elapsed_ns();
  } catch (...) {
    references_.invalidate();  // no report says what the runs so far have written
    throw;
  }
  std::vector<device::Report> reports(per_run * cases.size());
  device_.copy_to_host(reports.data(), reports_.get(), report_bytes);

  bool ragged = false, ragged_right = true;
  for (std::size_t i = 0; i < runs.size() && result.reason.empty(); ++i) {
    const device::Report* const of_run = &reports[per_run * i];
    result.reason = memory_fault(runs[i], of_run[0], of_run[1]);
    const std::string value = value_fault(runs[i], of_run);
    if (runs[i].what.instance == 0) {
      if (result.reason.empty()) result.reason = value;
      result.max_error = std::max(result.max_error, std::bit_cast<double>(of_run[0].max_error_bits));
    } else {
      ragged = true;
      ragged_right &= value.empty();
    }
  }
  if (!result.reason.empty()) references_.invalidate();
  result.passed = result.reason.empty();
  result.verified_ragged = result.passed && ragged && ragged_right;
  return result;
}

}  // namespace warptune::tuner
