// Writes for start_bare what the runtime would launch for its call: dot of float at start_up_n from a bundle.
//   start_plan BUNDLE FOLDER
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <variant>

#include <warptune/base/error.hpp>
#include <warptune/base/file.hpp>
#include <warptune/db/bundle.hpp>
#include <warptune/runtime/device.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/runtime/selection.hpp>
#include <warptune/spec/catalog.hpp>

#include "bench/bare_driver.hpp"

namespace {

namespace wt = warptune::runtime;
namespace db = warptune::db;
namespace spec = warptune::spec;

constexpr std::size_t scratch_alignment_bytes = 256;

// Buffers as words of the plan; the sizes of scratch are added up.
std::vector<std::string> places(const spec::Instance& instance, const spec::Config& config,
                                std::size_t& workspace, std::size_t& counters) {
  std::vector<std::string> words;
  const auto layouts = instance.buffers(config);
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const spec::BufferSpec& buffer = instance.spec().buffers[i];
    if (spec::is_operand(buffer.role)) {
      words.push_back(buffer.name);
      continue;
    }
    const bool counter = buffer.role == spec::BufferRole::counter;
    std::size_t& total = counter ? counters : workspace;
    words.push_back((counter ? "c+" : "w+") + std::to_string(total));
    const auto bytes = static_cast<std::size_t>(layouts[i].bytes());
    total += (bytes + scratch_alignment_bytes - 1) / scratch_alignment_bytes * scratch_alignment_bytes;
  }
  return words;
}

std::string value_word(const spec::PlanArgument& argument) {
  std::uint64_t value = 0;
  for (std::size_t i = argument.size_bytes; i > 0; --i)
    value = value << 8 | static_cast<std::uint64_t>(argument.bytes[i - 1]);
  return "v:" + std::to_string(argument.size_bytes) + ":" + std::to_string(value);
}

void write_plan(const std::string& bundle, const std::filesystem::path& folder) {
  const auto device = wt::open_cuda_device(0);
  const db::BundleReader reader(db::Store::open(bundle, db::OpenMode::read_only));
  const spec::TemplatePtr dot = spec::find_template("dot");
  spec::Problem problem;
  problem.types = {{"T", "float"}};
  problem.dims = {{"n", warptune::bench::start_up_n}};
  const spec::Instance instance(dot, problem, device->info().traits);
  const wt::Selector selector(instance, {}, reader.store().winners(std::nullopt, "dot"));
  const wt::Candidate chosen = selector.rank(problem.dims, 16, {}).candidates.front();

  std::size_t workspace = 0, counters = 0;
  const std::vector<std::string> words = places(instance, chosen.config, workspace, counters);
  std::ostringstream lines;
  int number = 0;
  for (const spec::PlanStep& step : instance.plan(chosen.config).steps) {
    const auto* kernel = std::get_if<spec::KernelStep>(&step);
    if (kernel == nullptr) throw warptune::Error(warptune::ErrorKind::unsupported, "a plan with a memset");
    const auto code = reader.find_kernel({dot->hash, kernel->entry, device->info().architecture(), ""});
    if (!code) throw warptune::Error(warptune::ErrorKind::not_found, "the bundle lacks " + kernel->entry);
    const std::filesystem::path image = folder / (std::to_string(number++) + ".cubin");
    warptune::publish_file(image, {reinterpret_cast<const char*>(code->image.data()), code->image.size()});
    lines << image.string() << ' ' << code->lowered_name;
    for (const spec::Dim3& size : {kernel->grid, kernel->block})
      lines << ' ' << size.x << ' ' << size.y << ' ' << size.z;
    lines << ' ' << kernel->shared_bytes;
    for (const spec::PlanArgument& argument : kernel->arguments)
      lines << ' '
            << (argument.buffer == spec::PlanArgument::scalar ? value_word(argument)
                                                              : words[argument.buffer]);
    lines << '\n';
  }
  warptune::publish_file(folder / "plan",
                         std::to_string(workspace) + " " + std::to_string(counters) + "\n" + lines.str());
  std::printf("%s: %s\n", wt::to_string(chosen.selection.match), chosen.selection.config.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: start_plan BUNDLE FOLDER\n");
    return 2;
  }
  try {
    write_plan(argv[1], argv[2]);
    return 0;
  } catch (const warptune::Error& error) {
    std::fprintf(stderr, "start_plan: %s\n", error.full_text().c_str());
    return error.kind() == warptune::ErrorKind::no_device ? 77 : 1;
  }
}
