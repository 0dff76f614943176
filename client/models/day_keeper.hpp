// Writes what was spent today beside the loop of the models, which never waits for the disk. What
// is asked for while a file is written is written together afterwards.
#pragma once

#include "client/models/day_file.hpp"
#include <troupe/protocol/errc.hpp>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace troupe::models {

class day_keeper {
public:
  /// What is to be written; called by the thread that writes.
  using source = std::function<day_entries()>;
  /// Called by the thread that writes, once what was there when `keep` was called is in the file,
  /// or could not be written.
  using kept_handler = std::function<void(const result<void>& how)>;

  day_keeper(std::string file, source now) : file_(std::move(file)), now_(std::move(now)) {}
  /// What was asked for is written before.
  ~day_keeper();
  day_keeper(const day_keeper&) = delete;
  day_keeper& operator=(const day_keeper&) = delete;

  /// From now on a thread writes. Once.
  void start();
  /// Writes, if it was asked for; false if it was not. For one thread at a time.
  bool turn();

  /// From any thread.
  void keep(kept_handler done);

private:
  void run();

  const std::string file_;
  const source now_;
  std::mutex mutex_; // guards the rest
  std::condition_variable wanted_;
  std::vector<kept_handler> waiting_;
  bool is_ending_ = false;
  std::thread thread_;
};

} // namespace troupe::models
