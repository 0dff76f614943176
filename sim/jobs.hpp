// Work in processes of its own, since a world has one thread and the product keeps things by
// thread. If one dies, the program is still there to say where.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace troupe::sim {

/// What a process of its own does next: what is said if it dies of that.
struct job_step {
  std::string name;      ///< "seed 17"
  std::string repeat_it; ///< The command.
  std::string left_out;  ///< The sentence about the work that is not done then; empty: none is.
};

/// How a job tells the program what it does. All calls end the job's process if the program has
/// ended.
class job {
public:
  explicit job(int pipe) : pipe_(pipe) {}

  void begin(const job_step& next) { send('b', {next.name, next.repeat_it, next.left_out}); }
  /// To the standard output of the program.
  void print(const std::string& text) { send('p', {text}); }
  void give(const std::vector<std::string>& result) { send('r', result); }

private:
  void send(char kind, const std::vector<std::string>& fields);

  int pipe_;
};

struct job_reader {
  /// Called with what a job gives. False: all jobs are to end.
  std::function<bool(const std::vector<std::string>& result)> take;
  /// Called when a job has died, after it was said. False: all jobs are to end.
  std::function<bool()> note_death;
};

/// Does `work` in each of `count` processes, until all have done it or are to end. They never
/// outlive the program. SIGHUP, SIGINT and SIGTERM are blocked from now on, and end the jobs: the
/// number of the signal; 0: none came.
/// Throws std::system_error if the output cannot be written, or a process cannot be started.
[[nodiscard]] int run_jobs(unsigned count,
                           const std::function<void(unsigned number, job& here)>& work,
                           const job_reader& reader);

} // namespace troupe::sim
