// What the runtime says to people: texts of errors and notices, built off the fast path. Pure functions,
// thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include <warptune/base/error.hpp>
#include <warptune/db/store.hpp>
#include <warptune/spec/instance.hpp>

namespace warptune::runtime {

using NamedDims = std::map<std::string, std::int64_t, std::less<>>;

// "n=1024", dims in the manifest's order.
std::string dims_text(const spec::TemplateSpec& spec, std::span<const std::int64_t> dims);

// Errors of wrong use, to be thrown.
Error wrong_dim_count(const spec::TemplateSpec& spec, std::size_t given);
Error wrong_pointer_count(const spec::TemplateSpec& spec, std::size_t given);
Error misaligned_pointer(const spec::TemplateSpec& spec, std::span<void* const> pointers);
Error wrong_element_type(const spec::TemplateSpec& spec, const spec::BufferSpec& buffer,
                         std::string_view type, std::string_view given);
// `missing`: bit per caller pointer.
Error null_pointer(const spec::TemplateSpec& spec, std::uint64_t missing);

// Notices are given once per GPU model and shape class: kernel, types, attributes, numerics, each key dim as it is, and
// each free dim by floor(log2(dim)), with a class of its own for 0.
std::string shape_class(const spec::Instance& instance, const NamedDims& dims);

// That rows of a database cannot be read; empty: all can.
std::string faults_text(const db::Store& store);

// The command that tunes the problem, to be pasted into a shell. `kernel`: as the caller named it.
std::string tune_command(std::string_view kernel, const spec::Instance& instance, const NamedDims& dims,
                         const std::filesystem::path& database);

}  // namespace warptune::runtime
