// Progress of a run in one line on a terminal. One thread at a time.
#pragma once

#include <chrono>
#include <ostream>

#include <warptune/tuner/tune.hpp>

namespace warptune::tuner {

// Of any line that is drawn again and again.
inline constexpr auto quiet_time = std::chrono::seconds(2);  // nothing before
inline constexpr auto draw_interval = std::chrono::milliseconds(100);
inline constexpr const char* line_start = "\r\x1b[K";  // the line is emptied
const char* stage_name(TuneProgress::Stage stage);

// Shows nothing in the first two seconds, and nothing at all when `enabled` is false (no terminal).
class ProgressBar {
 public:
  ProgressBar(std::ostream& err, bool enabled) : err_(err), enabled_(enabled) {}
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(const TuneProgress& progress);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::ostream& err_;
  bool enabled_;
  bool shown_ = false;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_draw_ = start_;
  Clock::time_point stage_start_ = start_;
  TuneProgress::Stage stage_ = TuneProgress::Stage::compile;
};

// The line itself, of at most 100 columns: "evaluate [#####.....] 350/700, 12 crashed, best 18.2 us, GPU 60 %, 12 s left".
// `stage_s`: seconds in this stage.
std::string progress_line(const TuneProgress& progress, double stage_s);

}  // namespace warptune::tuner
