// The terminal that several devices print to at once, and the line about all of them at its end. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <ostream>
#include <string>

#include <warptune/tuner/tune.hpp>

namespace warptune::tuner {

// How far a list of problems is, of at most 100 columns: "5/12 problems, 40 s left; cuda:0 evaluate 350/700 best 18.2 us; cuda:1 race
// 9/24". Devices that find no room are counted. `progress`: by device; `elapsed_s`: since the first problem was begun.
std::string list_line(std::int64_t done, std::int64_t total, double elapsed_s,
                      const std::map<std::string, TuneProgress>& progress);

class Screen {
 public:
  // `draws`: whether there is a line at all; it comes after two seconds. `problems`: of the list.
  Screen(std::ostream& err, bool draws, std::int64_t problems) : err_(err), draws_(draws), total_(problems) {}
  ~Screen() { (void)hold(); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // To be kept while something is printed: the line is gone until then.
  std::unique_lock<std::mutex> hold();
  void update(const std::string& device, const TuneProgress& progress);
  void finish_problem(const std::string& device);
  // One of the list is not to be worked on. It takes no time, so it counts neither as done nor in the total.
  void leave_out_problem();

 private:
  using Clock = std::chrono::steady_clock;
  std::ostream& err_;
  const bool draws_;
  std::int64_t total_;
  std::mutex mutex_;
  bool shown_ = false;
  std::int64_t done_ = 0;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_draw_ = start_;
  std::map<std::string, TuneProgress> progress_;
};

}  // namespace warptune::tuner
