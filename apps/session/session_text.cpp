#include "apps/session/session_text.hpp"

#include "apps/terminal/json_line.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/a2a/codec_v1_0.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/text/counted.hpp"
#include "store/session/session_names.hpp"

#include <algorithm>

namespace troupe {

namespace {

using sessions::session_reading;

std::string cut_words(const sessions::cut_end& cut) {
  return "cut short in line " + std::to_string(cut.line) + " (" + cut.problem + "): its last "
         + std::to_string(cut.bytes) + " bytes are left out";
}

/// The changes that it has: a snapshot and an end are events, too.
std::uint64_t changes_in(const session_reading& reading) {
  const std::uint64_t others =
      (reading.head.parent.empty() ? 0U : 1U) + (reading.is_archived ? 1U : 0U);
  return reading.events - std::min(others, reading.events);
}

std::string objective_in(const session_reading& reading) {
  return sessions::objective_of(reading.head.key)->str();
}

} // namespace

std::string text_of(const exported_session& session) {
  auto out = session.file + ": " + counted(session.added, "new change", "new changes") + "\n";
  return session.cut.empty() ? out : "note: " + session.cut + "\n" + out;
}

std::string text_of(const export_report& report) {
  return counted(report.sessions, "session", "sessions") + ", "
         + counted(report.added, "new change", "new changes")
         + (report.failed > 0 ? ", " + std::to_string(report.failed) + " failed" : "") + "\n";
}

std::string text_of(const std::string& file, const session_reading& reading) {
  const auto* view = reading.state.view();
  auto out = file + ": " + objective_in(reading) + ", "
             + (view != nullptr ? std::string{to_string(view->state)} : "empty") + ", "
             + counted(changes_in(reading), "change", "changes");
  if (!reading.head.parent.empty())
    out += ", continues " + reading.head.parent;
  if (reading.foreign > 0)
    out += ", " + counted(reading.foreign, "line", "lines") + " of other programs";
  if (reading.is_archived)
    out += ", archived";
  if (reading.cut)
    out += "\nnote: " + file + " was " + cut_words(*reading.cut);
  return out + "\n";
}

std::string text_of(const sessions::import_report& report) {
  auto out = report.cut.empty() ? std::string{} : "note: " + report.cut + "\n";
  return out + report.id.str() + ": " + std::string{to_string(report.state)} + ", "
         + counted(report.changes, "change", "changes") + " of "
         + counted(report.files.size(), "file", "files") + "\n";
}

std::string json_of(const exported_session& session) {
  return json_line([&](json_writer& to) {
    to.member("objective", session.id.str()).member("key", session.key);
    to.member("file", session.file).key("newChanges").number(session.added);
    to.optional_member("note", session.cut);
  });
}

std::string json_of(const export_report& report) {
  return json_line([&](json_writer& to) {
    to.key("sessions").number(report.sessions).key("newChanges").number(report.added);
    to.key("failed").number(report.failed);
  });
}

std::string json_of(const std::string& file, const session_reading& reading) {
  return json_line([&](json_writer& to) {
    to.member("file", file).member("objective", objective_in(reading));
    if (const auto* view = reading.state.view())
      to.member("status", to_string(view->state));
    to.key("changes").number(changes_in(reading)).key("lines").number(reading.lines);
    to.key("foreignLines").number(reading.foreign);
    to.key("archived").boolean(reading.is_archived);
    to.optional_member("parentSession", reading.head.parent);
    if (reading.cut) {
      to.key("cut").begin_object().key("line").number(reading.cut->line);
      to.key("bytes").number(reading.cut->bytes).member("problem", reading.cut->problem);
      to.end_object();
    }
    if (reading.faults.empty())
      return;
    to.key("faults").begin_array();
    for (const auto& fault : reading.faults) {
      to.begin_object().key("line").number(fault.line).member("problem", fault.problem);
      to.end_object();
    }
    to.end_array();
  });
}

std::string json_of(const sessions::import_report& report) {
  return json_line([&](json_writer& to) {
    to.member("objective", report.id.str()).member("status", to_string(report.state));
    to.key("changes").number(report.changes).key("tasks").number(report.tasks);
    to.key("files").begin_array();
    for (const auto& file : report.files)
      to.string(file);
    to.end_array().optional_member("note", report.cut);
  });
}

std::string json_of_failure(const char* member, const std::string& of, const error& why) {
  return json_line([&](json_writer& to) {
    to.member(member, of).key("error").begin_object().member("code", to_string(why.code));
    to.member("message", why.message).end_object();
  });
}

std::string json_of_state(const sessions::session_state& state) {
  return json_line([&](json_writer& to) {
    const auto* view = state.view();
    if (view == nullptr)
      return;
    to.key("objective");
    opt::write(to, *view, true, true);
    to.key("plans").begin_array();
    for (std::size_t plan = 0; plan < view->plans.size(); ++plan)
      opt::write(to, *view, plan, true);
    to.end_array().key("tasks").begin_object();
    for (const auto& [id, task] : state.tasks()) {
      to.escaped_key(id);
      v1_0::write(to, *task);
    }
    to.end_object();
  });
}

} // namespace troupe
