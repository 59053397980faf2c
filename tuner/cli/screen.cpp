#include "tuner/cli/screen.hpp"

#include <fmt/format.h>

#include "tuner/cli/progress_bar.hpp"
#include "tuner/report/units.hpp"

namespace warptune::tuner {
namespace {

constexpr std::size_t most_columns = 100;

std::string device_text(const std::string& device, const TuneProgress& progress) {
  std::string text = fmt::format("; {} {} {}", device, stage_name(progress.stage), progress.done);
  if (progress.total > 0) text += fmt::format("/{}", progress.total);
  if (progress.best_ns) text += " best " + time_text(*progress.best_ns);
  return text;
}

}  // namespace

std::string list_line(std::int64_t done, std::int64_t total, double elapsed_s,
                      const std::map<std::string, TuneProgress>& progress) {
  std::string line = fmt::format("{}/{} problems", done, total);
  if (done > 0 && done < total) {
    const double left_s = elapsed_s * static_cast<double>(total - done) / static_cast<double>(done);
    line += fmt::format(", {} left", age_text(static_cast<std::int64_t>(left_s + 0.5)));
  }
  std::size_t shown = 0;
  for (const auto& [device, of_device] : progress) {
    const std::string text = device_text(device, of_device);
    const std::string rest = fmt::format("; {} more", progress.size() - shown);
    const bool last = shown + 1 == progress.size();
    if (line.size() + text.size() + (last ? 0 : rest.size()) > most_columns) return line + rest;
    line += text;
    ++shown;
  }
  return line;
}

std::unique_lock<std::mutex> Screen::hold() {
  std::unique_lock lock(mutex_);
  if (shown_) err_ << line_start << std::flush;
  shown_ = false;
  return lock;
}

void Screen::update(const std::string& device, const TuneProgress& progress) {
  if (!draws_) return;
  const std::lock_guard lock(mutex_);
  progress_.insert_or_assign(device, progress).first->second.outcome = nullptr;  // it does not last
  const Clock::time_point now = Clock::now();
  if (now - start_ < quiet_time || now - last_draw_ < draw_interval) return;
  last_draw_ = now;
  shown_ = true;
  err_ << line_start
       << list_line(done_, total_, std::chrono::duration<double>(now - start_).count(), progress_)
       << std::flush;
}

void Screen::finish_problem(const std::string& device) {
  const std::lock_guard lock(mutex_);
  ++done_;
  progress_.erase(device);
}

void Screen::leave_out_problem() {
  const std::lock_guard lock(mutex_);
  --total_;
}

}  // namespace warptune::tuner
