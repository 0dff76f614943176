#include "apps/plan/only_tasks.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/plan_document.hpp>

using namespace troupe;

namespace {

objective_spec read(const std::string& text) {
  auto document = read_plan_document(text);
  REQUIRE(document.has_value());
  return std::move(document->objective);
}

constexpr const char* build = R"({"name": "Build", "plans": [
  {"name": "Prepare", "tasks": [{"name": "fetch", "agent": "echo"}, {"name": "unpack", "agent": "echo", "dependencies": ["fetch"]}],
   "alternatives": ["Mirror"]},
  {"name": "Mirror", "tasks": [{"name": "copy", "agent": "echo"}]},
  {"name": "Make", "dependencies": ["Prepare"], "tasks": [
    {"name": "docs", "agent": "echo"}, {"id": "cc", "agent": "echo"},
    {"name": "link", "agent": "echo", "dependencies": ["cc"], "input": {"text": "${tasks.cc.artifacts[0].text}"}},
    {"name": "test", "agent": "echo", "dependencies": ["link", "docs"]}]},
  {"name": "Publish", "dependencies": ["Make"], "tasks": [{"name": "send", "agent": "echo"}]}]})";

const std::string& shown(const task_spec& of) {
  return of.name.empty() ? of.key : of.name;
}

/// `Plan: task<-dependency, ...;` by the positions that are left.
std::string kept(const std::string& text, const std::vector<std::string>& names) {
  auto spec = read(text);
  const auto edges = resolve_dependencies(spec.plans);
  REQUIRE(edges.has_value());
  if (const auto done = keep_only(spec, *edges, names); !done)
    return done.error().message;
  const auto left = resolve_dependencies(spec.plans);
  if (!left)
    return left.error().message;
  std::string out;
  for (std::size_t p = 0; p < spec.plans.size(); ++p) {
    const auto& plan = *spec.plans[p];
    out += (out.empty() ? "" : " ") + plan.name + ":";
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      out += " " + shown(plan.tasks[t]);
      const auto& own = left->plans[p];
      for (auto i = own.dependency_offsets[t]; i < own.dependency_offsets[t + 1]; ++i) {
        const auto& on = own.dependency_positions[i];
        out += "<" + shown(spec.plans[on.plan]->tasks[on.task]);
      }
    }
    for (const auto on : left->plans[p].dependencies)
      out += " after " + spec.plans[on]->name;
    for (const auto on : left->plans[p].alternatives)
      out += " or " + spec.plans[on]->name;
  }
  return out;
}

} // namespace

TEST_CASE("a task is kept with all that it needs, and nothing else", "[apps][only]") {
  CHECK(kept(build, {"fetch"}) == "Prepare: fetch");
  CHECK(kept(build, {"unpack"}) == "Prepare: fetch unpack<fetch");
  CHECK(kept(build, {"link"})
        == "Prepare: fetch unpack<fetch or Mirror Mirror: copy Make: cc link<cc after Prepare");
  CHECK(kept(build, {"Mirror / copy"}) == "Mirror: copy");
  CHECK(kept(build, {"fetch", "copy"}) == "Prepare: fetch Mirror: copy");
}

TEST_CASE("a task that is not there is refused with a near name", "[apps][only]") {
  CHECK_THAT(kept(build, {"lnik"}),
             ContainsSubstring("no task of Build") && ContainsSubstring("did you mean \"link\"?"));
  constexpr const char* twins = R"({"name": "T", "plans": [
    {"name": "A", "tasks": [{"name": "x", "agent": "echo"}]},
    {"name": "B", "tasks": [{"name": "x", "agent": "echo"}]}]})";
  CHECK_THAT(kept(twins, {"x"}), ContainsSubstring("2 tasks have this name"));
  CHECK(kept(twins, {"B / x"}) == "B: x");
}

TEST_CASE("a reference by position is refused if the position changes", "[apps][only]") {
  constexpr const char* by_position = R"({"name": "T", "tasks": [
    {"name": "a", "agent": "echo"}, {"name": "b", "agent": "echo"},
    {"name": "c", "agent": "echo", "dependencies": ["b"], "input": {"text": "${tasks.task-1.artifacts[0].text}"}}]})";
  CHECK_THAT(kept(by_position, {"c"}),
             ContainsSubstring("\"c\" refers to another one by its position"));
  CHECK(kept(by_position, {"a", "c"}) == "T: a b c<b");
}
