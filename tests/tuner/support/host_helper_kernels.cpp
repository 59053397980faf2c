#include "tests/tuner/support/host_helper_kernels.hpp"

#include <cstring>

#include "tuner/verify/device_layout.hpp"

// What device_kernels.cu takes from CUDA, for a grid of one thread.
#define __device__
#define __global__ static

namespace warptune::tuner::device {
namespace {

Word64 first_index() { return 0; }
Word64 index_stride() { return 1; }

unsigned bits_of(float value) {
  unsigned bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
Word64 bits_of(double value) {
  Word64 bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
float float_of(unsigned bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

void add_to(Word64* total, Word64 value) { *total += value; }
void raise_to(Word64* largest, Word64 value) { *largest = value > *largest ? value : *largest; }

Quad load_once(const Quad* address) { return *address; }

// Time passes by being looked at.
Word64 now_ns() {
  static Word64 now = 0;
  return now += 1000;
}

// 2 GHz, on one multiprocessor.
Word64 now_cycles() { return 2 * (now_ns() - 1000); }
int this_sm() { return 0; }

}  // namespace
}  // namespace warptune::tuner::device

#include "tuner/verify/device_kernels.cu"

namespace warptune::test {

using testing::StubDevice;
using testing::StubLaunch;
using tuner::device::AuditList;
using tuner::device::Comparison;
using tuner::device::Filling;
using tuner::device::Quad;
using tuner::device::Report;
using tuner::device::SpanWatch;
using tuner::device::Word64;

void define_helper_kernels(StubDevice& device) {
  const std::string space = "warptune::tuner::device::";
  device.define<Word64, Word64, Filling>(space + "fill_elements",
                                         [](const StubLaunch&, Word64 pointer, Word64 elements, Filling how) {
                                           tuner::device::fill_elements(pointer, elements, how);
                                         });
  device.define<Comparison, Report*>(
      space + "compare_output",
      [](const StubLaunch&, Comparison c, Report* report) { tuner::device::compare_output(c, report); });
  device.define<AuditList, Comparison, Report*>(
      space + "audit", [](const StubLaunch&, AuditList list, Comparison c, Report* report) {
        tuner::device::audit(list, c, report);
      });
  device.define<const Quad*, Word64, unsigned*>(
      space + "read_quads", [](const StubLaunch&, const Quad* data, Word64 quads, unsigned* sink) {
        tuner::device::read_quads(data, quads, sink);
      });
  device.define<const Quad*, Word64, unsigned*>(
      space + "stream_quads", [](const StubLaunch&, const Quad* data, Word64 quads, unsigned* sink) {
        tuner::device::stream_quads(data, quads, sink);
      });
  device.define<Quad*, Word64>(space + "write_quads", [](const StubLaunch&, Quad* data, Word64 quads) {
    tuner::device::write_quads(data, quads);
  });
  device.define<const Quad*, Quad*, Word64>(space + "copy_quads",
                                            [](const StubLaunch&, const Quad* from, Quad* to, Word64 quads) {
                                              tuner::device::copy_quads(from, to, quads);
                                            });
  // The timer here is made up: it says nothing of when work was met on the clock of whoever handed it over.
  device.define<SpanWatch*>(space + "begin_watch", [](const StubLaunch&, SpanWatch* watch) {
    tuner::device::begin_watch(watch);
    watch->arrived_ns = 0;
  });
  device.define<Word64, SpanWatch*>(
      space + "wait_ns",
      [](const StubLaunch&, Word64 duration, SpanWatch* watch) { tuner::device::wait_ns(duration, watch); });
  device.define<SpanWatch*>(space + "end_watch",
                            [](const StubLaunch&, SpanWatch* watch) { tuner::device::end_watch(watch); });
  device.define<>(space + "do_nothing", [](const StubLaunch&) { tuner::device::do_nothing(); });
}

}  // namespace warptune::test
