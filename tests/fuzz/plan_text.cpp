// What `troupe plan TEXT` is given. What is understood has positions that exist, and is written as
// a text that reads back the same, or refused with a reason.
#include "tests/fuzz/fuzz_target.hpp"

#include "planner/as_text.hpp"
#include "planner/text_reading.hpp"
#include "planner/verdict.hpp"

using namespace troupe;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  for (const auto rule : {planner::guesses::none, planner::guesses::allowed}) {
    const auto read = planner::read_text(text, rule);
    for (const auto& edge : read.edges)
      fuzz::demand(edge.before < read.tasks.size() && edge.after < read.tasks.size()
                       && edge.before != edge.after && edge.source < read.sources.size(),
                   "an edge of tasks that are not there", text);
    for (const auto& problem : read.problems)
      fuzz::demand(!problem.reason.empty(), "a problem without a reason", text);
    if (!read.is_plan())
      continue;
    const auto objective = planner::objective_of(read);
    const auto said = planner::as_text(objective);
    if (!said) {
      fuzz::demand(said.error().code == errc::invalid_params && !said.error().message.empty(),
                   "a refusal without a reason", text);
      continue;
    }
    const auto back = planner::read_text(*said);
    fuzz::demand(back.is_plan() && back.tasks.size() == read.tasks.size()
                     && back.edges.size() == read.edges.size(),
                 "read back otherwise", text, *said);
  }
  planner::planning_request request;
  request.text = text;
  request.is_active = true;
  planner::planning_settings settings;
  settings.templates = planner::shipped_templates();
  const auto made = planner::decide(request, settings);
  fuzz::demand(made.has_value() && !made->reasons.empty(), "no verdict", text);
  return 0;
}
