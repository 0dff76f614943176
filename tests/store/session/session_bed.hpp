// Sessions for tests: a short life of an objective with a root task, the bytes of its session, and
// what a state or a record looks like to clients.
#pragma once

#include "protocol/a2a/codec_v1_0.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "store/session/session_names.hpp"
#include "store/session/session_reader.hpp"
#include "store/session/session_writer.hpp"
#include "tests/store/changes.hpp"
#include "tests/store/kinds.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/results.hpp"
#include "tests/support/temporary_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::testing {

inline std::string session_bytes(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

inline std::vector<std::string> session_names_in(const std::string& directory) {
  std::vector<std::string> out;
  for (const auto& each : std::filesystem::directory_iterator{directory})
    out.push_back(each.path().filename().string());
  std::ranges::sort(out);
  return out;
}

/// `objectives/get` of it.
inline std::string document_of(const objective_view& view) {
  std::string out;
  json_writer to{out};
  opt::write(to, view, true, true);
  return out;
}

/// `GetTask` of it.
inline std::string document_of(const task& record) {
  std::string out;
  json_writer to{out};
  v1_0::write(to, record);
  return out;
}

/// The changes of an objective `trip` of one plan with two tasks, and of its root task. In order,
/// with their sequences.
class trip_life {
public:
  trip_life() {
    auto plan = *spec->plans[0]; // The second task depends on the first one.
    auto& second = plan.tasks.edit(1);
    second.dependencies = {plan.tasks[0].id.str()};
    second.dependency_indexes = {0};
    spec->plans[0] = std::make_shared<plan_spec>(std::move(plan));
    auto created = about("trip", 1000, objective_created{spec, task_id{"task-root"}});
    add(std::move(created));
    auto root = born_lone("task-root", "trip", 1000);
    add_root(about_lone("task-root", "trip", 1000, std::move(root), moved(task_state::working)));
    add(about("trip", 1001, objective_moved{objective_event::work, ""},
              plan_moved{0, plan_event::work, ""}));
    add(about_task(*spec, 0, 0, 1002, born(*spec, 0, 0, 1002), moved(task_state::working)));
    auto report = std::make_shared<progress_report>();
    report->trackers.push_back({"t", 1.0, 2.0, "half", tracker_status::running, {}, {}});
    add(about_task(*spec, 0, 0, 1003, task_progress{std::move(report)}));
    add(about_task(*spec, 0, 0, 1004, task_artifact{output("a", "one"), false, true},
                   moved(task_state::completed)));
    add(about_task(*spec, 0, 1, 1005, born(*spec, 0, 1, 1005), moved(task_state::working)));
  }

  /// The second task fails, and with it everything.
  void fail() {
    add(about_task(*spec, 0, 1, 1006, moved(task_state::failed, 1, say("no ferry"))));
    add(about("trip", 1007, plan_moved{0, plan_event::fail, "a task failed"},
              objective_moved{objective_event::fail, "a plan failed"}));
    add_root(about_lone("task-root", "trip", 1008, moved(task_state::failed, 1, say("failed"))));
  }
  void retry() {
    add(about("trip", 2000, objective_moved{objective_event::reopen, "retry"},
              objective_moved{objective_event::work, "retry"}, tasks_renewed{0, {1}},
              plan_moved{0, plan_event::retry, "retry"}, plan_moved{0, plan_event::work, ""}));
  }

  std::shared_ptr<objective_spec> spec = make_objective("trip", {2});
  std::vector<change> changes;

private:
  void add(change news) {
    news.sequence = ++sequence_;
    changes.push_back(std::move(news));
  }
  void add_root(change news) {
    news.sequence = ++root_sequence_;
    changes.push_back(std::move(news));
  }

  std::uint64_t sequence_ = 0;
  std::uint64_t root_sequence_ = 0;
};

/// Fails the test if it is not so.
template<class T>
T taken(result<T> from) {
  INFO((from ? std::string{} : from.error().message));
  REQUIRE(from.has_value());
  return *std::move(from);
}
inline void taken(const result<void>& from) {
  INFO((from ? std::string{} : from.error().message));
  REQUIRE(from.has_value());
}

/// Writes what the session lacks; its entry.
inline sessions::index_entry write_session(const std::string& directory,
                                           const std::vector<change>& changes) {
  auto writer = taken(sessions::session_writer::open(directory, objective_id{"trip"}));
  for (const auto& news : changes)
    taken(writer->add(news));
  taken(writer->finish());
  return writer->entry();
}

/// Of the life as it is built.
inline std::string trip_bytes(const trip_life& life) {
  const temporary_directory place;
  const auto entry = write_session(place / ".", life.changes);
  return session_bytes(place / entry.file);
}

/// By the fold, without a session.
inline sessions::session_state state_of(const std::vector<change>& changes) {
  sessions::session_state out;
  for (const auto& news : changes)
    taken(out.take(news));
  return out;
}

} // namespace troupe::testing
