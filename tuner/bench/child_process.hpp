// A program that answers lines with lines, through its standard input and output. One thread at a time.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace warptune::tuner {

class ChildProcess {
 public:
  // words[0] is looked up in PATH. Its standard error is ours. Error not_found when it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& words);
  // Closes its input and waits for its end; kills it after ten seconds.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Sends one line. Error io when it has ended.
  void send(const std::string& line);
  // The next line, without its end. Error io when it ended, or gave none within `timeout_s`.
  std::string receive(double timeout_s);

 private:
  std::string name_;
  pid_t pid_ = -1;
  int socket_ = -1;
  std::string pending_;
};

}  // namespace warptune::tuner
