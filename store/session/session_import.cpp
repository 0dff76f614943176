#include "store/session/session_import.hpp"

#include "store/session/session_names.hpp"
#include "store/session/session_reader.hpp"
#include "store/session/session_renaming.hpp"
#include "store/session/session_state.hpp"
#include <troupe/store/await.hpp>

#include <filesystem>
#include <set>
#include <utility>

namespace troupe::sessions {

namespace {

namespace fs = std::filesystem;

/// While so many changes wait, nothing more is read.
constexpr std::size_t flush_changes = 4096;

struct whole_session {
  objective_id id;
  std::vector<change> changes;
  std::vector<std::string> files; ///< The first one first.
  std::optional<cut_end> cut;     ///< Of the last one.
};

error missing_parent(const std::string& file, const std::string& parent) {
  return make_error(errc::store_failed,
                    "The session file " + file + " continues " + parent
                        + ", which is not beside it. The changes before are there: put it there, "
                          "and try again.");
}

/// The file with those that it continues.
result<whole_session> read_whole(const std::string& file) {
  whole_session out;
  std::vector<std::vector<change>> parts; // The last one first.
  std::set<std::string> seen;
  for (auto path = fs::path{file}; !path.empty();) {
    auto& changes = parts.emplace_back();
    auto read = read_session_file(path.string(),
                                  [&](change&& news) { changes.push_back(std::move(news)); });
    if (!read)
      return read.error();
    const auto id = *objective_of(read->head.key);
    if (out.files.empty()) {
      out.id = id;
      out.cut = read->cut;
    } else if (id != out.id) {
      return make_error(errc::store_failed, "The session file " + path.string()
                                                + " is of another objective, " + shown(id.str())
                                                + ".");
    }
    out.files.insert(out.files.begin(), path.string());
    const auto& parent = read->head.parent;
    if (parent.empty())
      break;
    const auto next = path.parent_path() / parent;
    std::error_code unknown;
    if (fs::path{parent}.filename() != parent || !seen.insert(parent).second
        || !fs::exists(next, unknown))
      return missing_parent(path.string(), shown(parent));
    path = next;
  }
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    for (auto& news : *part)
      out.changes.push_back(std::move(news));
  return out;
}

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
  auto whole = read_whole(order.file);
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
    out.cut = order.file + " was cut short in line " + std::to_string(whole->cut->line) + " ("
              + whole->cut->problem + "): its last " + std::to_string(whole->cut->bytes)
              + " bytes are left out.";
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
