// Reading and publishing small files. All functions are thread-safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace warptune {

// Whole content of a regular file. Errors: not_found, io (folders and files above `limit_bytes` are refused).
std::string read_file(const std::filesystem::path& path, std::size_t limit_bytes = std::size_t{256} << 20);

// What a published file survives: the end of the writing process, or a power cut too.
enum class Durability { process, power_cut };

// Writes to a temporary name in the same folder, then renames: readers see the old or the new file, never a
// part. Creates missing parent folders. Others may read files and folders, never write. Error: io.
void publish_file(const std::filesystem::path& path, std::string_view content,
                  Durability durability = Durability::power_cut);

}  // namespace warptune
