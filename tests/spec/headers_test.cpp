#include <gtest/gtest.h>

#include <map>
#include <string>

#include "kernel_templates/spec/headers.hpp"

namespace warptune::spec {
namespace {

// Names found in `source` when exactly the given headers exist (flat, whatever the folder).
std::string found(const std::string& source, const std::map<std::string, std::string>& files) {
  const HeaderLookup lookup = [&](const std::string& name, const std::string&,
                                  bool) -> std::optional<FoundHeader> {
    const auto file = files.find(name);
    if (file == files.end()) return std::nullopt;
    return FoundHeader{name, file->second};
  };
  std::string names;
  for (const auto& [name, content] : own_headers(source, lookup)) names += name + ' ';
  return names;
}

TEST(Headers, FindsEverySpelling) {
  const std::map<std::string, std::string> files{{"a.cuh", ""}};
  for (const char* source :
       {"#include \"a.cuh\"", "#include <a.cuh>", "  #  include\t\"a.cuh\"  // why", "#include\"a.cuh\"",
        "/* x */ # /* y */ include /* z */ \"a.cuh\"", "#inc\\\nlude \"a.\\\ncuh\"", "#include \\\r\n<a.cuh>",
        "%:include \"a.cuh\"", "#include_next <a.cuh>", "# /* two\nlines */ include \"a.cuh\"",
        "int x;\n#if 0\n#include \"a.cuh\"\n#endif", "// #include \"a.cuh\"",
        "#define NAME \"a.cuh\"\n#include NAME"}) {
    EXPECT_EQ(found(source, files), "a.cuh ") << source;
  }
}

TEST(Headers, NamesElsewhereDoNotCount) {
  const std::map<std::string, std::string> files{{"a.cuh", ""}};
  for (const char* source : {"const char* s = \"a.cuh\";", "x <a.cuh> y", "// see a.cuh",
                             "#include <cuda_fp16.h>", "", "#include \"a.cuh", "// we include the rest"}) {
    EXPECT_EQ(found(source, files), "") << source;
  }
}

TEST(Headers, FollowsHeadersAndEndsOnCycles) {
  EXPECT_EQ(found("#include \"a.cuh\"", {{"a.cuh", "#include \"b.cuh\""},
                                         {"b.cuh", "#include \"a.cuh\"\n#include <c.h>"},
                                         {"c.h", ""},
                                         {"d.h", ""}}),
            "a.cuh b.cuh c.h ");
}

TEST(Headers, MacroFoundLateCountsForEarlierFiles) {
  EXPECT_EQ(found("const char* s = \"x.h\";\n#include \"a.cuh\"", {{"a.cuh", "#include NAME"}, {"x.h", ""}}),
            "a.cuh x.h ");
}

}  // namespace
}  // namespace warptune::spec
