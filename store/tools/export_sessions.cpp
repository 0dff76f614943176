#include "store/tools/export_sessions.hpp"

#include "store/session/session_file.hpp"
#include "store/session/session_index.hpp"
#include "store/session/session_names.hpp"
#include "store/session/session_writer.hpp"
#include "store/tools/stored_history.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace troupe {

namespace {

using sessions::session_writer;

/// Adds to the session what it lacks.
result<std::unique_ptr<session_writer>>
export_one(const stored_history& from, const std::string& directory, const objective_id& id) {
  std::unique_ptr<session_writer> to;
  std::optional<error> failed;
  std::uint64_t last = 0;
  const auto read = from.read(id, [&](change&& news) {
    if (!to) { // Only now it is known that there is such an objective.
      auto opened = session_writer::open(directory, id);
      if (!opened) {
        failed = opened.error();
        return false;
      }
      to = std::move(*opened);
    }
    if (news.task.id.empty() || !news.task.lone)
      last = news.sequence;
    if (auto ok = to->add(news); !ok)
      failed = ok.error();
    return !failed;
  });
  if (failed)
    return *failed;
  if (!read)
    return read.error();
  if (to->state().sequence() > last)
    return make_error(errc::store_failed,
                      "The session of " + id.str() + " in " + directory + " has change "
                          + std::to_string(to->state().sequence())
                          + ", and the data directory ends with change " + std::to_string(last)
                          + ": it is of another history. Move its files away, and export again.");
  if (auto ok = to->finish(); !ok)
    return ok.error();
  return to;
}

} // namespace

result<export_report> export_sessions(const export_order& order, const export_watch& watch) {
  const auto from = stored_history::open(order.data);
  if (!from)
    return from.error();
  const auto wanted = order.objectives.empty()
                          ? (*from)->objectives()
                          : result<std::vector<objective_id>>{order.objectives};
  if (!wanted)
    return wanted.error();
  if (auto ok = sessions::refuse_live_directory(order.directory); !ok)
    return ok.error();
  const auto lock = sessions::folder_lock::take(order.directory);
  if (!lock)
    return lock.error();
  export_report out;
  std::vector<sessions::index_entry> entries;
  for (const auto& id : *wanted) {
    const auto written = export_one(**from, order.directory, id);
    if (!written) {
      ++out.failed;
      if (watch.on_failure)
        watch.on_failure(id, written.error());
      continue;
    }
    ++out.sessions;
    out.added += (*written)->added();
    entries.push_back((*written)->entry());
    if (watch.on_session)
      watch.on_session({.id = id,
                        .key = entries.back().key,
                        .file = order.directory + "/" + entries.back().file,
                        .added = (*written)->added(),
                        .cut = (*written)->cut()});
  }
  if (auto ok = sessions::write_index(order.directory, entries); !ok)
    return ok.error();
  return out;
}

} // namespace troupe
