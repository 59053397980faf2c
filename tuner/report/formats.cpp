#include "tuner/report/formats.hpp"

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>

namespace warptune::tuner {

const std::vector<FormatInfo>& formats() {
  static const std::vector<FormatInfo> list = {
      {"table", "for people", write_table},
      {"json", "one document for programs", write_json},
      {"csv", "one table for spreadsheets", write_csv},
      {"markdown", "tables for a document", write_markdown},
  };
  return list;
}

const FormatInfo& find_format(std::string_view name) {
  std::vector<std::string> names;
  for (const FormatInfo& format : formats()) {
    if (format.name == name) return format;
    names.emplace_back(format.name);
  }
  throw Error(ErrorKind::not_found, "unknown format '" + std::string(name) + "'", name_hint(name, names));
}

}  // namespace warptune::tuner
