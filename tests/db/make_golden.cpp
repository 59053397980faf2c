// Writes a file of the present schema version with the sample records, to be kept as
// tests/golden/schema_vN.db:
//   make_golden_db tests/golden/schema_v5.db
#include <cstdio>

#include "tests/db/support.hpp"

int main(int argc, char** argv) {
  using namespace warptune::db;
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_golden_db NEW_FILE\n");
    return 2;
  }
  try {
    const test::TemporaryFolder folder;
    const auto draft = folder / "draft.db";
    test::make_sample(draft);
    Store store = Store::open(draft, OpenMode::read_write);
    store.set_calibration({test::sample_device(), {{"event_tick_ns", 32.0}}, 1'700'000'000});
    store.add_reference_time(test::sample_reference_time());
    store.compact_copy(argv[1]);
  } catch (const warptune::Error& error) {
    std::fprintf(stderr, "%s\n", error.full_text().c_str());
    return 1;
  }
  return 0;
}
