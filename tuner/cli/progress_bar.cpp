#include "tuner/cli/progress_bar.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tuner/report/units.hpp"

namespace warptune::tuner {
namespace {

constexpr std::size_t bar_width = 24;

// By kind, as long as that leaves room on the line.
std::string failures_text(const std::map<OutcomeStatus, std::int64_t>& counts) {
  constexpr std::size_t widest = 36;
  std::string kinds;
  std::int64_t all = 0;
  for (const auto& [status, count] : counts) {
    if (status == OutcomeStatus::ok || status == OutcomeStatus::excluded) continue;
    kinds += fmt::format(", {} {}", count, to_string(status));
    all += count;
  }
  return kinds.size() <= widest ? kinds : fmt::format(", {} failed", all);
}

}  // namespace

const char* stage_name(TuneProgress::Stage stage) {
  switch (stage) {
    case TuneProgress::Stage::compile:
      return "compile";
    case TuneProgress::Stage::evaluate:
      return "evaluate";
    case TuneProgress::Stage::race:
      return "race";
    case TuneProgress::Stage::done:
      break;
  }
  return "done";
}

std::string progress_line(const TuneProgress& progress, double stage_s) {
  std::string line = fmt::format("{:<8}", stage_name(progress.stage));
  if (progress.total > 0) {
    const double share =
        std::min(1.0, static_cast<double>(progress.done) / static_cast<double>(progress.total));
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(bar_width));
    line += fmt::format(" [{}{}] {}/{}", std::string(filled, '#'), std::string(bar_width - filled, '.'),
                        progress.done, progress.total);
  } else {
    line += fmt::format(" {}", progress.done);
  }
  line += failures_text(progress.counts);
  if (progress.best_ns) line += ", best " + time_text(*progress.best_ns);
  if (progress.gpu_busy) line += fmt::format(", GPU {:.0f} %", 100 * *progress.gpu_busy);
  if (progress.total > 0 && progress.done > 0 && progress.done < progress.total) {
    const double left_s =
        stage_s * static_cast<double>(progress.total - progress.done) / static_cast<double>(progress.done);
    line += fmt::format(", {} left", age_text(static_cast<std::int64_t>(left_s + 0.5)));
  }
  return line;
}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::update(const TuneProgress& progress) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (progress.stage != stage_) {
    stage_ = progress.stage;
    stage_start_ = now;
  }
  if (now - start_ < quiet_time || now - last_draw_ < draw_interval) return;
  last_draw_ = now;
  shown_ = true;
  err_ << line_start << progress_line(progress, std::chrono::duration<double>(now - stage_start_).count())
       << std::flush;
}

void ProgressBar::clear() {
  if (shown_) err_ << line_start << std::flush;
  shown_ = false;
}

}  // namespace warptune::tuner
