#include "store/session/session_import.hpp"

#include "store/session/session_chain.hpp"
#include "store/session/session_renaming.hpp"
#include "store/session/session_state.hpp"
#include <troupe/store/await.hpp>

#include <optional>
#include <utility>

namespace troupe::sessions {

namespace {

/// While so many changes wait, nothing more is read.
constexpr std::size_t flush_changes = 4096;

/// All ids that the objective brings with it, but those that follow from its own.
std::vector<std::string> ids_of(const objective_view& view) {
  std::vector<std::string> out{view.id.str()};
  if (!view.root_task.empty())
    out.push_back(view.root_task.str());
  for (std::size_t p = 0; p < view.plans.size(); ++p) {
    const auto& plan = *view.plans[p].spec;
    if (!is_generated(plan.id, view.id, p))
      out.push_back(plan.id.str());
    for (std::size_t t = 0; t < plan.tasks.size(); ++t)
      if (!is_generated(plan.tasks[t].id, plan.id, t))
        out.push_back(plan.tasks[t].id.str());
  }
  return out;
}

/// What rows leave out of the record of a plan's task.
void complete(change& news, const session_state& state) {
  for (auto& one : news.events)
    if (auto* created = std::get_if<task_created>(&one))
      if (const auto known = state.tasks().find(news.task.id.str()); known != state.tasks().end())
        created->record->origin = known->second->origin;
}

} // namespace

result<import_report> import_session(store& into, const import_order& order, id_source& ids) {
  if (order.as && (!is_acceptable_id(order.as->str()) || has_generated_form(order.as->str())))
    return make_error(errc::invalid_params,
                      "An objective cannot have the id " + shown(order.as->str())
                          + ": an id has 1 to " + std::to_string(id_bytes_max)
                          + " bytes, no / and no control characters, and does not end in .p, .t or "
                            ".r and digits.");
  auto whole = read_chain(order.file);
  if (!whole)
    return whole.error();
  if (whole->changes.empty())
    return make_error(errc::store_failed, "The session file " + order.file
                                              + " has no changes: there is nothing to "
                                                "import.");
  session_state state;
  std::optional<session_renaming> renaming;
  if (order.as)
    renaming.emplace(whole->id, *order.as, task_id{ids.next("task")});
  for (auto& news : whole->changes) {
    if (renaming)
      news = renaming->renamed(std::move(news));
    if (auto ok = state.take(news); !ok)
      return make_error(errc::store_failed,
                        "The session file " + order.file
                            + " does not fit those that it continues: " + ok.error().message + ".");
    complete(news, state);
  }
  const auto taken = ids_of(*state.view());
  const auto claimed = await_read<void>([&](auto done) { into.claim_ids(taken, std::move(done)); });
  if (!claimed) {
    if (claimed.error().code != errc::duplicate_id)
      return claimed.error();
    return make_error(errc::duplicate_id,
                      "The data directory has this objective, or one of its ids, already: "
                          + claimed.error().message
                          + ". Nothing was imported; `--as NEW` imports it with another id.",
                      claimed.error().field);
  }
  import_report out{.id = state.view()->id,
                    .changes = whole->changes.size(),
                    .tasks = state.tasks().size(),
                    .state = state.view()->state,
                    .files = std::move(whole->files),
                    .cut = {}};
  if (whole->cut)
    out.cut = describe_cut(order.file, *whole->cut);
  std::size_t waiting = 0;
  for (auto& news : whole->changes) {
    into.commit(std::move(news));
    if (++waiting % flush_changes == 0)
      into.flush();
  }
  into.flush();
  into.release_ids(taken);
  return out;
}

} // namespace troupe::sessions
