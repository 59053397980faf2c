// Does with a database what programs do: reads everything, merges it, writes to it, sets it aside. Whatever is wrong
// with the file may end in an Error, never in anything else.
#pragma once

#include <filesystem>

namespace warptune::fuzz {

void use_database(const std::filesystem::path& file);

}  // namespace warptune::fuzz
