// Fuzz target: any text as a document for `warptune import`. What is accepted is written out and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <warptune/base/error.hpp>

#include "tuner/report/run_json.hpp"
#include "tuner/report/t4_run.hpp"

namespace {

using namespace warptune;

template <class Action>
void allow_errors(Action action) {
  try {
    action();
  } catch (const Error& error) {
    if (error.full_text().empty()) std::abort();
  }
}

// Writing what was read and reading it again gives the same text.
void round_trip(const db::StoredRun& run) {
  const std::string text = tuner::json_text(tuner::json_of(run));
  const tuner::JsonValue again = tuner::parse_json(text, "again");
  if (tuner::json_text(tuner::json_of(tuner::read_run(tuner::JsonReader(again, "")))) != text) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  allow_errors([&] {
    const tuner::JsonValue json = tuner::parse_json({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    const tuner::JsonReader document(json, "");
    allow_errors([&] {
      for (const tuner::JsonReader& each : document.at("runs").items())
        allow_errors([&] { round_trip(tuner::read_run(each)); });
    });
    allow_errors([&] {
      for (const tuner::JsonReader& each : document.at("reference_times").items())
        (void)tuner::json_of(tuner::read_reference_time(each));
    });
    allow_errors([&] {
      for (const tuner::JsonReader& each : document.at("calibrations").items())
        (void)tuner::json_of(tuner::read_calibration(each));
    });
    allow_errors([&] {
      db::ProblemKey problem;
      problem.kernel = "k";
      for (const db::StoredRun& run : tuner::t4_runs(tuner::read_t4(document), problem, {"f", "h", "c"}))
        round_trip(run);
    });
  });
  return 0;
}
