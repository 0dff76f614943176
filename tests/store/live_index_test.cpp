// Which live tasks a list looks at.
#include "store/live_index.hpp"
#include "tests/support/catch.hpp"

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace troupe;

namespace {

task make_task(const std::string& id, const std::string& owner, task_state state) {
  task out;
  out.id = task_id{id};
  out.owner = owner;
  out.context = "c" + id;
  out.status.state = state;
  return out;
}

std::set<std::string> seen(const live_index<task>& in, const std::string& owner,
                           std::optional<task_state> state = {}) {
  std::set<std::string> out;
  in.visit(owner, state, [&](const live_index<task>::row& each) {
    CHECK(each.at == each.record->status.at);
    CHECK(each.context_hash == live_index<task>::hash_of(each.record->context));
    CHECK(out.insert(each.record->id.str()).second);
  });
  return out;
}

using ids = std::set<std::string>;

} // namespace

TEST_CASE("A list of live tasks looks at no other owner's tasks, and at no other state",
          "[store][list]") {
  live_index<task> index;
  std::vector<task> tasks;
  tasks.reserve(1001);
  for (int i = 0; i < 1000; ++i)
    tasks.push_back(make_task(std::to_string(i), i % 100 == 0 ? "a" : "b", task_state::working));
  tasks.push_back(make_task("asks", "a", task_state::input_required));
  for (const auto& each : tasks)
    static_cast<void>(index.add(each));
  CHECK(seen(index, "a").size() == 11);
  CHECK(seen(index, "a", task_state::input_required) == ids{"asks"});
  CHECK(seen(index, "a", task_state::submitted).empty());
  CHECK(seen(index, "nobody").empty());
}

TEST_CASE("With any tasks that come, change and go, each is in the list of its owner and state",
          "[store][list]") {
  const std::vector<task_state> states{task_state::submitted, task_state::working,
                                       task_state::input_required};
  std::mt19937 random{7}; // NOLINT: the same each time.
  live_index<task> index;
  struct kept {
    std::unique_ptr<task> record;
    live_index<task>::place where;
  };
  std::map<std::string, kept> tasks;
  const auto on_moved = [&](const task& moved, const live_index<task>::place& to) {
    tasks.at(moved.id.str()).where = to;
  };
  for (int step = 0; step < 500; ++step) {
    const auto id = std::to_string(random() % 40);
    const auto owner = std::string(1, static_cast<char>('a' + std::stoi(id) % 3));
    const auto state = states[random() % states.size()];
    const auto known = tasks.find(id);
    if (known == tasks.end()) {
      auto& one = tasks[id];
      one.record = std::make_unique<task>(make_task(id, owner, state));
      one.where = index.add(*one.record);
    } else if (random() % 3 == 0) {
      index.remove(known->second.where, owner, on_moved);
      tasks.erase(known);
    } else { // As a copy, as the ledger does while the record has a reader.
      auto changed = std::make_unique<task>(make_task(id, owner, state));
      changed->status.at = timestamp{std::chrono::milliseconds{step}};
      const auto before = std::exchange(known->second.record, std::move(changed));
      index.update(known->second.where, *known->second.record, on_moved);
    }
    for (const auto* each : {"a", "b", "c"})
      for (const auto one : states) {
        ids expected;
        for (const auto& [name, task] : tasks)
          if (task.record->owner == each && task.record->status.state == one)
            expected.insert(name);
        REQUIRE(seen(index, each, one) == expected);
      }
  }
}
