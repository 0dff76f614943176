// `troupe submit`, `watch`, `pause`, `resume` and `retry`; `ls` and `show` of a server.
#include "apps/commands.hpp"
#include "apps/local_flag.hpp"
#include "apps/plan/plan_excerpt.hpp"
#include "apps/plan/plan_file.hpp"
#include "apps/remote/objective_mending.hpp"
#include "apps/remote/remote_commands.hpp"
#include "apps/remote/remote_records.hpp"
#include "apps/remote/watch_session.hpp"
#include "apps/run/result_files.hpp"
#include "apps/run/run_drawing.hpp"
#include "apps/run/run_report.hpp"
#include "apps/run/timing_files.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/text.hpp"
#include "apps/terminal/text_table.hpp"
#include "apps/text_file.hpp"
#include "protocol/json/written_tree.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/limits_opt.hpp"
#include "protocol/opt/objective_reading.hpp"
#include <troupe/protocol/time_source.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <unistd.h>

namespace troupe {

namespace json = boost::json;

namespace {

constexpr std::size_t listed_objectives_max = 1000;

style style_of(std::string_view state) {
  if (state == "completed")
    return style::green;
  if (state == "failed")
    return style::red;
  if (state == "blocked")
    return style::yellow;
  return state == "working" || state == "planning" ? style::cyan : style::plain;
}

timestamp time_in(const json::value& from, std::string_view name) {
  return parse_rfc3339(text_in(from, name)).value_or(timestamp{});
}

// -- submit ---------------------------------------------------------------------------------------

/// The file as a server gets it. Errors: those of reading it.
result<plan_file> read_submitted(const submit_options& options) {
  auto file = read_plan_file(options.file, options.params);
  if (!file)
    return file.error();
  make_ids_local(file->objective);
  pass_variables(*file);
  return file;
}

/// What objectives/create takes.
result<json::object> request_of(const submit_options& options, const plan_file& file) {
  auto tree = written_tree([&](json_writer& out) { opt::write_spec(out, file.objective); },
                           opt::document_depth_max);
  if (!tree)
    return make_error(tree.error().code, file.name + ": cannot be sent: " + tree.error().message);
  auto params = std::move(tree->as_object());
  params["start"] = !options.watches; // Else watching begins first (watch_choice::starts).
  params["requestId"] = thread_id_source().next("req"); // The same request again is one.
  return params;
}

/// Once more, if it is not known whether the request came through.
result<json::value> create(const server_link& on, const json::object& params) {
  auto made = on.ask_for("objective", a2a::operation::create_objective, params);
  if (!made && (made.error().code == errc::unavailable || made.error().code == errc::timed_out))
    made = on.ask_for("objective", a2a::operation::create_objective, params);
  return made;
}

/// Says why the server refused a plan, with the place in the file that it means.
int refuse_submitted(const server_link& on, error why, const plan_file& file,
                     const std::string& path) {
  if (why.field.starts_with('/'))
    why = locate(file, std::move(why));
  why.message = explained(why, on.name);
  complain_about_plan(why, path);
  return exit_failed;
}

// -- ls -------------------------------------------------------------------------------------------

result<std::vector<json::value>> all_objectives(const server_link& on) {
  return on.list("objectives", a2a::operation::list_objectives,
                 {{"includePlans", false}, {"orderBy", "createdAt"}}, listed_objectives_max);
}

std::string draw_objectives(const std::vector<json::value>& all, const list_runs_options& options) {
  std::string out;
  if (options.format == list_format::json || options.format == list_format::name) {
    for (const auto& each : all)
      out += (options.format == list_format::json ? json::serialize(each)
                                                  : clean_line(text_in(each, "id")))
             + "\n";
    return out;
  }
  const bool is_wide = options.format == list_format::wide;
  const auto now = system_time().now();
  text_table table{{"OBJECTIVE", "STATE", "CREATED", "TOOK", "DONE"}, {}};
  if (is_wide)
    table.heads.emplace_back("REASON");
  table.heads.emplace_back("NAME");
  for (const auto& each : all) {
    const auto state = text_in(each, "status");
    const auto created = time_in(each, "createdAt");
    const auto known = objective_state_from(state);
    const bool is_over = known && is_settled(*known);
    const auto until = is_over ? time_in(each, "updatedAt") : now;
    const auto fraction = opt::read_fraction(each);
    const auto took = std::max(std::chrono::milliseconds{0}, until - created);
    std::vector<span> row{
        {text_in(each, "id")},
        {state, style_of(state)},
        {shown_age(created, now)},
        {state == "submitted" ? std::string{} : format_duration(took)},
        {fraction ? std::to_string(std::lround(*fraction * 100)) + "%" : std::string{}}};
    if (is_wide)
      row.push_back({text_in(each, "reason")});
    row.push_back({text_in(each, "name")});
    table.rows.push_back(std::move(row));
  }
  return draw_table(table, is_wide ? static_cast<std::size_t>(-1) : stdout_width(),
                    stdout_colour(options.colour));
}

// -- steps ----------------------------------------------------------------------------------------

/// The objective as it is then. `revision`: only if nobody has changed it since.
result<json::value> move_to(const server_link& on, const std::string& id, std::string_view state,
                            const std::optional<std::uint64_t>& revision = std::nullopt) {
  json::object params;
  params["id"] = id;
  params["status"] = state;
  if (revision)
    params["ifRevision"] = *revision;
  return on.ask_for("objective", a2a::operation::update_objective, std::move(params));
}

/// A file, and the objective that takes it, as it was before.
struct mending {
  const checked_file& file;
  std::string file_name;
  mendable_objective of;
};

/// Says what changes by the file.
void tell_mended(const mended_run& mended, const std::string& file_name) {
  if (mended.empty() && mended.staying.empty())
    complain(file_name + " has nothing that is new there");
  else
    for (const auto& line : mended_lines(mended, file_name))
      complain(line);
}

/// Changes the objective, which is `submitted`, by the file. `revision`: its revision, then and
/// now.
result<void> change_by_file(const server_link& on, mending& by, std::uint64_t& revision) {
  if (const auto noted = note_skipped_plans(on, by.of); !noted)
    return noted;
  const auto mended = mend_objective(by.of, by.file);
  if (!mended)
    return mended.error();
  tell_mended(*mended, by.file_name);
  return send_mended(on, by.of.view.id.str(), *mended, revision);
}

/// What has not completed begins again, as the file has it now.
result<json::value> try_mended(const server_link& on, mending& by) {
  const auto& id = by.of.view.id.str();
  const auto renewed = move_to(on, id, "submitted");
  if (!renewed)
    return renewed;
  auto revision = revision_in(*renewed).value_or(by.of.view.revision);
  const auto changed = change_by_file(on, by, revision);
  if (changed)
    return move_to(on, id, "working");
  const auto& why = changed.error();
  const bool is_refused = is_refusal(why.code);
  std::string now = "stays submitted";
  if (is_refused && by.of.view.state != objective_state::submitted) {
    // Else it would be resumed with the plan as it was. What others have changed since stays.
    now = move_to(on, id, "canceled", revision) ? "is canceled" : "could not be canceled";
  }
  return make_error(why.code,
                    "the objective " + id
                        + (is_refused ? " does not take the plan as the file has it now"
                                      : " may have taken only a part of what has changed in the "
                                        "file")
                        + " and " + now + ": " + why.message);
}

result<json::value> take_step(const server_link& on, const std::string& id, objective_step step) {
  switch (step) {
    case objective_step::pause: return move_to(on, id, "blocked");
    case objective_step::resume: return move_to(on, id, "working");
    case objective_step::retry: break;
  }
  const auto renewed = move_to(on, id, "submitted");
  return renewed ? move_to(on, id, "working") : renewed;
}

/// Errors: also what the objective cannot take of the file, before anything is changed.
result<mending> read_mending(const server_link& on, const std::string& id, const std::string& path,
                             const checked_file& file) {
  auto of = read_mendable(on, id);
  if (!of)
    return of.error();
  if (const auto mended = mend_objective(*of, file); !mended)
    return make_error(mended.error().code, "the objective " + id + " cannot take "
                                               + name_of_file(path)
                                               + " as it is now: " + mended.error().message);
  return mending{file, name_of_file(path), std::move(*of)};
}

/// The step of a retry that has a file.
result<json::value> retry_with_file(const server_link& on, const std::string& id,
                                    const std::string& path, const checked_file& file) {
  auto by = read_mending(on, id, path, file);
  return by ? try_mended(on, *by) : result<json::value>(by.error());
}

/// The same of a run of this computer.
int step_run(const step_options& options) {
  if (!options.file.empty())
    return refuse_usage(
        make_error(errc::invalid_params, "of a run of this computer `troupe run --retry "
                                             + shell_word(options.file)
                                             + "` does what has changed in the file"));
  run_options run;
  run.purpose = options.step == objective_step::retry ? run_purpose::retry : run_purpose::resume;
  run.file = options.id;
  return run_command(run);
}

} // namespace

int submit_command(const submit_options& options) {
  if (const auto fine = check_timing_files(options.watch.timing); !fine)
    return refuse_usage(fine.error());
  const auto file = read_submitted(options);
  const auto params = file ? request_of(options, *file) : result<json::object>(file.error());
  if (!params) {
    complain_about_plan(params.error(), options.file);
    return exit_usage;
  }
  const auto on =
      link_to(options.server, "`troupe run " + shell_word(options.file) + "` runs it here");
  if (!on)
    return refuse_usage(on.error());
  if (const auto knows = on->need_objectives(); !knows)
    return on->refuse(knows.error());
  const auto made = create(*on, *params);
  if (!made)
    return refuse_submitted(*on, made.error(), *file, options.file);
  const auto id = text_in(*made, "id");
  if (!options.watches) {
    if (::isatty(STDERR_FILENO) == 1)
      complain("started; " + on->command("watch " + id) + " shows it");
    return say(clean_line(id) + "\n") ? exit_ok : exit_failed;
  }
  if (!options.watch.json && !options.watch.quiet)
    complain("objective " + id);
  auto choice = options.watch;
  choice.starts = true;
  return watch_objective(*on, id, choice);
}

int watch_command(const watch_options& options) {
  if (const auto fine = check_timing_files(options.watch.timing); !fine)
    return refuse_usage(fine.error());
  const auto on = link_to(options.server, "a run of this computer is watched where `troupe run` "
                                          "runs it, and `troupe logs "
                                              + shell_word(options.id) + local_flag()
                                              + " --follow` shows what its programs write");
  if (!on)
    return refuse_usage(on.error());
  const auto id = find_objective_id(*on, options.id);
  if (!id)
    return on->refuse(id.error());
  return watch_objective(*on, *id, options.watch);
}

int step_command(const step_options& options) {
  const auto server = choose_server(options.server);
  if (!server)
    return refuse_usage(server.error());
  if (!*server && options.step != objective_step::pause) // Runs are not paused.
    return step_run(options);
  std::optional<checked_file> file;
  if (!options.file.empty()) {
    auto read = read_for_server(options.file, options.params);
    if (!read) {
      complain_about_plan(read.error(), options.file);
      return exit_usage;
    }
    file = std::move(*read);
  }
  const auto on =
      link_to(options.server, "a run of this computer is stopped with Ctrl-C where it runs, and "
                              "`troupe run --retry "
                                  + shell_word(options.id) + "` does the rest");
  if (!on)
    return refuse_usage(on.error());
  const auto id = find_objective_id(*on, options.id);
  if (!id)
    return on->refuse(id.error());
  const auto now =
      file ? retry_with_file(*on, *id, options.file, *file) : take_step(*on, *id, options.step);
  if (!now)
    return on->refuse(now.error());
  return say("objective " + clean_line(*id) + " " + clean_line(text_in(*now, "status")) + "\n")
             ? exit_ok
             : exit_failed;
}

int list_objectives_command(const list_runs_options& options, chosen_server server) {
  const auto on = link_to(std::move(server));
  if (!on)
    return refuse_usage(on.error());
  if (const auto knows = on->need_objectives(); !knows)
    return on->refuse(knows.error());
  const auto all = all_objectives(*on);
  if (!all)
    return on->refuse(all.error());
  const bool is_for_people =
      options.format == list_format::table || options.format == list_format::wide;
  if (all->empty() && is_for_people) {
    complain(on->name + ": there are no objectives yet; " + on->command("submit FILE")
             + " makes the first");
    return exit_ok;
  }
  return say(draw_objectives(*all, options)) ? exit_ok : exit_failed;
}

int remove_objectives_command(const remove_runs_options&, chosen_server server) {
  return refuse_usage(make_error(errc::invalid_params,
                                 "rm removes runs of this computer, and the server is "
                                     + server.name + "; to remove local runs, say --server local"));
}

int show_objective_command(const show_run_options& options, chosen_server server) {
  const auto on = link_to(std::move(server));
  if (!on)
    return refuse_usage(on.error());
  const auto id = find_objective_id(*on, options.run);
  if (!id)
    return on->refuse(id.error());
  if (!options.output_directory.empty())
    if (const auto made = make_output_directory(options.output_directory); !made)
      return refuse_usage(made.error());
  const auto view = read_objective_of(*on, *id);
  if (!view)
    return on->refuse(view.error());
  const auto records = records_of(*on, view->id);
  const auto end = is_settled(view->state) ? view->updated : system_time().now();
  drawing_options drawing{options.output, stdout_colour(options.colour)};
  drawing.show_command = "troupe show " + view->id.str() + on->flag;
  const auto drawn = draw_ended(*view, records, end, drawing);
  bool is_whole = drawn.unread.empty();
  if (!options.output_directory.empty()) {
    const auto done = write_results(options.output_directory, records, *view,
                                    options.output.value_or(output_choice::results));
    if (!done)
      complain(done.error().message);
    is_whole = is_whole && done;
  }
  const bool is_said = say(drawn.text);
  for (const auto& line : unread_lines(drawn.unread))
    complain(on->name + ": " + line);
  return is_said && is_whole ? exit_ok : exit_failed;
}

} // namespace troupe
