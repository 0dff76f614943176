// The records of the tasks of a run: of the store of this computer, or as a server shows them.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/task.hpp>
#include <troupe/store/await.hpp>

#include <functional>
#include <utility>

namespace troupe {

/// Reads the records of tasks: those of a store, or those that somebody else has.
class record_reader {
public:
  record_reader(const store& in) // NOLINT(google-explicit-constructor): a store reads its records
      : read_([&in](const task_id& id) { return await_task(in, id); }) {}
  explicit record_reader(std::function<result<task_ptr>(const task_id&)> read)
      : read_(std::move(read)) {}

  [[nodiscard]] result<task_ptr> operator()(const task_id& id) const { return read_(id); }

private:
  std::function<result<task_ptr>(const task_id&)> read_;
};

} // namespace troupe
