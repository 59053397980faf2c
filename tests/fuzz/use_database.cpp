#include "tests/fuzz/use_database.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include <warptune/db/bundle.hpp>
#include <warptune/db/store.hpp>
#include <warptune/db/winner_table.hpp>

namespace warptune::fuzz {
namespace {

namespace fs = std::filesystem;

void require(bool condition) {
  if (!condition) std::abort();
}

template <class Action>
void allow_errors(Action action) {
  try {
    action();
  } catch (const Error& error) {
    // One line that says something.
    require(!error.full_text().empty() && error.full_text().find('\n') == std::string::npos);
  }
}

void read_all(const db::Store& store) {
  db::WinnerTable table;
  store.visit_winners(std::nullopt, {}, [&](const db::StoredWinner& winner) {
    require(winner.winner.time_ns > 0);
    table.add(winner);
  });
  table.finish();
  const std::vector<db::ProblemKey> problems = store.problems();
  if (!problems.empty()) {
    const db::WinnerTable of_device = store.load_winners(problems.front().device);
    require(of_device.size() <= table.size());
    const auto newest = store.newest_with_neighbours();
    const db::NeighbourTable neighbours =
        newest ? store.load_neighbours(problems.front().device, problems.front().kernel, *newest)
               : db::NeighbourTable();
    of_device.visit(problems.front().kernel, [&](const db::StoredWinner& winner) {
      for (const db::NeighbourTime& time : neighbours.of_run(winner.run)) require(time.time_ns > 0);
    });
  }
  for (const db::ProblemKey& problem : problems) {
    store.outcomes(problem);
    store.outcome_counts(problem);
    store.last_run_end(problem);
    store.calibration(problem.device);
    store.template_parts(problem.template_hash);
    table.visit(problem.kernel, [](const db::StoredWinner&) {});
  }
  store.visit_runs({}, db::RunParts::all, [](const db::StoredRun& run) { require(!run.info.uid.empty()); });
  store.reference_times();
  store.calibrations();
  store.contents();
}

void read_bundle(db::Store store) {
  if (!store.is_bundle()) return;
  const db::BundleReader reader(std::move(store));
  reader.find_template("dot");
  reader.find_kernel({"hash", "dot<float>", "sm_90", ""});
  for (const db::ProblemKey& problem : reader.store().problems())
    reader.cover(problem.kernel, problem.device);
}

void write_some(const fs::path& file) {
  db::Store store = db::Store::open(file, db::OpenMode::read_write);
  db::ProblemKey problem;
  problem.kernel = "dot";
  problem.free_dims = {{"n", 1}};
  const std::int64_t run = store.begin_run(problem, {});
  db::OutcomeRecord outcome;
  outcome.status = "ok";
  outcome.time_ns = 1;
  store.add_outcome(run, outcome);
  db::WinnerRecord winner;
  winner.time_ns = 1;
  store.end_run(run, {}, {winner});
  store.remove_runs({run}, false);
}

}  // namespace

void use_image(std::span<const std::byte> image) {
  allow_errors([&] { read_all(db::Store::open_memory(image, "image")); });
  allow_errors([&] { read_bundle(db::Store::open_memory(image, "image")); });
}

void use_database(const fs::path& file) {
  allow_errors([&] { read_all(db::Store::open(file, db::OpenMode::read_only)); });
  allow_errors([&] { read_bundle(db::Store::open(file, db::OpenMode::read_only)); });
  allow_errors([&] {
    const fs::path target = file.string() + ".merged";
    db::Store into = db::Store::open(target, db::OpenMode::create);
    allow_errors([&] { into.merge(db::Store::open(file, db::OpenMode::read_only)); });
    // Whatever came along, what is written now is sound.
    require(into.integrity_ok());
    read_all(into);
    for (const db::RowFault& fault : into.faults())
      std::fprintf(stderr, "%s row %lld: %s\n", fault.table.c_str(), static_cast<long long>(fault.row),
                   fault.what.c_str());
    require(into.faults().empty());
  });
  allow_errors([&] { write_some(file); });
  allow_errors([&] { db::set_aside(file); });
}

}  // namespace warptune::fuzz
