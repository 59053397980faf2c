// The messages of compile workers.
#include <unordered_map>

#include "tuner/worker/message_parts.hpp"

namespace warptune::tuner {
namespace {

constexpr std::uint32_t no_image = 0xffffffff;

}  // namespace

Message to_message(const CompilerHello& hello) {
  ByteWriter out;
  for (const std::string* text : {&hello.identity, &hello.version, &hello.headers_hash}) out.text(*text);
  return {MessageKind::compiler, out.bytes()};
}

CompilerHello read_compiler_hello(const Message& message) {
  ByteReader in = body_of(message, MessageKind::compiler);
  CompilerHello hello;
  for (std::string* text : {&hello.identity, &hello.version, &hello.headers_hash}) *text = in.text();
  in.end();
  return hello;
}

Message answer_supported(bool supported) {
  ByteWriter out;
  out.boolean(supported);
  return {MessageKind::supported, out.bytes()};
}

bool read_supported(const Message& message) {
  ByteReader in = body_of(message, MessageKind::supported);
  const bool supported = in.boolean();
  in.end();
  return supported;
}

Message to_message(const runtime::CompileRequest& request) {
  ByteWriter out;
  const auto write_text = [&](const std::string& text) { out.text(text); };
  out.text(request.source);
  out.text(request.program_name);
  out.list(request.entries, write_text);
  out.list(request.options, write_text);
  out.list(request.headers, [&](const auto& header) {
    out.text(header.first);
    out.text(header.second);
  });
  out.text(request.architecture);
  return {MessageKind::compile, out.bytes()};
}

runtime::CompileRequest read_compile_request(const Message& message) {
  ByteReader in = body_of(message, MessageKind::compile);
  runtime::CompileRequest request;
  request.source = in.text();
  request.program_name = in.text();
  in.list([&] { request.entries.push_back(in.text()); });
  in.list([&] { request.options.push_back(in.text()); });
  in.list([&] {
    std::string name = in.text();
    request.headers.insert_or_assign(std::move(name), in.text());
  });
  request.architecture = in.text();
  in.end();
  return request;
}

Message to_message(const std::vector<runtime::CompileResult>& results) {
  std::vector<runtime::Image> images;
  std::unordered_map<const void*, std::uint32_t> index;
  for (const runtime::CompileResult& result : results) {
    if (result.kernel && index.emplace(result.kernel->image.get(), images.size()).second)
      images.push_back(result.kernel->image);
  }
  ByteWriter out;
  out.list(images, [&](const runtime::Image& image) {
    out.text({reinterpret_cast<const char*>(image->data()), image->size()});
  });
  // The log is the same for all results of a program.
  out.text(results.empty() ? std::string() : results.front().log);
  out.list(results, [&](const runtime::CompileResult& result) {
    out.text(result.entry);
    out.text(result.error);
    out.boolean(result.source_fails);
    out.word(result.fault);
    out.number(result.kernel ? index.at(result.kernel->image.get()) : no_image);
    if (!result.kernel) return;
    out.text(result.kernel->lowered_name);
    visit_kernel_traits(result.kernel->traits, number_writer(out));
  });
  return {MessageKind::compiled, out.bytes()};
}

std::vector<runtime::CompileResult> read_compile_results(const Message& message) {
  ByteReader in = body_of(message, MessageKind::compiled);
  std::vector<runtime::Image> images;
  in.list([&] {
    const std::string bytes = in.text();
    const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
    images.push_back(std::make_shared<const std::vector<std::byte>>(first, first + bytes.size()));
  });
  const std::string log = in.text();
  std::vector<runtime::CompileResult> results;
  in.list([&] {
    runtime::CompileResult result;
    result.entry = in.text();
    result.error = in.text();
    result.log = log;
    result.source_fails = in.boolean();
    result.fault = in.word(runtime::CompileFault::crashed);
    const auto image = in.number<std::uint32_t>();
    if (image != no_image) {
      if (image >= images.size()) fail_message("an image is missing");
      runtime::CompiledKernel kernel{result.entry, in.text(), images[image], {}};
      visit_kernel_traits(kernel.traits, number_reader(in));
      result.kernel = std::make_shared<const runtime::CompiledKernel>(std::move(kernel));
    }
    results.push_back(std::move(result));
  });
  in.end();
  return results;
}

}  // namespace warptune::tuner
