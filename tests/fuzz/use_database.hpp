// Does with a database what programs do: reads everything, merges it, writes to it, sets it aside. Whatever is wrong
// with the file may end in an Error, never in anything else.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace warptune::fuzz {

// Reads everything of a database or bundle that lies in memory.
void use_image(std::span<const std::byte> image);
void use_database(const std::filesystem::path& file);

}  // namespace warptune::fuzz
