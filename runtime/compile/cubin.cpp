#include "runtime/compile/cubin.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace warptune::runtime {
namespace {

// Attributes of .nv.info sections; the numbers were read off cubins of sm_75 to sm_120 and agree with ptxas -v.
constexpr std::uint8_t attribute_max_threads = 0x05;  // three u32
constexpr std::uint8_t attribute_frame_bytes = 0x11;  // symbol, u32
constexpr std::uint8_t attribute_registers = 0x2f;    // symbol, u32
constexpr std::uint8_t format_sized =
    0x04;  // a payload of the given size follows; others are four bytes in all

// From compute capability 9.0 on, a kernel's shared section includes what the driver reserves per block.
constexpr std::uint32_t reserved_from_capability = 90;
constexpr std::uint64_t reserved_shared_bytes = 1024;

class Image {
 public:
  explicit Image(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  std::optional<T> read(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  // Empty where it does not lie inside.
  std::span<const std::byte> part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || bytes_.size() - offset < size) return {};
    return bytes_.subspan(offset, size);
  }

  std::string_view text(std::span<const std::byte> strings, std::uint64_t offset) const {
    if (offset >= strings.size()) return {};
    const char* start = reinterpret_cast<const char*>(strings.data()) + offset;
    return {start, ::strnlen(start, strings.size() - offset)};
  }

 private:
  std::span<const std::byte> bytes_;
};

std::uint32_t word_at(std::span<const std::byte> payload, std::size_t offset) {
  std::uint32_t word = 0;
  if (payload.size() >= offset + sizeof(word)) std::memcpy(&word, payload.data() + offset, sizeof(word));
  return word;
}

// Calls visit(attribute, payload) for each attribute of a .nv.info section.
template <typename Visit>
void for_each_attribute(std::span<const std::byte> section, const Visit& visit) {
  while (section.size() >= 4) {
    const auto format = static_cast<std::uint8_t>(section[0]);
    const auto attribute = static_cast<std::uint8_t>(section[1]);
    std::uint16_t size = 0;
    std::memcpy(&size, section.data() + 2, sizeof(size));
    section = section.subspan(4);
    if (format != format_sized) continue;
    if (size > section.size()) return;
    visit(attribute, section.first(size));
    section = section.subspan(size);
  }
}

struct Sections {
  std::uint32_t capability = 0;  // 10 * major + minor of the architecture
  std::vector<Elf64_Shdr> headers;
  std::span<const std::byte> names;
};

std::optional<Sections> read_sections(const Image& image) {
  const auto header = image.read<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shstrndx >= header->e_shnum) return std::nullopt;
  Sections sections;
  // ABI 8 (CUDA 13) keeps the architecture in the second byte of the flags, earlier ones in the first.
  sections.capability = (header->e_ident[EI_ABIVERSION] >= 8 ? header->e_flags >> 8 : header->e_flags) & 0xff;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section = image.read<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return std::nullopt;
    sections.headers.push_back(*section);
  }
  const Elf64_Shdr& names = sections.headers[header->e_shstrndx];
  sections.names = image.part(names.sh_offset, names.sh_size);
  return sections;
}

// Names of the symbol table's entries, by index.
std::vector<std::string_view> read_symbols(const Image& image, const Sections& sections) {
  std::vector<std::string_view> symbols;
  for (const Elf64_Shdr& table : sections.headers) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.headers.size()) continue;
    const Elf64_Shdr& strings = sections.headers[table.sh_link];
    const auto text = image.part(strings.sh_offset, strings.sh_size);
    const auto entries = image.part(table.sh_offset, table.sh_size);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= entries.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, entries.data() + at, sizeof(symbol));
      symbols.push_back(image.text(text, symbol.st_name));
    }
  }
  return symbols;
}

bool take_prefix(std::string_view& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::map<std::string, spec::KernelTraits> cubin_kernels(std::span<const std::byte> bytes) {
  std::map<std::string, spec::KernelTraits> kernels;
  const Image image(bytes);
  const auto sections = read_sections(image);
  if (!sections) return kernels;
  const auto symbols = read_symbols(image, *sections);
  for (const Elf64_Shdr& header : sections->headers) {
    std::string_view name = image.text(sections->names, header.sh_name);
    const auto content = header.sh_type == SHT_NOBITS ? std::span<const std::byte>{}
                                                      : image.part(header.sh_offset, header.sh_size);
    if (name == ".nv.info") {
      for_each_attribute(content, [&](std::uint8_t attribute, std::span<const std::byte> payload) {
        const std::uint32_t symbol = word_at(payload, 0);
        if (payload.size() < 8 || symbol >= symbols.size()) return;
        spec::KernelTraits& kernel = kernels[std::string(symbols[symbol])];
        const int value = static_cast<int>(word_at(payload, 4) & 0x7fffffff);
        if (attribute == attribute_registers) kernel.registers = value;
        if (attribute == attribute_frame_bytes) kernel.local_bytes = value;
      });
    } else if (take_prefix(name, ".nv.info.")) {
      for_each_attribute(content, [&](std::uint8_t attribute, std::span<const std::byte> payload) {
        if (attribute != attribute_max_threads || payload.size() < 12) return;
        const std::uint64_t threads = std::uint64_t{word_at(payload, 0)} * (word_at(payload, 4) & 0xffff) *
                                      (word_at(payload, 8) & 0xffff);
        if (threads > 0 && threads <= 1024)
          kernels[std::string(name)].max_threads_per_block = static_cast<int>(threads);
      });
    } else if (take_prefix(name, ".nv.shared.") && header.sh_size <= (std::uint64_t{1} << 30)) {
      const std::uint64_t reserved =
          sections->capability >= reserved_from_capability ? reserved_shared_bytes : 0;
      kernels[std::string(name)].static_shared_bytes =
          static_cast<int>(header.sh_size - std::min<std::uint64_t>(header.sh_size, reserved));
    }
  }
  std::erase_if(kernels, [](const auto& kernel) {
    return kernel.second.registers == 0;
  });  // reserved sections, no kernels
  return kernels;
}

}  // namespace warptune::runtime
