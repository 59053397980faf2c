// Operands, the expected bytes and the run of one embedding look-up.
#include "tests/simt/embedding_case.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <variant>
#include <vector>

#include <warptune/spec/catalog.hpp>

#include "tests/simt/bulk_copies.hpp"
#include "tests/simt/kernel_order.hpp"

namespace warptune::simt {
namespace {

constexpr unsigned char poison = 0xee;

const spec::TemplatePtr& embedding() {
  static const spec::TemplatePtr found = spec::find_template("embedding");
  return found;
}

const char* element_type(int bytes) {
  switch (bytes) {
    case 1:
      return "unsigned char";
    case 2:
      return "__half";
    case 4:
      return "float";
    default:
      return "double";
  }
}

std::int64_t pitch_of(const EmbeddingEntry& entry, std::int64_t asked, std::int64_t h) {
  const std::int64_t step = access_bytes(entry) / entry.element_bytes;
  return asked != 0 ? asked : (h + step - 1) / step * step;
}

// A byte for every place of the table, no two neighbouring rows or columns alike.
unsigned char table_byte(std::size_t i) {
  std::uint64_t word = (i + 1) * 0x9e3779b97f4a7c15ull;
  return static_cast<unsigned char>(word >> 56);
}

std::vector<std::int64_t> make_ids(const EmbeddingCase& test) {
  const bool narrow = test.entry->id_type == "int";
  const std::int64_t outside[] = {
      -1, test.v, narrow ? std::numeric_limits<int>::min() : std::numeric_limits<std::int64_t>::min(),
      narrow ? std::numeric_limits<int>::max() : std::numeric_limits<std::int64_t>::max()};
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < test.n; ++i) {
    const bool bad = test.ids == Ids::mixed && i % 3 == 1;
    ids.push_back(bad ? outside[i / 3 % 4] : test.v == 0 ? 0 : (i * 7 + i / 5) % test.v);
  }
  return ids;
}

// `bytes` behind `offset` bytes, in a heap block that ends with them and begins at a multiple of 16.
class Block {
 public:
  Block(std::size_t bytes, std::size_t offset)
      : memory_(new unsigned char[offset + bytes]), offset_(offset), bytes_(bytes) {
    std::memset(memory_.get(), poison, offset + bytes);
  }
  unsigned char* data() { return memory_.get() + offset_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::unique_ptr<unsigned char[]> memory_;
  std::size_t offset_, bytes_;
};

struct Expected {
  std::vector<unsigned char> output;
  std::int64_t first_bad = -1;
};

// By the documented policy, from ids and table alone.
Expected expect(const EmbeddingCase& test, const std::vector<std::int64_t>& ids, Block& table,
                std::size_t output_bytes) {
  const auto size = static_cast<std::size_t>(test.entry->element_bytes);
  const auto row_bytes = static_cast<std::size_t>(test.h) * size;
  const auto from_pitch = static_cast<std::size_t>(pitch_of(*test.entry, test.table_pitch, test.h)) * size;
  const auto to_pitch = static_cast<std::size_t>(pitch_of(*test.entry, test.output_pitch, test.h)) * size;
  Expected expected;
  expected.output.assign(output_bytes, poison);
  for (std::size_t i = 0; i < ids.size() && row_bytes > 0; ++i) {
    std::int64_t id = ids[i];
    bool zeros = test.v == 0;
    if (id < 0 || id >= test.v) {
      if (test.entry->policy == "clamp")
        id = std::clamp<std::int64_t>(id, 0, std::max<std::int64_t>(test.v - 1, 0));
      else
        zeros = true;
    }
    unsigned char* const row = expected.output.data() + i * to_pitch;
    if (zeros)
      std::memset(row, 0, row_bytes);
    else
      std::memcpy(row, table.data() + static_cast<std::size_t>(id) * from_pitch, row_bytes);
  }
  if (test.entry->policy == "check")
    for (std::size_t i = ids.size(); i-- > 0;)
      if (ids[i] < 0 || ids[i] >= test.v) expected.first_bad = static_cast<std::int64_t>(i);
  return expected;
}

std::vector<long long> scalars_of(const spec::KernelStep& step) {
  std::vector<long long> scalars;
  for (const spec::PlanArgument& argument : step.arguments) {
    if (argument.buffer != spec::PlanArgument::scalar) continue;
    long long value = 0;
    std::memcpy(&value, argument.bytes.data(), argument.size_bytes);
    scalars.push_back(value);
  }
  return scalars;
}

}  // namespace

std::string EmbeddingCase::text() const {
  return entry->name + " NUM_THREADS=" + std::to_string(num_threads) +
         " BLOCKS_PER_SM=" + std::to_string(blocks_per_sm) + " v=" + std::to_string(v) +
         " n=" + std::to_string(n) + " h=" + std::to_string(h) +
         " pitches=" + std::to_string(pitch_of(*entry, table_pitch, h)) + "," +
         std::to_string(pitch_of(*entry, output_pitch, h)) + " offsets=" + std::to_string(table_offset) +
         "," + std::to_string(output_offset) + (ids == Ids::mixed ? " ids outside" : "") +
         (order == Order::forward ? " forward" : " reverse");
}

std::int64_t access_bytes(const EmbeddingEntry& entry) {
  if (entry.tunables.at("MAPPING").text() == "bulk") return 16;
  const std::int64_t pack =
      entry.tunables.at("ACCESS").text() == "packed" ? entry.tunables.at("PACK").as_integer() : 1;
  return pack * entry.element_bytes;
}

std::int64_t rows_per_tile(const EmbeddingEntry& entry, int num_threads, std::int64_t h) {
  const std::string mapping = entry.tunables.at("MAPPING").text();
  const auto value = [&](const char* name) { return tunable(entry, name); };
  if (mapping == "rows" || mapping == "whole") return num_threads / value("THREADS_PER_ROW") * value("ROWS");
  if (mapping == "bulk") return num_threads / 32;
  const std::int64_t pieces = std::max<std::int64_t>(1, (h + value("PACK") - 1) / value("PACK"));
  return std::max<std::int64_t>(1, num_threads * value("UNROLL") / pieces);
}

spec::Instance instance_of(const EmbeddingCase& test) {
  // One multiprocessor: grids of a few blocks already loop over several tiles.
  spec::DeviceTraits device;
  device.model = "CPU";
  device.compute_capability = 90;
  device.sm_count = 1;
  device.max_shared_bytes = 232448;
  spec::Problem problem;
  problem.types = {{"T", element_type(test.entry->element_bytes)}, {"I", test.entry->id_type}};
  problem.dims = {{"v", test.v},
                  {"n", test.n},
                  {"h", test.h},
                  {"table_pitch", pitch_of(*test.entry, test.table_pitch, test.h)},
                  {"output_pitch", pitch_of(*test.entry, test.output_pitch, test.h)}};
  problem.attributes["policy"] = test.entry->policy;
  return spec::Instance(embedding(), problem, device);
}

spec::Config config_of(const EmbeddingCase& test) {
  std::map<std::string, spec::Value> named = test.entry->tunables;
  named["NUM_THREADS"] = spec::Value::integer(test.num_threads);
  named["BLOCKS_PER_SM"] = spec::Value::integer(test.blocks_per_sm);
  return spec::from_named(*embedding(), named);
}

std::string run_embedding(const EmbeddingCase& test) {
  const spec::Instance instance = instance_of(test);
  const spec::Config config = config_of(test);
  if (const auto exclusion = instance.excluded(config)) return test.text() + ": excluded: " + exclusion->why;
  const std::vector<spec::BufferLayout> layouts = instance.buffers(config);
  const auto bytes = [&](const char* name) {
    return static_cast<std::size_t>(layouts[instance.spec().buffer_index(name)].bytes());
  };
  const auto offset = [&](int accesses) {
    return static_cast<std::size_t>(accesses * access_bytes(*test.entry));
  };

  const std::vector<std::int64_t> ids = make_ids(test);
  Block id_block(bytes("ids"), 0), table(bytes("table"), offset(test.table_offset)),
      output(bytes("output"), offset(test.output_offset)), first_bad(bytes("first_bad"), 0);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::size_t size = test.entry->id_type == "int" ? 4 : 8;
    std::memcpy(id_block.data() + i * size, &ids[i], size);  // little endian
  }
  for (std::size_t i = 0; i < table.bytes(); ++i) table.data()[i] = table_byte(i);

  for (const spec::PlanStep& planned : instance.plan(config).steps) {
    if (const auto* memset_step = std::get_if<spec::MemsetStep>(&planned)) {
      if (instance.spec().buffers[memset_step->buffer].name != "first_bad")
        return test.text() + ": wrong memset";
      std::memset(first_bad.data(), memset_step->byte, first_bad.bytes());
      continue;
    }
    const auto& step = std::get<spec::KernelStep>(planned);
    const EmbeddingKernel kernel = embedding_entry(step.entry).kernel;
    const std::vector<long long> scalars = scalars_of(step);
    BulkCopies::instance().begin_launch(step.shared_bytes);
    kernel_waits = 0;
    Machine::instance().launch({step.grid.x}, {step.block.x}, test.order, [&] {
      kernel(id_block.data(), table.data(), output.data(),
             reinterpret_cast<unsigned long long*>(first_bad.bytes() > 0 ? first_bad.data() : nullptr),
             scalars.data());
    });
    if (!BulkCopies::instance().all_waited_for()) return test.text() + ": leaves with copies under way";
    if (kernel_waits != step.grid.x * step.block.x)
      return test.text() + ": a thread does not wait for the kernel ahead";
  }

  const Expected expected = expect(test, ids, table, output.bytes());
  for (std::size_t i = 0; i < output.bytes(); ++i)
    if (output.data()[i] != expected.output[i])
      return test.text() + ": byte " + std::to_string(i) + " of the output is " +
             std::to_string(output.data()[i]) + " instead of " + std::to_string(expected.output[i]);
  std::int64_t reported = -1;
  if (first_bad.bytes() > 0) std::memcpy(&reported, first_bad.data(), sizeof(reported));
  if (reported != expected.first_bad)
    return test.text() + ": first_bad is " + std::to_string(reported) + " instead of " +
           std::to_string(expected.first_bad);
  return {};
}

}  // namespace warptune::simt
