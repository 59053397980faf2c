// Each fault of a manifest is named with its exact place. Line numbers are those of test::sample_manifest.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/spec/sample.hpp"

namespace warptune::spec {
namespace {

using test::changed;
using test::error_of;

struct Fault {
  const char* name;
  const char* from;
  const char* to;
  const char* message;  // how the error begins
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class ManifestFault : public ::testing::TestWithParam<Fault> {};

TEST_P(ManifestFault, NamesPlaceAndReason) {
  const Fault& fault = GetParam();
  const std::string message = error_of([&] { test::parse(changed(fault.from, fault.to)); });
  EXPECT_EQ(message.substr(0, std::string(fault.message).size()), fault.message) << message;
}

const Fault faults[] = {
    // Shape of the document.
    {"Syntax", "name = \"scale\"", "name = ", "scale.toml:2:8: "},
    {"UnknownSection", "[let]", "[lets]",
     "scale.toml:21:2: unknown key 'lets' in the manifest; did you mean 'let'?"},
    {"UnknownKey",
     "summary =", "sumary =", "scale.toml:3:1: unknown key 'sumary' in [kernel]; did you mean 'summary'?"},
    {"MissingKey", "source = \"scale.cu\"\n", "",
     "scale.toml:1:1: [kernel] lacks the key 'source'; add source = ..."},
    {"WrongKind", "summary = \"y[i] = 2 x[i]\"", "summary = 3",
     "scale.toml:3:11: [kernel] summary must be a string, not an integer"},
    {"BadName", "name = \"scale\"", "name = \"sc ale\"",
     "scale.toml:2:8: [kernel] name 'sc ale' is not a name"},
    {"FixedArchitecture", "source = \"scale.cu\"", "source = \"scale.cu\"\noptions = [\"-arch=sm_90\"]",
     "scale.toml:5:12: option '-arch=sm_90' fixes the architecture"},
    // Problem.
    {"UnknownType", "\"__half\"", "\"half2\"", "scale.toml:7:25: unknown element type 'half2'"},
    {"TypeTwice", "\"__half\"", "\"float\"", "scale.toml:7:25: type 'float' is listed twice"},
    {"NoDims", "dims = [\"n\", { name = \"width\", key = true }]", "dims = []",
     "scale.toml:8:8: [problem] dims is empty"},
    {"ReservedName", "\"n\", {", "\"min\", {",
     "scale.toml:8:9: dim 'min' is a word of the expression language"},
    {"ClashOfNames", "name = \"width\"", "name = \"T\"",
     "scale.toml:8:14: dim 'T' is already defined at line 7"},
    // Tunables and default.
    {"NoValues", "PACK = [1, 2, 4]", "PACK = []", "scale.toml:13:8: tunable PACK has no values"},
    {"MixedKinds", "PACK = [1, 2, 4]", "PACK = [1, \"two\"]",
     "scale.toml:13:12: tunable PACK mixes integers and words"},
    {"ValueTwice", "PACK = [1, 2, 4]", "PACK = [1, 2, 2]", "scale.toml:13:15: tunable PACK lists 2 twice"},
    {"BooleanValue", "PACK = [1, 2, 4]", "PACK = [true]",
     "scale.toml:13:9: a value of PACK must be an integer or a word"},
    {"WordThatBreaksOut", "[\"plain\",", "[\"a>b\", \"plain\",",
     "scale.toml:14:9: word 'a>b' cannot be a tunable's value"},
    {"UnknownClass", "\"approx\"", "\"aprox\"",
     "scale.toml:14:45: class cannot be 'aprox'; allowed: exact, approx"},
    {"DefaultMissing", "PACK = 1\n", "", "scale.toml:16:1: [default] lacks the key 'PACK'"},
    {"DefaultUnknown", "PACK = 1\n", "PACK = 1\nUNROLL = 1\n",
     "scale.toml:19:1: [default] names 'UNROLL', which is no tunable; known: THREADS, PACK, MODE"},
    {"DefaultNotListed", "PACK = 1\n", "PACK = 8\n",
     "scale.toml:18:8: [default] PACK = 8 is not in its list; allowed: 1, 2, 4"},
    {"DefaultInexact", "MODE = \"plain\"", "MODE = \"quick\"",
     "scale.toml:19:8: [default] MODE = quick is of class approx"},
    {"DefaultAgainstConstraint", "PACK = 1\n", "PACK = 4\n",
     "scale.toml:26:15: [default] does not meet `PACK * sizeof(T) <= 8` for T = float"},
    // Variants.
    {"VariantUnknownKey", "[let]\n",
     "[[variant]]\nname = \"old\"\nconfg = { THREADS = 64, PACK = 2, MODE = \"plain\" }\n[let]\n",
     "scale.toml:23:1: unknown key 'confg' in [[variant]]; did you mean 'config'?"},
    {"VariantWithoutConfig", "[let]\n", "[[variant]]\nname = \"old\"\n[let]\n",
     "scale.toml:21:1: [[variant]] lacks the key 'config'"},
    {"VariantTwice", "[let]\n",
     "[[variant]]\nname = \"old\"\nconfig = { THREADS = 64, PACK = 2, MODE = \"plain\" }\n[[variant]]\nname "
     "= \"old\"\nconfig = { THREADS = 64, PACK = 2, MODE = \"plain\" }\n[let]\n",
     "scale.toml:25:8: [[variant]] name 'old' is taken"},
    {"VariantValueNotListed", "[let]\n",
     "[[variant]]\nname = \"old\"\nconfig = { THREADS = 64, PACK = 3, MODE = \"plain\" }\n[let]\n",
     "scale.toml:23:33: [[variant]] config PACK = 3 is not in its list; allowed: 1, 2, 4"},
    {"VariantLacksTunable", "[let]\n",
     "[[variant]]\nname = \"old\"\nconfig = { THREADS = 64, PACK = 2 }\n[let]\n",
     "scale.toml:23:10: [[variant]] config lacks the key 'MODE'"},
    {"VariantWhenOfDims", "[let]\n",
     "[[variant]]\nname = \"old\"\nconfig = { THREADS = 64, PACK = 2, MODE = \"plain\" }\nwhen = \"n > "
     "5\"\n[let]\n",
     "scale.toml:24:9: [[variant]] when cannot depend on dims ('n')"},
    // Expressions.
    {"ExpressionSyntax", "THREADS * PACK\"", "THREADS * \"",
     "scale.toml:22:19: expected a value but the expression ends"},
    {"UnknownNameInLet", "THREADS * PACK\"", "THREADS * PAKC\"",
     "scale.toml:22:19: unknown name 'PAKC'; did you mean 'PACK'?"},
    {"LetBeforeDefinition", "tile = \"THREADS * PACK\"", "tile = \"2 * blocks\"",
     "scale.toml:22:13: let 'blocks' is used before it is defined"},
    {"UnknownDeviceLimit", "max(1, ceil_div(n, tile))", "device.sm_cont",
     "scale.toml:23:11: unknown name 'device.sm_cont'; did you mean 'device.sm_count'?"},
    {"KindsDiffer", "PACK * sizeof(T) <= 8", "PACK == 'two'",
     "scale.toml:26:20: compares an integer with a word"},
    {"WordNeverHeld", "PACK * sizeof(T) <= 8", "MODE != 'quik'",
     "scale.toml:26:23: compares with 'quik', which is never the value in `MODE != 'quik'`; did you mean "
     "'quick'?"},
    {"TypeNeverHeld", "PACK * sizeof(T) <= 8", "T != 'half'",
     "scale.toml:26:20: compares with 'half', which is never"},
    {"ConstraintNoBoolean", "PACK * sizeof(T) <= 8", "PACK * sizeof(T)",
     "scale.toml:26:15: [[constraint]] expression is not true or false"},
    {"SizeofOfInteger", "PACK * sizeof(T) <= 8", "sizeof(PACK) <= 8",
     "scale.toml:26:15: sizeof needs a type parameter"},
    // Buffers.
    {"UnknownRole", "role = \"out\"", "role = \"output\"",
     "scale.toml:40:8: [[buffer]] role cannot be 'output'; allowed: in, out"},
    {"FillOfOutput", "role = \"out\"", "role = \"out\"\nfill = \"zero\"",
     "scale.toml:41:8: buffer 'y' is not read"},
    {"IndexWithoutBound", "role = \"in\"", "role = \"in\"\nfill = \"index\"",
     "scale.toml:34:8: fill 'index' does not suit float"},
    {"BufferTwice", "name = \"y\"", "name = \"x\"", "scale.toml:37:8: buffer 'x' is defined twice"},
    {"BufferType", "name = \"y\"\ntype = \"T\"", "name = \"y\"\ntype = \"U\"",
     "scale.toml:38:8: unknown element type 'U'"},
    {"AlignmentAfterCompile", "alignment = \"PACK * sizeof(T)\"", "alignment = \"kernel.registers\"",
     "scale.toml:34:14: [[buffer]] alignment cannot depend on the compiled kernel"},
    // Steps.
    {"UnknownHole", "{THREADS}", "{THREAD}",
     "scale.toml:43:10: unknown name 'THREAD'; did you mean 'THREADS'?"},
    {"HoleWithDim", "{THREADS}", "{n}", "scale.toml:43:10: hole {n} depends on dims"},
    {"OpenHole", "{PACK}>", "{PACK>", "scale.toml:43:32: unmatched '{' in the entry"},
    {"UnknownArgument", "[\"x\", \"y\",", "[\"x\", \"z\",", "scale.toml:44:14: argument 'z' is no buffer; "},
    {"ScalarType", "{ value = \"n\", type = \"long long\" }]\ngrid = [\"blocks\"]",
     "{ value = \"n\", type = \"long\" }]\ngrid = [\"blocks\"]",
     "scale.toml:44:41: a scalar argument's type cannot be 'long'"},
    {"FourGridSizes", "grid = [\"blocks\"]", "grid = [1, 1, 1, 1]",
     "scale.toml:45:8: [[step]] grid has 4 entries"},
    {"ProgrammaticBehindMemset", "[[step]]\nentry",
     "[[step]]\nmemset = \"y\"\nbyte = 0\n[[step]]\nprogrammatic = true\nentry",
     "scale.toml:46:16: a memset stands ahead of this programmatic [[step]]; remove it: "},
    {"ProgrammaticNumber", "grid = [\"blocks\"]", "grid = [\"blocks\"]\nprogrammatic = 1",
     "scale.toml:46:16: [[step]] programmatic must be true or false, not an integer"},
    {"BlockAfterCompile", "block = [\"THREADS\"]", "block = [\"kernel.registers\"]",
     "scale.toml:46:11: block cannot depend on the compiled kernel"},
    // Check.
    {"OutputIsInput", "output = \"y\"", "output = \"x\"",
     "scale.toml:49:10: [check] output 'x' is no out or inout buffer"},
    {"ToleranceOfOne", "tolerance = 1e-5", "tolerance = 1", "scale.toml:57:13: tolerance 1 is not in 0 to 1"},
    {"CheckWithTunable", "grid = [\"1\"]", "grid = [\"THREADS\"]",
     "scale.toml:52:10: grid cannot depend on tunables ('THREADS')"},
};

INSTANTIATE_TEST_SUITE_P(Table, ManifestFault, ::testing::ValuesIn(faults),
                         [](const auto& fault) { return std::string(fault.param.name); });

TEST(Manifest, SampleIsReadAsWritten) {
  const TemplatePtr spec = test::parse(test::sample_manifest);
  EXPECT_EQ(spec->name, "scale");
  ASSERT_EQ(spec->tunables.size(), 3u);
  EXPECT_EQ(spec->tunables[0].name, "THREADS") << "file order, not alphabetical";
  EXPECT_TRUE(spec->tunables[2].values[1].numerics.approx);
  EXPECT_TRUE(spec->dims[1].key);
  EXPECT_FALSE(spec->dims[0].key);
  EXPECT_EQ(spec->attributes[0].allowed, (std::vector<std::string>{"any", "sorted"}));
  EXPECT_EQ(spec->buffers[0].fill, "normal");
  EXPECT_EQ(spec->lets[0].name, "tile");
}

TEST(Manifest, ErrorInWindowsLineEndsStillFindsItsLine) {
  std::string text;
  for (char c : changed("role = \"out\"", "role = \"output\""))
    text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(error_of([&] { test::parse(text); }).substr(0, 16), "scale.toml:40:8:");
}

}  // namespace
}  // namespace warptune::spec
