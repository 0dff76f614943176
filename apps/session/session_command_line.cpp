#include "apps/session/session_command_line.hpp"

#include <CLI/CLI.hpp>

namespace troupe {

namespace {

constexpr const char* session_footer = R"(Examples:
  troupe session export trip --data ./state
  troupe session check ./state/sessions
  troupe session import a2a_obj_trip.jsonl --data ./other

A session file has all changes of one objective, a line of JSON for each. docs/sessions.md describes it.

Exit codes: 0 done, or all is whole; 1 a session is damaged, or was not written; 2 wrong usage, or
nothing could be read.)";

constexpr const char* export_footer =
    R"(Writes a file for each objective, in the form in which OpenClaw kept its sessions, and their entries in
sessions.json beside them. An export that is repeated adds what is new. The session of an objective that has ended is
archived: its file is renamed. No server may run on the data directory; nothing in it is changed but its
directory sessions, which is where files go without --dir.

Where OpenClaw has its own database of sessions, nothing is written: export elsewhere, and import it there.

Examples:
  troupe session export trip --data ./state
  troupe session export --all --data ./state --dir ./sessions
  troupe session export --all --data ./state --json | jq -r .file

Exit codes: 0 written; 1 one objective could not be exported, or the disk refuses; 2 wrong usage, or the
data directory cannot be read.)";

constexpr const char* session_check_footer =
    R"(Reads whole session files. The end of a file that was cut short is left out, and said. Damage with good lines
behind it is an error, and the number of the line is said. Lines of other programs are skipped. Changes nothing.

--state prints what a session leads to: {"objective", "plans", "tasks"}, as objectives/get and GetTask show them.

Examples:
  troupe session check ./state/sessions
  troupe session check a2a_obj_trip.jsonl --state | jq .objective.status

Exit codes: 0 all is whole, or was cut short at its end; 1 damage; 2 wrong usage, or it cannot be read.)";

constexpr const char* import_footer =
    R"(Brings the objective of a session file with its whole history into a data directory, which is made if it is
missing. The next server goes on with it, if it has not ended. A file that continues another one needs that one beside
it. An id that the directory knows already is refused; --as imports the objective with another one, and gives its
plans and tasks the ids of their places.

Examples:
  troupe session import a2a_obj_trip.jsonl --data ./state
  troupe session import a2a_obj_trip.jsonl --data ./state --as trip-2

Exit codes: 0 imported; 1 the file is damaged, or an id is known: nothing was imported; 2 wrong usage, or one
of the two cannot be read.)";

} // namespace

void add_session(CLI::App& app, session_options& options) {
  auto& session =
      *app.add_subcommand("session", "Write, check or read objectives as session files");
  session.require_subcommand(1);
  session.footer(session_footer);
  const auto add = [&](const char* name, session_tool tool, const char* help, const char* footer) {
    auto& out = *session.add_subcommand(name, help);
    out.callback([&options, tool] { options.tool = tool; });
    out.add_flag("--json", options.json, "JSON instead of text, an object on each line");
    out.footer(footer);
    return &out;
  };
  const auto add_data = [&](CLI::App& to) {
    to.add_option("--data,--data-dir", options.data, "The data directory")
        ->type_name("DIR")
        ->required();
  };
  auto& write = *add("export", session_tool::write, "Write sessions of objectives", export_footer);
  auto* ids = write.add_option("OBJECTIVE", options.objectives, "Their ids");
  write.add_flag("--all", options.all, "All objectives of the data directory")->excludes(ids);
  write.add_option("--dir", options.directory, "Where to write (default sessions in --data)")
      ->type_name("DIR");
  add_data(write);
  auto& check = *add("check", session_tool::check, "Read sessions; say what is damaged",
                     session_check_footer);
  check.add_option("PATH", options.path, "A session file, or a directory of them")->required();
  check.add_flag("--state", options.state, "Print what they lead to, an object on each line");
  auto& read =
      *add("import", session_tool::read, "Bring a session into a data directory", import_footer);
  read.add_option("FILE", options.path, "A session file")->required();
  read.add_option("--as", options.as, "Another id for the objective")->type_name("NEW");
  add_data(read);
}

} // namespace troupe
