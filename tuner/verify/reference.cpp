#include "tuner/verify/reference.hpp"

#include <algorithm>
#include <array>

#include "tuner/verify/audit_builder.hpp"

namespace warptune::tuner {
namespace {

constexpr std::array input_roles = {spec::BufferRole::in, spec::BufferRole::inout};

// Output and reference are still to be placed.
device::Comparison comparison_of(const spec::Instance& instance,
                                 const std::vector<spec::BufferLayout>& layouts, std::size_t output) {
  const spec::TemplateSpec& spec = instance.spec();
  const std::string& type = spec::element_type_name(spec.buffers[output], instance.problem());
  device::Comparison comparison{};
  comparison.elements = static_cast<std::uint64_t>(layouts[output].elements);
  comparison.bytes = spec.check.bytes ? static_cast<int>(layouts[output].element_bytes) : 0;
  comparison.element = spec.check.bytes ? bits_code(type) : element_code(type);
  return comparison;
}

// Of the reference, and where values are compared of the scale as well.
std::size_t reference_bytes(const device::Comparison& comparison) {
  const std::size_t each =
      comparison.bytes != 0 ? static_cast<std::size_t>(comparison.bytes) : sizeof(double);
  return aligned_bytes(comparison.elements * each);
}

}  // namespace

ReferenceStore::ReferenceStore(runtime::Device& device, const HelperKernels& helpers,
                               std::vector<spec::Instance> instances, runtime::FunctionHandle reference,
                               const GivenOperands& given, runtime::StreamHandle stream,
                               std::size_t resident_bytes, std::uint64_t seed)
    : device_(device),
      helpers_(helpers),
      instances_(std::move(instances)),
      reference_(reference),
      given_(given),
      stream_(stream),
      resident_left_(resident_bytes),
      seed_(seed) {}

ReferenceStore::Entry& ReferenceStore::entry(std::size_t instance, const FillChange& change) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const auto& e) {
    return e->instance == instance && e->change == change;
  });
  if (found != entries_.end()) return **found;

  auto made = std::make_unique<Entry>();
  made->instance = instance;
  made->change = change;
  const spec::Instance& where = instances_[instance];
  const spec::TemplateSpec& spec = where.spec();
  // What the caller supplies has the same size under every config; the default is valid for every problem.
  const std::vector<spec::BufferLayout> layouts = where.buffers(spec.default_config);
  const std::size_t output = spec.buffer_index(spec.check.output);
  PreparedInput& input = made->input;
  input.layout = lay_out(spec, layouts, input_roles);
  input.comparison = comparison_of(where, layouts, output);
  for (const std::string& name : spec.check.also_outputs)
    input.also.push_back(comparison_of(where, layouts, spec.buffer_index(name)));
  made->bytes = input.layout.bytes + (spec.check.bytes ? 1 : 2) * reference_bytes(input.comparison);
  for (const device::Comparison& also : input.also) made->bytes += reference_bytes(also);
  made->baseline = runtime::DeviceBuffer(device_, sizeof(device::Report));
  input.baseline = made->baseline.get();
  if (made->bytes <= resident_left_) {
    made->memory = runtime::DeviceBuffer(device_, std::max<std::size_t>(made->bytes, 1));
    resident_left_ -= made->bytes;
  }
  entries_.push_back(std::move(made));
  return *entries_.back();
}

void ReferenceStore::place(Entry& entry) {
  runtime::DevicePointer memory = entry.memory.get();
  if (memory == 0) {
    if (shared_.bytes() < entry.bytes) {
      shared_ = runtime::DeviceBuffer();  // first give back, then ask: both together may not fit
      shared_ = runtime::DeviceBuffer(device_, entry.bytes);
    }
    in_shared_ = &entry;
    memory = shared_.get();
  }
  PreparedInput& input = entry.input;
  input.base = memory;
  input.pointers.assign(instances_[entry.instance].spec().buffers.size(), 0);
  for (const ArenaLayout::Buffer& buffer : input.layout.buffers)
    input.pointers[buffer.index] = memory + buffer.offset;
  input.comparison.reference = memory + input.layout.bytes;
  runtime::DevicePointer end = input.comparison.reference + reference_bytes(input.comparison);
  if (input.comparison.bytes == 0) input.comparison.scale = end;
  for (device::Comparison& also : input.also) {
    also.reference = end;
    end += reference_bytes(also);
  }
}

void ReferenceStore::generate(Entry& entry) {
  const spec::Instance& instance = instances_[entry.instance];
  const std::vector<spec::BufferLayout> layouts = instance.buffers(instance.spec().default_config);
  PreparedInput& input = entry.input;
  if (input.layout.bytes > 0) device_.fill(input.base, 0xff, input.layout.bytes, stream_);
  for (const ArenaLayout::Buffer& buffer : input.layout.buffers) {
    if (entry.change.given && given_.copy_to(input.pointers[buffer.index], buffer.index, stream_)) continue;
    helpers_.fill(input.pointers[buffer.index], layouts[buffer.index].elements,
                  buffer_fill(instance, buffer.index, entry.change, seed_), stream_);
  }
  // Where bytes are compared, what the reference leaves alone must be what an output was poisoned with.
  device_.fill(input.comparison.reference, input.comparison.bytes != 0 ? 0xff : 0,
               entry.bytes - input.layout.bytes, stream_);

  std::vector<runtime::DevicePointer> pointers = input.pointers;
  pointers.push_back(input.comparison.reference);
  pointers.push_back(input.comparison.scale);
  for (const device::Comparison& also : input.also) pointers.push_back(also.reference);
  BoundPlan(instance.check_plan(), reference_).enqueue(device_, pointers, stream_);

  AuditBuilder audit;
  int slot = 0;
  for (const ArenaLayout::Buffer& buffer : input.layout.buffers)
    audit.add_checksum(input.pointers[buffer.index], buffer.bytes, slot++);
  device_.fill(input.baseline, 0, sizeof(device::Report), stream_);
  helpers_.audit(audit.list(), input.comparison, input.baseline, stream_);
  entry.ready = true;
}

const PreparedInput& ReferenceStore::prepare(std::size_t instance, const FillChange& change) {
  Entry& wanted = entry(instance, change);
  const bool overwritten = wanted.memory.get() == 0 && in_shared_ != &wanted;
  if (!wanted.ready || overwritten) {
    place(wanted);
    generate(wanted);
  }
  return wanted.input;
}

void ReferenceStore::invalidate() {
  for (const auto& entry : entries_) entry->ready = false;
}

}  // namespace warptune::tuner
