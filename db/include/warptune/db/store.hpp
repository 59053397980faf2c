// The SQLite store. One Store per thread; many processes may share a file. No SQLite type appears here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <warptune/base/error.hpp>
#include <warptune/db/lifecycle.hpp>
#include <warptune/db/neighbour_table.hpp>
#include <warptune/db/records.hpp>
#include <warptune/db/winner_table.hpp>

namespace warptune::db {

enum class OpenMode {
  create,      // read and write, created when missing (an empty file counts as new)
  read_write,  // must exist
  read_only,   // leaves no side files, works without write permission
};

class Store {
 public:
  // Errors: not_found; database (not a database, damaged, a folder, no permission: message names the file and
  // says what to do); unsupported (newer schema). Never deletes or alters a file it cannot use. Waits up to
  // 20 s for other processes. A bundle is only read: Error usage in the other modes.
  static Store open(const std::filesystem::path& file, OpenMode mode);
  // A database that lies in memory, for reading; nothing is copied, so `image` outlives the Store. `name`: what
  // messages call it. Errors: database, unsupported.
  static Store open_memory(std::span<const std::byte> image, const std::filesystem::path& name);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  const std::filesystem::path& path() const;
  int schema_version() const;
  // Whether machine code comes with it: see bundle.hpp.
  bool is_bundle() const;

  // Writing. Each call is one committed transaction: when it returns, a killed process loses nothing of it.
  // A time of 0 (started, at) becomes the present. Errors: usage (opened for reading, unknown run, a value
  // that breaks the schema), database, out_of_memory (also disk full).
  std::int64_t begin_run(const ProblemKey& problem, const RunInfo& info);
  void add_outcome(std::int64_t run, const OutcomeRecord& outcome);
  // Before the run ends. Error usage also for a time that is not positive.
  void add_neighbour_times(std::int64_t run, const std::vector<NeighbourTime>& times);
  // `winners`: at most one per alignment class. A run is ended once. `may_run`, where it is given: whether the template still has a
  // config. Older winners of the problem whose configs it has no more are certified and complete no longer, so that they give way to
  // these; without winners they stay as they are. Exceptions of `may_run` pass through, and nothing is stored.
  void end_run(std::int64_t run, const RunEnd& end, const std::vector<WinnerRecord>& winners,
               const std::function<bool(const NamedValues& config)>& may_run = {});
  void set_calibration(const Calibration& calibration);
  // The same for one from elsewhere: false, and nothing is stored, where one as new is there for the device.
  bool add_calibration(const Calibration& calibration);
  // The time of another library. A row of the same key, versions and second is replaced. Error usage also for a
  // time that is not positive.
  void add_reference_time(const ReferenceTime& time);

  // A run from elsewhere, as visit_runs() gave it: kept once, whatever the number of times it is offered. A run
  // that is there but was cut short, or came without outcomes or neighbours, gets what it lacks. Errors as above; nothing of a refused run is stored.
  Added add_run(const StoredRun& run);
  // All measured and imported runs, calibrations, library times and template parts of another file. Each run is
  // a transaction: a merge that was cut short may be repeated. `from` may be older, read-only, of other GPUs.
  MergeReport merge(const Store& from);
  // Removes runs by their row, and what only they held; the winners of what is left are chosen anew. One
  // transaction. With `dry_run` nothing changes, and a file that was opened for reading serves.
  RemoveReport remove_runs(const std::vector<std::int64_t>& runs, bool dry_run);
  // Gives free pages back to the file system. Error database: another process uses the file.
  void shrink();

  // Reading. A row with NULL or unreadable fields counts as absent and is reported once through faults().
  // Errors: database (damaged pages, locked for long).
  // One winner per (problem, alignment class), by the order of db/SCHEMA.md, sorted by problem, then class.
  // `device` or `kernel` empty: all.
  std::vector<StoredWinner> winners(const std::optional<DeviceKey>& device = std::nullopt,
                                    const std::string& kernel = {}) const;
  // The same without a copy per winner: the record is valid during the call. Exceptions of `visit` pass
  // through.
  void visit_winners(const std::optional<DeviceKey>& device, const std::string& kernel,
                     const std::function<void(const StoredWinner&)>& visit) const;
  // Those of one device in a compact form, as the runtime keeps them.
  WinnerTable load_winners(const DeviceKey& device) const;
  // The newest run that timed neighbouring problems; nothing: none did.
  std::optional<RunMark> newest_with_neighbours() const;
  // What the runs of a kernel on that device, up to `newest`, timed at neighbouring problems. The file may have been written
  // to since `newest` was asked for. Error not_found: it lacks that run, so that rows may stand for other runs now.
  NeighbourTable load_neighbours(const DeviceKey& device, const std::string& kernel,
                                 const RunMark& newest) const;
  // The same of one run.
  std::vector<NeighbourTime> neighbour_times(std::int64_t run) const;
  // Newest outcome per config of a problem, measured before replayed; in the order in which they were tried.
  std::vector<StoredOutcome> outcomes(const ProblemKey& problem) const;
  // Every run of a kernel (empty: all), oldest first; the record is valid during the call. Outcomes and winners
  // that cannot be read are left out.
  void visit_runs(const std::string& kernel, RunParts parts,
                  const std::function<void(const StoredRun&)>& visit) const;
  // One run by its row; nothing where there is none or it cannot be read.
  std::optional<StoredRun> run(std::int64_t id, RunParts parts = RunParts::all) const;
  // All problems that have outcomes (any device), for recordings and listings; oldest first.
  std::vector<ProblemKey> problems(const std::string& kernel = {}) const;
  // How many of outcomes(problem) have each status.
  std::map<std::string, std::int64_t> outcome_counts(const ProblemKey& problem) const;
  // How the newest run that was ended went; nothing when none was.
  std::optional<RunEnd> last_run_end(const ProblemKey& problem) const;
  // The newest.
  std::optional<Calibration> calibration(const DeviceKey& device) const;
  // The newest of each device.
  std::vector<Calibration> calibrations() const;
  // Times of other libraries: the newest per problem, device, policy, library and call; by problem, then
  // library. `kernel` empty: all.
  std::vector<ReferenceTime> reference_times(const std::string& kernel = {}) const;
  // What a template hash was made of: file or manifest part -> hash. Empty where no run recorded it.
  std::map<std::string, std::string> template_parts(const std::string& template_hash) const;
  Contents contents() const;
  // Number of outcome rows; cheap.
  std::int64_t outcome_total() const;

  const std::vector<RowFault>& faults() const;

  // Whole-file check of SQLite; reads every page.
  bool integrity_ok() const;
  // Writes all content to a new file without free pages or side files: a recording. Errors: bad_input (`to`
  // exists), database, out_of_memory.
  void compact_copy(const std::filesystem::path& to) const;

 private:
  friend class BundleReader;
  friend class BundleWriter;
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  // `which`: a condition in SQL with one parameter, which gets `value`.
  template <class Value>
  void scan_runs(const char* which, const Value& value, RunParts parts,
                 const std::function<void(const StoredRun&)>& visit) const;
  std::unique_ptr<Impl> impl_;
};

// Whether an error says that the file itself is no database or a damaged one: what set_aside() is for.
bool is_damage(const Error& error);

// Renames a damaged file and its side files to FILE.damaged-1 (the first free number) and returns that name.
// Returns an empty path, and renames nothing, when the file is gone or sound: another process was first. Safe
// from any number of processes. Precondition: no Store of this process has the file open. Error io.
std::filesystem::path set_aside(const std::filesystem::path& file);

}  // namespace warptune::db
