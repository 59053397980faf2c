#include <algorithm>

#include <warptune/base/error.hpp>

#include "tuner/replay/recordings.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* orders_file = "spaces.json";

// "gemm.csv.gz" to "gemm" and ".csv"; an empty ending where the file is no recording.
std::pair<std::string, std::string> split_name(const std::filesystem::path& file) {
  std::filesystem::path name = file.filename();
  if (name.extension() == ".gz") name = name.stem();
  const std::string ending = name.extension().string();
  if (name == orders_file || (ending != ".csv" && ending != ".json")) return {name.string(), ""};
  return {name.stem().string(), ending};
}

template <typename Load>
auto naming_the_file(const std::filesystem::path& file, const Load& load) {
  try {
    return load();
  } catch (const Error& error) {
    throw Error(error.kind(), "'" + file.string() + "': " + error.what(), error.hint(), error.native_code());
  }
}

RecordedTable parse_table(const std::filesystem::path& file, const std::string& ending) {
  const std::string text = read_text(file);
  return ending == ".csv" ? parse_space_csv(text) : parse_space_t4(text);
}

}  // namespace

RecordedSpace load_recorded_space(const std::filesystem::path& file, const ValueOrders& orders) {
  const auto [name, ending] = split_name(file);
  if (ending.empty())
    throw Error(ErrorKind::bad_input, "'" + file.string() + "' is no recorded space",
                "recorded spaces end in .csv, .csv.gz, .json or .json.gz");
  return naming_the_file(file, [&, &name = name, &ending = ending] {
    return RecordedSpace(name, parse_table(file, ending), orders);
  });
}

std::vector<std::unique_ptr<RecordedSpace>> load_recorded_spaces(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder))
    throw Error(ErrorKind::not_found, "no folder '" + folder.string() + "'",
                "name the folder of the recordings");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file() && !split_name(entry.path()).second.empty()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::map<std::string, ValueOrders> orders;
  if (const auto file = folder / orders_file; std::filesystem::exists(file))
    orders = naming_the_file(file, [&] { return parse_value_orders(read_text(file)); });
  std::vector<std::unique_ptr<RecordedSpace>> spaces;
  for (const std::filesystem::path& file : files) {
    const auto [name, ending] = split_name(file);
    spaces.push_back(naming_the_file(file, [&, &name = name, &ending = ending] {
      return std::make_unique<RecordedSpace>(name, parse_table(file, ending), orders[name]);
    }));
  }
  if (spaces.empty())
    throw Error(ErrorKind::not_found, "no recorded space in '" + folder.string() + "'",
                "recorded spaces end in .csv, .csv.gz, .json or .json.gz");
  return spaces;
}

}  // namespace warptune::tuner
