#include "runtime/dispatch/messages.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include <fmt/format.h>

#include <warptune/base/text.hpp>
#include <warptune/spec/element_type.hpp>

namespace warptune::runtime {
namespace {

// Names of the buffers that the caller gives, in order.
std::vector<std::string> operand_names(const spec::TemplateSpec& spec) {
  std::vector<std::string> names;
  for (const spec::BufferSpec& buffer : spec.buffers) {
    if (spec::is_operand(buffer.role)) names.push_back(buffer.name);
  }
  return names;
}

template <typename Map>
std::string options_text(std::string_view option, const Map& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format(" {} {}", option, shell_word(fmt::format("{}={}", name, value)));
  return text;
}

}  // namespace

std::string faults_text(const db::Store& store) {
  if (store.faults().empty()) return {};
  const db::RowFault& first = store.faults().front();
  return fmt::format("{}: {} unreadable rows are ignored, the first is row {} of {}: {}",
                     store.path().string(), store.faults().size(), first.row, first.table, first.what);
}

std::string dims_text(const spec::TemplateSpec& spec, std::span<const std::int64_t> dims) {
  std::string text;
  for (std::size_t i = 0; i < dims.size() && i < spec.dims.size(); ++i) {
    text += fmt::format("{}{}={}", i == 0 ? "" : " ", spec.dims[i].name, dims[i]);
  }
  return text;
}

Error wrong_dim_count(const spec::TemplateSpec& spec, std::size_t given) {
  std::vector<std::string> names;
  for (const spec::DimSpec& dim : spec.dims) names.push_back(dim.name);
  return Error(ErrorKind::usage,
               fmt::format("{} takes {} dims ({}), got {}", spec.name, names.size(), join(names), given));
}

Error wrong_pointer_count(const spec::TemplateSpec& spec, std::size_t given) {
  const std::vector<std::string> names = operand_names(spec);
  return Error(ErrorKind::usage,
               fmt::format("{} takes {} pointers ({}), got {}", spec.name, names.size(), join(names), given));
}

Error misaligned_pointer(const spec::TemplateSpec& spec, std::span<void* const> pointers) {
  std::string addresses;
  const std::vector<std::string> names = operand_names(spec);
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    addresses +=
        fmt::format("{}{}={:#x}", i == 0 ? "" : " ", names[i], reinterpret_cast<std::uintptr_t>(pointers[i]));
  }
  return Error(ErrorKind::usage,
               fmt::format("{}: a pointer is not aligned to its element's size: {}", spec.name, addresses));
}

Error wrong_element_type(const spec::TemplateSpec& spec, const spec::BufferSpec& buffer,
                         std::string_view type, std::string_view given) {
  return Error(
      ErrorKind::usage,
      fmt::format("{}: operand {} is of {} here, the pointer is to {}", spec.name, buffer.name, type, given),
      "pass a pointer to that, get the kernel for other types, or pass a void*, which is not checked");
}

Error null_pointer(const spec::TemplateSpec& spec, std::uint64_t missing) {
  return Error(ErrorKind::usage,
               fmt::format("{}: operand {} is null but has elements at these dims", spec.name,
                           operand_names(spec)[static_cast<std::size_t>(std::countr_zero(missing))]));
}

std::string shape_class(const spec::Instance& instance, const NamedDims& dims) {
  std::string text = instance.spec().name;
  for (const auto& [name, type] : instance.problem().types) text += fmt::format(" {}={}", name, type);
  for (const auto& [name, word] : instance.problem().attributes) text += fmt::format(" {}={}", name, word);
  text += " " + instance.problem().allowed.key();
  for (const spec::DimSpec& dim : instance.spec().dims) {
    const std::int64_t value = dims.find(dim.name)->second;
    text += dim.key ? fmt::format(" {}={}", dim.name, value)
                    : fmt::format(" {}~{}", dim.name, std::bit_width(static_cast<std::uint64_t>(value)));
  }
  return text;
}

std::string tune_command(std::string_view kernel, const spec::Instance& instance, const NamedDims& dims,
                         const std::filesystem::path& database) {
  const spec::Problem& problem = instance.problem();
  std::string text = "warptune tune " + shell_word(std::string(kernel));
  for (const auto& [name, type] : problem.types) {
    const auto known = spec::find_element_type(type);
    text += " --types " + shell_word(fmt::format("{}={}", name, known ? std::string(known->alias) : type));
  }
  text += options_text("--dims", dims);
  std::map<std::string, std::string> attributes;
  for (const auto& [name, word] : problem.attributes) {
    if (word != "any") attributes.emplace(name, word);
  }
  text += options_text("--attributes", attributes);
  if (problem.allowed.approx) text += " --allow approx";
  if (problem.allowed.nondeterministic) text += " --allow nondeterministic";
  return text + " --db " + shell_word(database.string());
}

}  // namespace warptune::runtime
