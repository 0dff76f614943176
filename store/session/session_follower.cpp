#include "store/session/session_follower.hpp"

#include "protocol/fold/apply.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/record/record.hpp"
#include "protocol/text/hex.hpp"
#include "store/session/session_index.hpp"
#include "store/session/session_names.hpp"
#include <troupe/store/await.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

namespace troupe::sessions {

namespace {

/// After a visit to the disk that took long, the next one comes after so many times as long.
constexpr int sync_pause_factor = 10;

std::string position_path(const std::string& directory) {
  return directory + "/" + std::string{position_name};
}

bool is_lone(const change& news) noexcept {
  return !news.task.id.empty() && news.task.lone;
}

/// All changes of a task or an objective in (after, through], in order. Errors: those of
/// store::read_changes; store_failed (the store has no history).
template<class Id>
result<void> for_each_past_change(const store& from, const Id& id, std::uint64_t after,
                                  std::uint64_t through,
                                  const std::function<result<void>(const change&)>& take) {
  for (history_range range{.after = after, .through = through};;) {
    const auto page =
        await_read<history_page>([&](auto done) { from.read_changes(id, range, std::move(done)); });
    if (!page)
      return page.error();
    if (page->gone)
      return make_error(errc::store_failed,
                        "changes of " + shown(id.str())
                            + " are missing in its session, and the store does not have them any "
                              "more");
    for (const auto& each : page->changes)
      if (auto ok = take(*each); !ok)
        return ok;
    if (!page->more)
      return {};
    range.after = page->next_after;
  }
}

} // namespace

result<void> remove_position(const std::string& directory) {
  std::error_code failed;
  std::filesystem::remove(position_path(directory), failed);
  return failed ? make_error(errc::store_failed, position_path(directory) + " cannot be removed ("
                                                     + failed.message() + ").")
                : result<void>{};
}

// {"journal": "<16 hexadecimal digits>", "group": 17}
result<std::optional<journal::follower_mark>> read_position(const std::string& directory) {
  using found = std::optional<journal::follower_mark>;
  const auto path = position_path(directory);
  const auto text = read_small_file(path);
  if (!text)
    return text.error();
  if (text->empty())
    return found{};
  boost::system::error_code failed;
  const auto tree = parse_json(*text, failed);
  const auto* object = failed ? nullptr : tree.if_object();
  const auto* id = object != nullptr ? object->if_contains("journal") : nullptr;
  const auto* at = object != nullptr ? object->if_contains("group") : nullptr;
  journal::follower_mark out;
  if (id != nullptr && id->is_string() && at != nullptr && at->is_int64() && at->get_int64() >= 0) {
    const std::string_view digits{id->get_string().data(), id->get_string().size()};
    const auto* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, out.journal_id, 16);
    out.at = static_cast<journal::position>(at->get_int64());
    if (read.ec == std::errc{} && read.ptr == end && !digits.empty())
      return found{out};
  }
  return make_error(errc::store_failed,
                    "The file " + path
                        + ", which says how far the session files are, is damaged; restore it from "
                          "a backup, or remove it.");
}

// -- the start ------------------------------------------------------------------------------------

session_follower::session_follower(store& history, journal::group_feed& from, options how,
                                   std::function<void()> wake)
    : how_(std::move(how)), history_(history), from_(from), answers_(std::make_shared<mailbox>()) {
  answers_->wake = std::move(wake);
  if (how_.is_store)
    sidecar_ = std::make_unique<sidecar_log>(how_.directory, how_.sidecar, *how_.files);
}

result<std::unique_ptr<session_follower>> session_follower::open(store& history,
                                                                 journal::group_feed& from,
                                                                 options how,
                                                                 std::function<void()> wake) {
  std::unique_ptr<session_follower> out{
      new session_follower{history, from, std::move(how), std::move(wake)}};
  if (auto ok = out->begin(); !ok)
    return ok.error();
  return out;
}

result<void> session_follower::begin() {
  const auto known = read_position(how_.directory);
  if (!known)
    return known.error();
  const auto reached = from_.groups_reached();
  journal_id_ = reached.journal_id;
  status_.directory = how_.directory;
  const bool is_ours = *known && (*known)->journal_id == journal_id_ && (*known)->at <= reached.at;
  if (how_.is_store)
    safe_at_ = *known ? (*known)->at : 0;
  else
    safe_at_ = is_ours ? (*known)->at : reached.at;
  is_position_old_ = !is_ours || (*known)->at != safe_at_;
  written_at_ = restart_at_ = read_after_ = safe_at_;
  cursor_ = {.next = safe_at_ + 1};
  if (is_ours && cursor_.next < reached.first)
    let_go(reached.first, "the store does not have them any more");
  from_.keep_groups(safe_at_ + 1);
  sync_at_ = how_.time->steady() + how_.sync_interval;
  from_.on_groups([box = answers_] {
    if (box->wake)
      box->wake();
  });
  note_status();
  return {};
}

session_follower::~session_follower() {
  from_.on_groups(nullptr);
  const std::lock_guard lock{answers_->guard};
  answers_->wake = nullptr;
}

/// Which sessions there are.
result<void> session_follower::look_around() {
  if (has_looked_)
    return {};
  auto found = list_sessions(how_.directory);
  if (!found)
    return found.error();
  known_.clear();
  for (auto& [file, files] : *found)
    known_[file] = {std::move(files.archive), std::nullopt};
  has_looked_ = true;
  return {};
}

// -- turns ----------------------------------------------------------------------------------------

bool session_follower::turn() {
  const auto reached = from_.groups_reached();
  if (!how_.is_store && reached.bytes - std::min(reached.bytes, seen_bytes_) > how_.behind_bytes_max
      && cursor_.next <= reached.at) {
    let_go(reached.at + 1, "the disk of the sessions was too slow");
    seen_bytes_ = safe_bytes_ = reached.bytes;
    return true;
  }
  if (retry_at_ && how_.time->steady() < *retry_at_)
    return false;
  retry_at_.reset();
  std::optional<answer> arrived;
  {
    const std::lock_guard lock{answers_->guard};
    arrived = std::exchange(answers_->arrived, std::nullopt);
  }
  if (arrived) {
    is_asked_ = false;
    take(std::move(*arrived));
    return true;
  }
  if (is_due()) {
    if (const auto ok = make_safe(); !ok)
      fail(ok.error());
    return true;
  }
  if (is_asked_ || cursor_.next > reached.at)
    return false;
  ask();
  return true;
}

bool session_follower::is_due() const {
  if (written_at_ == safe_at_ && !is_position_old_)
    return false;
  const bool is_at_end = !is_asked_ && cursor_.next > from_.groups_reached().at;
  return (is_hurried_ && is_at_end) || how_.time->steady() >= sync_at_;
}

std::optional<time_source::steady_point> session_follower::wakes_at() const {
  if (retry_at_)
    return retry_at_;
  if (written_at_ != safe_at_ || is_position_old_)
    return sync_at_;
  return std::nullopt;
}

bool session_follower::is_up_to_date() const {
  return safe_at_ == from_.groups_reached().at && !is_position_old_;
}

void session_follower::ask() {
  is_asked_ = true;
  from_.read_groups(cursor_, how_.page_bytes,
                    [box = answers_, generation = generation_](result<journal::group_page> page) {
                      const std::lock_guard lock{box->guard};
                      box->arrived = answer{generation, std::move(page)};
                      if (box->wake)
                        box->wake();
                    });
}

void session_follower::take(answer arrived) {
  if (arrived.generation != generation_)
    return;
  if (!arrived.page) {
    const auto& why = arrived.page.error();
    if (why.code == errc::invalid_params && !how_.is_store)
      let_go(std::max(cursor_.next, from_.groups_reached().first), "the store has let them go");
    else
      fail(why);
    return;
  }
  if (const auto ok = take_groups(*arrived.page); !ok)
    fail(ok.error());
}

result<void> session_follower::take_groups(journal::group_page& page) {
  if (auto ok = look_around(); !ok)
    return ok;
  const auto reached = from_.groups_reached();
  for (const auto& group : page.groups) {
    if (group.at > reached.at) { // What is not published is not written.
      page.cursor = {.next = group.at};
      break;
    }
    if (auto ok = take_group(group); !ok)
      return ok;
    if (group.at == reached.found)
      parts_.clear(); // A process that has ended left them.
    seen_bytes_ += group.bytes.size();
    written_at_ = group.at;
  }
  parts_.release_rows();
  if (how_.memory)
    parts_held_ = memory_charge::force(*how_.memory, memory_account::backlog, parts_.bytes());
  if (auto ok = write_page(); !ok)
    return ok;
  cursor_ = page.cursor;
  note_status();
  return {};
}

result<void> session_follower::take_group(const journal::journal_group& group) {
  auto whole = parts_.take(group.at, group.bytes);
  if (!whole)
    return make_error(errc::store_failed, "Group " + std::to_string(group.at)
                                              + " of the journal cannot be understood.");
  std::erase_if(whole->lacking, [&](const auto& each) { return each.id.first <= read_after_; });
  // Beside tables its first parts may be in groups that were let go, and it is one of the changes
  // that its session lacks.
  if (how_.is_store && !whole->lacking.empty())
    return make_error(errc::store_failed, "Group " + std::to_string(group.at)
                                              + " of the journal has a change of "
                                              + shown(std::string{whole->lacking.front().stream})
                                              + ", of which parts are missing.");
  for (const auto& entry : whole->entries) {
    if (const auto* change = std::get_if<group_change>(&entry)) {
      if (auto ok = take_change(*change); !ok)
        return ok;
    } else if (sidecar_) {
      if (auto ok = sidecar_->add(entry, last_at_); !ok)
        return ok;
    }
  }
  return {};
}

result<void> session_follower::take_change(const group_change& entry) {
  const auto news = record::read_change(entry.row, entry.stream, entry.sequence);
  if (!news)
    return news.error();
  last_at_ = std::max(last_at_, news->at);
  const objective_id id{news->context};
  if (is_lone(*news)) {
    const auto root = is_root(*news);
    if (!root)
      return root.error();
    if (!*root)
      return sidecar_ ? sidecar_->add(entry, news->at) : result<void>{};
  }
  if (lost_.contains(news->context))
    return {};
  auto ok = add(id, *news, entry.row);
  // What is wrong with one session stops this one only. A disk that fails is tried again.
  if (ok || how_.is_store || ok.error().code != errc::store_failed)
    return ok;
  lose(id, ok.error());
  return {};
}

/// Whether the lone task is the root task of an objective.
result<bool> session_follower::is_root(const change& news) {
  const objective_id id{news.context};
  if (news.context.empty() || lost_.contains(news.context))
    return false;
  if (const auto open = writers_.find(news.context); open != writers_.end())
    return open->second->state().view() != nullptr
           && open->second->state().view()->root_task == news.task.id;
  const auto known = known_.find(file_name_of(id));
  if (known == known_.end())
    return false;
  if (!known->second.root) {
    const auto writer = writer_of(id);
    if (!writer && writer.error().code == errc::store_failed && !how_.is_store) {
      lose(id, writer.error());
      return false;
    }
    if (!writer)
      return writer.error();
    const auto* view = (*writer)->state().view();
    known->second.root = view != nullptr ? view->root_task : task_id{};
  }
  return *known->second.root == news.task.id;
}

result<session_writer*> session_follower::writer_of(const objective_id& id) {
  auto& writer = writers_[id.str()];
  if (!writer) {
    // A file that was not there when all were looked for is not searched for again.
    const auto known = known_.find(file_name_of(id));
    const std::string none;
    auto opened = session_writer::open(how_.directory, id, *how_.files,
                                       known == known_.end() ? &none : &known->second.archive);
    if (!opened) {
      writers_.erase(id.str());
      return opened.error();
    }
    writer = std::move(*opened);
  }
  return writer.get();
}

result<void> session_follower::add(const objective_id& id, const change& news,
                                   std::string_view row) {
  const auto writer = writer_of(id);
  if (!writer)
    return writer.error();
  auto& to = **writer;
  const auto known = is_lone(news) ? to.state().root_sequence() : to.state().sequence();
  if (news.sequence == 1 && known != 0 && !is_lone(news) && to.state().view()->created != news.at)
    return make_error(errc::store_failed, "its session in " + how_.directory
                                              + " is of another objective with the same id; move "
                                                "its files away");
  if (news.sequence > known + 1)
    if (auto ok = complete(to, id, news); !ok)
      return ok;
  touched_[id.str()] = touched_now_[id.str()] = &to;
  return to.add(news, row);
}

result<void> session_follower::complete(session_writer& to, const objective_id& id,
                                        const change& before) {
  // The changes of the root task are between those of the objective, by their times, as an export
  // has them.
  std::vector<change> root;
  std::size_t next = 0;
  const auto read_root = [&](const task_id& task) {
    if (task.empty() || !root.empty())
      return result<void>{};
    return for_each_past_change(history_, task, to.state().root_sequence(),
                                is_lone(before) ? before.sequence - 1 : sequence_end,
                                [&](const change& each) {
                                  root.push_back(each);
                                  return result<void>{};
                                });
  };
  if (to.state().view() != nullptr)
    if (auto ok = read_root(to.state().view()->root_task); !ok)
      return ok;
  const auto take_root = [&](std::optional<timestamp> until) {
    for (; next < root.size() && (!until || root[next].at < *until); ++next)
      if (auto ok = to.add(root[next]); !ok)
        return ok;
    return result<void>{};
  };
  const auto through = is_lone(before) ? sequence_end : before.sequence - 1;
  auto ok =
      for_each_past_change(history_, id, to.state().sequence(), through, [&](const change& each) {
        if (is_lone(each)) // A watcher of the objective sees its root task, too.
          return result<void>{};
        if (to.state().view() != nullptr)
          if (auto taken = take_root(each.at); !taken)
            return taken;
        if (auto taken = to.add(each); !taken)
          return taken;
        return read_root(to.state().view()->root_task);
      });
  if (ok)
    ok = take_root(is_lone(before) ? std::nullopt : std::optional{before.at});
  return ok;
}

// -- files ----------------------------------------------------------------------------------------

/// What was written survives the process.
result<void> session_follower::write_page() {
  for (const auto& [id, writer] : touched_now_)
    if (auto ok = writer->write_out(); !ok)
      return ok;
  if (touched_.size() > sessions_open_max)
    for (const auto& [id, writer] : touched_now_)
      writer->release_file();
  touched_now_.clear();
  return sidecar_ ? sidecar_->write_out() : result<void>{};
}

/// One visit to the disk for all files.
result<void> session_follower::make_safe() {
  const auto began = how_.time->steady();
  is_hurried_ = false;
  std::vector<index_entry> entries;
  std::size_t growing = 0;
  for (const auto& [id, writer] : touched_) {
    if (auto ok = writer->close(); !ok)
      return ok;
    growing += writer->is_growing() ? 1 : 0;
    if (growing > sessions_open_max)
      writer->release_file();
  }
  const bool has_rest = sidecar_ && sidecar_->is_touched();
  if (growing + (has_rest ? 1 : 0) > synced_apart_max) {
    if (has_rest)
      if (auto ok = sidecar_->write_out(); !ok)
        return ok;
    if (auto ok = sync_folder(how_.directory, *how_.files); !ok)
      return ok;
  } else {
    for (const auto& [id, writer] : touched_)
      if (auto ok = writer->sync(); !ok)
        return ok;
    if (has_rest)
      if (auto ok = sidecar_->sync(); !ok)
        return ok;
  }
  for (const auto& [id, writer] : touched_) {
    if (auto ok = writer->settle(); !ok)
      return ok;
    if (writer->state().view() != nullptr)
      entries.push_back(writer->entry());
  }
  if (!touched_.empty() || has_rest)
    if (auto ok = sync_names(how_.directory, *how_.files); !ok)
      return ok;
  if (has_rest)
    if (auto ok = sidecar_->settle(last_at_); !ok)
      return ok;
  if (auto ok = write_index(how_.directory, entries, *how_.files); !ok)
    return ok;
  const auto restart_at = restart_after(written_at_);
  if (auto ok = write_position(restart_at); !ok)
    return ok;
  for (const auto& [id, writer] : touched_) {
    const auto* view = writer->state().view();
    known_[file_name_of(objective_id{id})] = {
        writer->archived(), view != nullptr ? std::optional{view->root_task} : std::nullopt};
    if (!writer->is_growing())
      writers_.erase(id); // It is over.
  }
  touched_.clear();
  safe_at_ = written_at_;
  restart_at_ = restart_at;
  safe_bytes_ = seen_bytes_;
  is_position_old_ = false;
  from_.keep_groups(restart_at_ + 1);
  const auto ended = how_.time->steady();
  sync_at_ = ended
             + std::max<time_source::steady_point::duration>(how_.sync_interval,
                                                             (ended - began) * sync_pause_factor);
  {
    const std::lock_guard lock{guard_};
    status_.problem.clear();
  }
  note_status();
  return {};
}

journal::position session_follower::restart_after(journal::position written) const {
  const auto needed = parts_.first_needed();
  return needed ? std::min(written, *needed - 1) : written;
}

result<void> session_follower::write_position(journal::position at) {
  std::string text;
  std::string id;
  append_hex(id, journal_id_, 16);
  json_writer to{text};
  to.begin_object().member("journal", id).key("group").number(at).end_object();
  text += '\n';
  return replace_file(position_path(how_.directory), text, *how_.files);
}

// -- what goes wrong ------------------------------------------------------------------------------

/// All is read again from the position on. What is not safe may not be there after a failed sync,
/// so it is cut off and written again.
void session_follower::fail(const error& why) {
  for (const auto& [id, writer] : touched_)
    writer->roll_back();
  if (sidecar_)
    sidecar_->roll_back();
  touched_.clear();
  touched_now_.clear();
  writers_.clear();
  has_looked_ = false;
  parts_.clear();
  parts_held_ = {};
  written_at_ = safe_at_ = read_after_ = restart_at_;
  seen_bytes_ = safe_bytes_;
  cursor_ = {.next = restart_at_ + 1};
  ++generation_;
  retry_at_ = how_.time->steady() + how_.retry_interval;
  {
    const std::lock_guard lock{guard_};
    status_.problem = why.message;
  }
  note_status();
}

void session_follower::lose(const objective_id& id, const error& why) {
  lost_.insert(id.str());
  touched_.erase(id.str());
  touched_now_.erase(id.str());
  writers_.erase(id.str());
  const std::lock_guard lock{guard_};
  status_.lost = lost_.size();
  if (status_.loss.empty())
    status_.loss = "The session of " + shown(id.str()) + " is not kept any more: " + why.message;
}

/// The groups before `next` that are not written yet.
void session_follower::let_go(journal::position next, const std::string& why) {
  {
    const std::lock_guard lock{guard_};
    status_.loss = "The sessions in " + how_.directory + " lack groups "
                   + std::to_string(written_at_ + 1) + " to " + std::to_string(next - 1) + ": "
                   + why
                   + ". What an objective lacks is added when it changes next; `troupe session "
                     "export --all` adds all of it.";
  }
  parts_.clear();
  parts_held_ = {};
  written_at_ = next - 1;
  if (touched_.empty() && !(sidecar_ && sidecar_->is_touched()))
    safe_at_ = restart_at_ = written_at_;
  is_position_old_ = true;
  cursor_ = {.next = next};
  ++generation_;
  from_.keep_groups(next);
  note_status();
}

void session_follower::note_status() {
  const std::lock_guard lock{guard_};
  status_at_ = safe_at_;
}

session_status session_follower::status() const {
  const auto reached = from_.groups_reached().at;
  const std::lock_guard lock{guard_};
  auto out = status_;
  out.lag_groups = reached - std::min(reached, status_at_);
  return out;
}

} // namespace troupe::sessions
