#include "apps/session/session_command.hpp"

#include "apps/open_store.hpp"
#include "apps/options.hpp"
#include "apps/session/session_text.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/terminal.hpp"
#include "store/session/session_index.hpp"
#include "store/session/session_names.hpp"
#include "store/tools/read_only.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

namespace troupe {

namespace {

namespace fs = std::filesystem;

/// The message, and the exit code.
int refuse_session(const error& why, const session_options& options, int code) {
  if (options.json)
    say_json_error(why);
  complain(why.message);
  return code;
}

/// Of what could not be read at all.
int code_of(const error& why) {
  return why.code == errc::store_unreadable || why.code == errc::store_locked
                 || why.code == errc::invalid_params
             ? exit_usage
             : exit_failed;
}

// -- export ---------------------------------------------------------------------------------------

int export_command(const session_options& options) {
  if (options.objectives.empty() && !options.all) {
    complain("session export: which objectives? (OBJECTIVE is required, except with --all)");
    return exit_usage;
  }
  export_order order{.data = options.data,
                     .directory = options.directory.empty()
                                      ? options.data + "/" + sessions_directory
                                      : options.directory,
                     .objectives = {}};
  for (const auto& id : options.objectives)
    order.objectives.emplace_back(id);
  if (options.directory.empty()) // Files of another user would be in the way of the owner.
    if (const auto ok = require_owner(options.data); !ok)
      return refuse_session(ok.error(), options, exit_usage);
  output out{STDOUT_FILENO};
  export_watch watch;
  watch.on_session = [&](const exported_session& session) {
    out.write(options.json ? json_of(session) : text_of(session));
  };
  watch.on_failure = [&](const objective_id& id, const error& why) {
    out.flush();
    if (options.json)
      out.write(json_of_failure("objective", id.str(), why));
    complain(why.message);
  };
  const auto report = export_sessions(order, watch);
  if (!report) {
    out.flush();
    return refuse_session(report.error(), options, exit_usage);
  }
  out.write(options.json ? json_of(*report) : text_of(*report));
  return exit_code_of(report->failed == 0 ? exit_ok : exit_failed, all_written(out));
}

// -- check ----------------------------------------------------------------------------------------

/// The names of the session files of objectives in a directory, in order.
result<std::vector<std::string>> session_files_in(const std::string& directory) {
  std::vector<std::string> out;
  std::error_code failed;
  for (fs::directory_iterator each{directory, failed}; !failed && each != fs::directory_iterator{};
       each.increment(failed)) {
    const auto name = each->path().filename().string();
    const auto ending = name.find(".jsonl");
    if (name.starts_with("a2a_obj_") && ending != std::string::npos
        && (name.ends_with(".jsonl")
            || sessions::archive_time_of(name, name.substr(0, ending + 6))))
      out.push_back(name);
  }
  if (failed)
    return make_error(errc::store_unreadable,
                      "The directory " + directory + " cannot be read (" + failed.message() + ").");
  std::ranges::sort(out);
  return out;
}

class session_checker {
public:
  explicit session_checker(const session_options& options) : options_(options) {}

  void check_file(const std::string& path) {
    const auto reading = sessions::read_session_file(path);
    if (!reading) {
      fail(path, reading.error());
      code_ = std::max(code_, code_of(reading.error()));
      return;
    }
    ids_[fs::path{path}.filename().string()] =
        sessions::session_id_of(reading->head.key, reading->head.parent);
    if (options_.state)
      out_.write(json_of_state(reading->state));
    else
      out_.write(options_.json ? json_of(path, *reading) : text_of(path, *reading));
    for (const auto& fault : reading->faults) {
      out_.flush();
      complain(path + ": line " + std::to_string(fault.line) + ": " + fault.problem);
      code_ = std::max<int>(code_, exit_failed);
    }
    if (options_.state && reading->cut) // The state has no place for it.
      complain(text_of(path, *reading));
  }

  void check_directory(const std::string& directory) {
    const auto names = session_files_in(directory);
    if (!names)
      return stop(names.error());
    for (const auto& name : *names)
      check_file(directory + "/" + name);
    const auto path = directory + "/" + std::string{sessions::index_name};
    const auto entries = sessions::read_index(directory);
    if (!entries)
      return stop(entries.error());
    for (const auto& entry : *entries) {
      const auto found = ids_.find(entry.file);
      if (found == ids_.end() || found->second != entry.session_id)
        fail(path, make_error(errc::store_failed,
                              "The entry " + shown(entry.key) + " of " + path + " names the file "
                                  + shown(entry.file)
                                  + (found == ids_.end() ? ", which is not there or not whole."
                                                         : ", which is of another session.")));
    }
    if (names->empty() && code_ == exit_ok && !options_.state)
      out_.write(options_.json ? std::string{} : "no sessions in " + directory + "\n");
  }

  [[nodiscard]] int end() { return exit_code_of(code_, all_written(out_)); }

private:
  void fail(const std::string& path, const error& why) {
    out_.flush();
    if (options_.json)
      out_.write(json_of_failure("file", path, why));
    complain(why.message);
    code_ = std::max<int>(code_, exit_failed);
  }
  void stop(const error& why) {
    out_.flush();
    code_ = refuse_session(why, options_, code_of(why));
  }

  const session_options& options_;
  output out_{STDOUT_FILENO};
  std::map<std::string, std::string> ids_; ///< Of the sessions, by the names of the files.
  int code_ = exit_ok;
};

int check_command(const session_options& options) {
  session_checker checker{options};
  std::error_code unknown;
  if (fs::is_directory(options.path, unknown))
    checker.check_directory(options.path);
  else
    checker.check_file(options.path);
  return checker.end();
}

// -- import ---------------------------------------------------------------------------------------

int import_command(const session_options& options) {
  std::error_code unknown;
  if (fs::exists(options.data, unknown))
    if (const auto ok = require_owner(options.data); !ok)
      return refuse_session(ok.error(), options, exit_usage);
  // A file that is of no use makes no directory.
  if (const auto usable = sessions::read_session_file(options.path); !usable)
    return refuse_session(usable.error(), options, code_of(usable.error()));
  const auto records = open_store({.kind = store_kind::rocksdb,
                                   .durability = durability::sync,
                                   .directory = options.data,
                                   .memory = {}});
  if (!records)
    return refuse_session(records.error(), options, exit_usage);
  if (const auto left = (*records)->recover(); !left)
    return refuse_session(left.error(), options, exit_usage);
  sessions::import_order order{.file = options.path, .as = {}};
  if (!options.as.empty())
    order.as = objective_id{options.as};
  const auto report = sessions::import_session(**records, order, thread_id_source());
  if (!report)
    return refuse_session(report.error(), options, code_of(report.error()));
  return exit_code_of(exit_ok, say(options.json ? json_of(*report) : text_of(*report)));
}

} // namespace

int session_command(const session_options& options) {
  switch (options.tool) {
    case session_tool::write: return export_command(options);
    case session_tool::check: return check_command(options);
    case session_tool::read: return import_command(options);
  }
  return exit_usage;
}

} // namespace troupe
