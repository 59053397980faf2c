# cmake -DOUTPUT=x.cpp -DROOT=folder -DFILES=dot/dot.toml,dot/dot.cu -P EmbedTemplates.cmake: writes the files as C++ string literals.
string(REPLACE "," ";" FILES "${FILES}")
set(literals "")
set(table "")
set(index 0)
foreach(file IN LISTS FILES)
  file(READ "${ROOT}/${file}" content)
  string(FIND "${content}" ")WARPTUNE\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${file} contains the delimiter of its own literal")
  endif()
  get_filename_component(folder "${file}" DIRECTORY)
  get_filename_component(name "${file}" NAME)
  string(APPEND literals "constexpr std::string_view file_${index} = R\"WARPTUNE(${content})WARPTUNE\";\n")
  string(APPEND table "    {\"${folder}\", \"${name}\", file_${index}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Written by EmbedTemplates.cmake.
#include \"kernel_templates/spec/builtin.hpp\"

namespace warptune::spec {
namespace {

${literals}
constexpr BuiltinFile files[] = {
${table}};

}  // namespace

std::span<const BuiltinFile> builtin_files() { return files; }

}  // namespace warptune::spec
")
