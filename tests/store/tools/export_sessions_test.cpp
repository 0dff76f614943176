// Sessions of whole data directories: exported, and imported into others.
#include "store/session/session_import.hpp"
#include "store/tools/check.hpp"
#include "store/tools/export_sessions.hpp"
#include "store/tools/stored_history.hpp"
#include "tests/store/random_changes.hpp"
#include "tests/store/session/session_bed.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <iterator>

using namespace troupe;
using namespace troupe::testing;
namespace fs = std::filesystem;

namespace {

/// A store takes the records of tasks that begin.
change handed_over(change news) {
  for (auto& one : news.events)
    if (auto* created = std::get_if<task_created>(&one))
      created->record = std::make_shared<task>(*created->record);
  return news;
}

/// Makes the changes in the directory of a store.
void make_store(const std::string& directory, std::vector<change> changes) {
  const auto records = open_or_fail(directory);
  recover_or_fail(*records);
  for (auto& news : changes)
    records->commit(handed_over(std::move(news)));
  records->flush();
}

struct exported {
  export_report report;
  std::vector<exported_session> sessions;
  std::vector<std::string> failures;
};

exported export_all(const std::string& data, const std::string& directory,
                    std::vector<objective_id> objectives = {}) {
  exported out;
  export_watch watch;
  watch.on_session = [&](const exported_session& one) { out.sessions.push_back(one); };
  watch.on_failure = [&](const objective_id&, const error& why) {
    out.failures.push_back(why.message);
  };
  out.report = taken(export_sessions({data, directory, std::move(objectives)}, watch));
  return out;
}

/// Each session of the directory leads to what the store says, in the bytes of `objectives/get` and
/// `GetTask`.
void check_same(store& records, const std::string& directory, const std::set<std::string>& ids,
                const std::set<std::string>& tasks) {
  std::set<std::string> seen;
  for (const auto& entry : taken(sessions::read_index(directory))) {
    const auto id = *sessions::objective_of(entry.key);
    CAPTURE(id.str());
    seen.insert(id.str());
    const auto reading = taken(sessions::read_session_file(directory + "/" + entry.file));
    const auto stored = find_objective(records, id);
    REQUIRE(stored);
    CHECK(document_of(*reading.state.view()) == document_of(*stored));
    CHECK(entry.display_name == stored->name);
    for (const auto& [task, record] : reading.state.tasks()) {
      CAPTURE(task);
      CHECK(document_of(*record) == document_of(*find_task(records, task_id{task})));
    }
    for (const auto& task : tasks)
      if (const auto record = find_task(records, task_id{task});
          record && record->context == id.str() && record->attempt > 0)
        CHECK(reading.state.tasks().contains(task));
  }
  CHECK(seen == ids);
}

std::vector<change> random_life(random_changes& script, int count) {
  std::vector<change> out;
  for (int i = 0; i < count; ++i)
    out.push_back(script.next());
  return out;
}

} // namespace

TEST_CASE("X6_same: a session leads to what the store says, byte for byte", "[store][session]") {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    const temporary_directory place;
    random_changes script{seed};
    auto first = random_life(script, 150);
    auto second = random_life(script, 150);
    make_store(place / "data", std::move(first));
    const auto sessions = place / "data/sessions";
    CHECK(export_all(place / "data", sessions).failures.empty());
    // What comes later is added: to a file that grows, or in a new one behind an archive.
    make_store(place / "data", std::move(second));
    const auto later = export_all(place / "data", sessions);
    CHECK(later.failures.empty());
    CHECK(later.report.sessions == script.objectives.size());
    CHECK(later.report.added > 0);
    CHECK(export_all(place / "data", sessions).report.added == 0);
    const auto records = open_or_fail(place / "data");
    recover_or_fail(*records);
    check_same(*records, sessions, script.objectives, script.tasks);
  }
}

TEST_CASE("X6_same: a directory whose server was killed is exported as it will be",
          "[store][session]") {
  const temporary_directory place;
  trip_life life;
  {
    // The writer never comes to the tables: what is acknowledged is in the journal only.
    const auto records = open_or_fail(place / "data");
    recover_or_fail(*records);
    for (const auto& news : life.changes)
      records->commit(handed_over(news));
    records->flush();
    fs::copy(place / "data", place / "killed", fs::copy_options::recursive);
  }
  const auto done = export_all(place / "killed", place / "sessions");
  REQUIRE(done.sessions.size() == 1);
  CHECK(done.sessions[0].added == life.changes.size());
  const auto records = open_or_fail(place / "killed");
  recover_or_fail(*records);
  check_same(*records, place / "sessions", {"trip"}, {"trip.p0.t0", "trip.p0.t1", "task-root"});
}

TEST_CASE("an export says what it cannot write, and writes the others", "[store][session]") {
  const temporary_directory place;
  trip_life life;
  life.fail();
  make_store(place / "data", life.changes);
  const auto unknown = export_all(place / "data", place / "sessions",
                                  {objective_id{"trip"}, objective_id{"nobody"}});
  CHECK(unknown.report.sessions == 1);
  REQUIRE(unknown.failures.size() == 1);
  CHECK_THAT(unknown.failures[0], Catch::Matchers::Contains("nobody"));

  // A file of another history, and a damaged one.
  trip_life other;
  make_store(place / "other", other.changes);
  const auto misfit = export_all(place / "other", place / "sessions");
  REQUIRE(misfit.failures.size() == 1);
  CHECK_THAT(misfit.failures[0], Catch::Matchers::Contains("another history"));
  fs::create_directory(place / "broken");
  auto bytes = trip_bytes(other);
  bytes[bytes.size() / 2] ^= 1;
  const auto broken = place.file("broken/a2a_obj_trip.jsonl", bytes);
  const auto damaged = export_all(place / "data", place / "broken");
  REQUIRE(damaged.failures.size() == 1);
  CHECK_THAT(damaged.failures[0],
             Catch::Matchers::Contains(broken) && Catch::Matchers::Contains("line "));
  CHECK(session_bytes(broken) == bytes);

  // Beside OpenClaw's database nothing is written, not even a directory.
  fs::create_directories(place / "main/agent");
  place.file("main/agent/openclaw-agent.sqlite", "");
  const auto live = export_sessions({place / "data", place / "main/sessions", {}}, {});
  REQUIRE(live.has_error());
  CHECK_THAT(live.error().message, Catch::Matchers::Contains("openclaw-agent.sqlite"));
  CHECK_FALSE(fs::exists(place / "main/sessions"));

  const auto lock = taken(sessions::folder_lock::take(place / "sessions"));
  const auto busy = export_sessions({place / "data", place / "sessions", {}}, {});
  REQUIRE(busy.has_error());
  CHECK(busy.error().code == errc::store_locked);
}

TEST_CASE("X6_same: an imported session is the objective that was exported", "[store][session]") {
  const temporary_directory place;
  trip_life life;
  life.fail();
  life.retry();
  make_store(place / "data", life.changes);
  export_all(place / "data", place / "sessions");
  const auto original = open_or_fail(place / "data");
  recover_or_fail(*original);
  {
    const auto into = open_or_fail(place / "other");
    recover_or_fail(*into);
    id_source ids{1};
    const auto report = taken(sessions::import_session(
        *into, {place / "sessions/a2a_obj_trip.jsonl", std::nullopt}, ids));
    CHECK(report.id == objective_id{"trip"});
    CHECK(report.changes == life.changes.size());
    CHECK(report.files.size() == 2);
    CHECK(report.cut.empty());
    CHECK(document_of(*find_objective(*into, report.id))
          == document_of(*find_objective(*original, report.id)));
    for (const auto* task : {"trip.p0.t0", "trip.p0.t1", "task-root"})
      CHECK(describe(find_task(*into, task_id{task}))
            == describe(find_task(*original, task_id{task})));
    const auto again =
        sessions::import_session(*into, {place / "sessions/a2a_obj_trip.jsonl", std::nullopt}, ids);
    REQUIRE(again.has_error());
    CHECK(again.error().code == errc::duplicate_id);
    CHECK_THAT(again.error().message,
               Catch::Matchers::Contains("trip") && Catch::Matchers::Contains("--as NEW"));
  }
  const auto check = taken(check_store(place / "other", {}));
  CHECK(check.findings == 0);
  CHECK(check.counts.changes == life.changes.size());
  // What is exported from there is the same, but for the root task's place among the others.
  const auto again = export_all(place / "other", place / "again");
  CHECK(again.failures.empty());
  for (const auto& name : session_names_in(place / "sessions"))
    CHECK(session_bytes(place / ("again/" + name)) == session_bytes(place / ("sessions/" + name)));
}

TEST_CASE("an objective is imported beside itself with another id, and keeps its own shape",
          "[store][session]") {
  const temporary_directory place;
  auto spec = make_objective("trip", {2, 1});
  auto plan = *spec->plans[0];
  plan.id = plan_id{"there"};
  auto& first = plan.tasks.edit(0);
  first.id = task_id{"ferry"};
  auto& second = plan.tasks.edit(1);
  second.id = make_task_id(plan.id, 1);
  second.dependencies = {"ferry"};
  second.dependency_indexes = {0};
  spec->plans[0] = std::make_shared<plan_spec>(plan);
  auto ask = std::make_shared<message>(*say("which one?"));
  ask->task_id = "ferry";
  ask->context_id = "trip";
  ask->metadata[question_id_key] = "ferry.question-1";
  auto root = born_lone("task-root", "trip", 1000);
  root.record->metadata["opt/v1/objectiveId"] = "trip";
  root.record->metadata["opt/v1/planId"] = "there";
  make_store(place / "data",
             {about("trip", 1000, objective_created{spec, task_id{"task-root"}}),
              about_lone("task-root", "trip", 1000, std::move(root)),
              about_task(*spec, 0, 0, 1001, born(*spec, 0, 0, 1001), moved(task_state::working)),
              about_task(*spec, 0, 0, 1002, moved(task_state::input_required, 1, std::move(ask))),
              about("trip", 1003, plan_added{make_plan(spec->id, 2, 1)})});
  export_all(place / "data", place / "sessions");
  const auto into = open_or_fail(place / "data");
  recover_or_fail(*into);
  id_source ids{1};
  const auto file = place / "sessions/a2a_obj_trip.jsonl";
  const auto refused = sessions::import_session(*into, {file, objective_id{"trip.p0"}}, ids);
  REQUIRE(refused.has_error());
  CHECK(refused.error().code == errc::invalid_params);
  const auto report = taken(sessions::import_session(*into, {file, objective_id{"trip-2"}}, ids));
  CHECK(report.id == objective_id{"trip-2"});
  const auto copy = find_objective(*into, report.id);
  REQUIRE(copy);
  REQUIRE(copy->plans.size() == 3);
  CHECK(copy->plans[0].spec->id == plan_id{"trip-2.p0"});
  CHECK(copy->plans[0].spec->key == "there");
  CHECK(copy->plans[0].spec->tasks[0].id == task_id{"trip-2.p0.t0"});
  CHECK(copy->plans[0].spec->tasks[0].key == "ferry");
  CHECK(copy->plans[0].spec->tasks[1].dependencies == std::vector<std::string>{"trip-2.p0.t0"});
  CHECK(copy->plans[1].spec->key.empty());
  CHECK(copy->plans[2].spec->id == plan_id{"trip-2.p2"});
  REQUIRE(copy->pending_inputs.size() == 1);
  CHECK(copy->pending_inputs[0].task == task_id{"trip-2.p0.t0"});
  CHECK(copy->pending_inputs[0].question == "question-1");
  const auto asked = find_task(*into, task_id{"trip-2.p0.t0"});
  REQUIRE(asked);
  CHECK(asked->context == "trip-2");
  CHECK(asked->status.message->task_id == "trip-2.p0.t0");
  CHECK(asked->status.message->context_id == "trip-2");
  CHECK(text_of(asked->status.message->parts) == "which one?");
  const auto root_task = find_task(*into, copy->root_task);
  REQUIRE(root_task);
  CHECK(copy->root_task != task_id{"task-root"});
  CHECK(root_task->metadata.at("opt/v1/planId") == "trip-2.p0");
  CHECK(find_objective(*into, objective_id{"trip"})->plans[0].spec->id == plan_id{"there"});
  CHECK(sessions::import_session(*into, {file, objective_id{"trip-2"}}, ids).error().code
        == errc::duplicate_id);
}

TEST_CASE("an import takes all of its files, or none", "[store][session]") {
  const temporary_directory place;
  trip_life life;
  life.fail();
  sessions::folder_lock::take(place / "s").value();
  const auto first = write_session(place / "s", life.changes).file;
  life.retry();
  const auto second = place / ("s/" + write_session(place / "s", life.changes).file);
  const auto into = open_or_fail(place / "data");
  recover_or_fail(*into);
  id_source ids{1};
  const auto refusal = [&](const std::string& path) {
    const auto done = sessions::import_session(*into, {path, std::nullopt}, ids);
    REQUIRE(done.has_error());
    CHECK_FALSE(find_objective(*into, objective_id{"trip"}));
    return done.error().message;
  };
  fs::rename(place / ("s/" + first), place / "kept");
  CHECK_THAT(refusal(second), Catch::Matchers::Contains(first)
                                  && Catch::Matchers::Contains("put it beside this file"));
  const auto bytes = session_bytes(place / "kept");
  place.file("s/" + first, bytes.substr(0, bytes.size() / 2));
  CHECK_THAT(refusal(second), Catch::Matchers::Contains("does not fit those that it continues"));
  fs::rename(place / "kept", place / ("s/" + first));
  // The end of the last file may be missing.
  const auto cut = session_bytes(second);
  place.file("s/a2a_obj_trip.jsonl", cut.substr(0, cut.size() - 10));
  const auto report = taken(sessions::import_session(*into, {second, std::nullopt}, ids));
  CHECK_THAT(report.cut, Catch::Matchers::Contains("cut short in line 3"));
  CHECK(report.state == objective_state::failed);
}
