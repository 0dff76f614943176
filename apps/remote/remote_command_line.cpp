#include "apps/remote/remote_command_line.hpp"

#include "apps/flag_choices.hpp"

namespace troupe {

namespace {

constexpr std::uint32_t tasks_listed_max = 10'000;

constexpr const char* servers_footer =
    R"(The server is --server, else TROUPE_SERVER, else the one of troupe context use: a URL, or the alias of one of
[[targets]] in ~/.config/troupe/config.toml, which may have keys (docs/cli.md).)";

std::string with_servers(const std::string& footer) {
  return footer + "\n\n" + servers_footer;
}

/// Of a command that means this computer if no server is named.
std::string with_runs(const std::string& footer) {
  return with_servers(footer) + "\nWithout one they are the runs of this computer.";
}

const std::string send_footer = with_servers(R"(Examples:
  troupe send --server http://127.0.0.1:8080 "Hello"
  troupe send --task task-o9TB8YmKGijPhB "the early one"   answers a task that asks
  troupe send --file report.pdf "Summarize this"
  troupe send - < letter.txt
  troupe send                              a conversation: a line is a message, Ctrl-D ends it

Exit codes: 0 answered, 1 failed or no answer, 2 wrong usage, 3 the agent asks (see --task), 130 canceled.)");

constexpr const char* remote_agent_footer = R"(Examples:
  troupe remote-agent '{"action": "list_targets"}'
  troupe remote-agent '{"action": "status", "task_handle": "rah_7Kq2"}'
  troupe remote-agent --updates < request.json     {"action": "send", ...}

Targets are [[targets]], and what the tool may do is [remote-agent], in ~/.config/troupe/config.toml
(docs/remote-agent.md).

Exit codes: 0 the answer has "ok": true, 1 it has not, 2 wrong usage, or the tool is not enabled.)";

const std::string tasks_footer = with_servers(R"(Examples:
  troupe tasks --state working
  troupe tasks -o json | jq -r .id)");

const std::string task_footer = with_servers(R"(Example:
  troupe task task-o9TB8YmKGijPhB)");

const std::string cancel_footer = with_servers(R"(Examples:
  troupe cancel task-o9TB8YmKGijPhB
  troupe cancel trip                       an objective, with all its tasks)");

const std::string push_footer = with_servers(R"(Examples:
  troupe push add task-o9TB8YmKGijPhB https://hooks.example.org/troupe
  troupe push ls task-o9TB8YmKGijPhB
  troupe push rm task-o9TB8YmKGijPhB push-Wi3wYBVmsC2Rtv)");

const std::string agent_footer = R"(Examples:
  troupe agent http://127.0.0.1:8080
  troupe agent prod --key public.pem       exit code 1 if the card is not signed with this key)";

const std::string submit_footer = with_servers(R"(Examples:
  troupe submit plan.json --watch
  id=$(troupe submit plan.yaml --param city=Oslo)

It prints the id of the objective. Exit codes: 0 started, or with --watch completed; 1 the server refused it, or it
failed; 2 wrong usage or an invalid file; 3 input is needed and nobody is there to ask; 130 canceled, or Ctrl-C.)");

const std::string watch_footer = with_servers(R"(Examples:
  troupe watch @last
  troupe watch trip --json

Ctrl-C ends watching, not the objective. Exit codes as those of troupe run.)");

const std::string retry_footer = with_runs(R"(Examples:
  troupe retry trip
  troupe retry @last plan.yaml             with what was mended in the file

What has completed stays. Of a run of this computer it is `troupe run --retry RUN`, and with what was mended in the file
`troupe run --retry FILE`.)");

const std::string resume_footer = with_runs(R"(Example:
  troupe resume trip

Of a run of this computer it is `troupe run --resume RUN`.)");

const std::string inbox_footer = with_runs(R"(Examples:
  troupe inbox
  troupe inbox @last
  troupe inbox -o name | head -n 1)");

const std::string answer_footer = with_runs(R"(Examples:
  troupe answer trip.p0.t1.question-1 "by the sea"
  troupe answer trip.p0.t1                 the question of that task; asks for the answer
  troupe answer @last "by the sea"         of a run in which one task asks
  troupe answer trip.p0.t1 --decline --by anna

The answer to a run of this computer goes on with the run, as troupe run --resume does.)");

const std::string claim_footer = with_runs(R"(Examples:
  troupe claim trip.p0.t1.question-1 --by anna
  troupe answer trip.p0.t1 "by the sea" --by anna
  troupe claim trip.p0.t1 --release --by anna

For five minutes only this name may answer; others must say --override.)");

const std::string modify_footer = with_runs(R"(Examples:
  troupe modify trip.p0 operations.json --reason "it may rain"
  troupe modify trip.p0 --add Umbrella --after Suitcase --dry-run
  echo '[{"op": "setObjective", "priority": 10}]' | troupe modify trip -

The operations are those of plans/modify and objectives/modify (docs/objectives.md). All are done, or none.
A run of this computer is changed while no process runs it, and then goes on with troupe run --resume.)");

const std::string replan_footer = with_servers(R"(Examples:
  troupe replan trip "First buy a tent, then pack." --dry-run
  troupe replan trip --template birthday-party --param guests=8
  troupe replan trip - < list.txt

The objective pauses, the planner of the server makes a change of the text (docs/planner.md), and it goes on. A list
or a template takes the place of the plans that have not begun; a model may change anything that troupe modify may.)");

const std::string history_footer = with_runs(R"(Examples:
  troupe history trip                      with the changes of its plans
  troupe history trip.p0 --after 3
  troupe history @last                     of the newest run or objective
  troupe history trip --at 2 > trip.json)");

const std::string context_footer = R"(Examples:
  troupe context ls
  troupe context use prod
  troupe context use local                 back to the runs of this computer)";

void add_watch(CLI::App& to, watch_choice& watch) {
  to.add_flag("--json", watch.json, "One JSON object per event, a summary as the last line");
  to.add_flag("--quiet,-q", watch.quiet, "Only the summary");
  to.add_flag("--no-input", watch.no_input, "Never ask at the prompt");
  to.add_flag("--wait", watch.waits,
              "If nobody can be asked here, wait for answers from elsewhere");
  add_timing_files(to, watch.timing);
  add_output(to, watch.output, watch.output_directory);
  add_colour(to, watch.colour);
}

CLI::Option* add_id(CLI::App& to, std::string& id, const char* help) {
  return to.add_option("ID", id, help)->required();
}

void add_step(CLI::App& app, const char* name, const char* help, step_options& options) {
  auto& step = *app.add_subcommand(name, help);
  add_id(step, options.id, "Its id, the beginning of it, or @last");
  add_server(step, options.server);
  step.footer(with_servers(std::string("Example:\n  troupe ") + name + " trip"));
}

void add_push_commands(CLI::App& app, remote_commands& to) {
  auto& push = *app.add_subcommand("push", "Say where an A2A agent posts what happens to a task");
  push.require_subcommand(1);
  push.footer(push_footer);
  const auto add_task = [](CLI::App& of, std::string& task) {
    of.add_option("TASK", task, "The id of the task")->required();
  };

  auto& add = *push.add_subcommand("add", "Let the events of a task be posted to a URL");
  add_task(add, to.push_add.task);
  add.add_option("URL", to.push_add.url, "Where they are posted")->required();
  add.add_option("--id", to.push_add.id, "The id of the configuration; replaces one with this id")
      ->type_name("ID");
  add.add_option("--token-env", to.push_add.token_env,
                 "The variable with a token, which is sent with each notification")
      ->type_name("NAME");
  add.add_option("--bearer-env", to.push_add.bearer_env,
                 "The variable with a token for Authorization: Bearer")
      ->type_name("NAME");
  add.add_flag("--json", to.push_add.json, "The configuration as JSON, as A2A 1.0 has it");
  add_server(add, to.push_add.server);
  add.footer(push_footer);

  auto& list = *push.add_subcommand("ls", "List where the events of a task are posted");
  add_task(list, to.push_list.task);
  add_format(list, to.push_list.format);
  add_server(list, to.push_list.server);
  add_colour(list, to.push_list.colour);
  list.footer(push_footer);

  auto& remove = *push.add_subcommand("rm", "Let nothing more be posted");
  add_task(remove, to.push_remove.task);
  remove.add_option("ID", to.push_remove.id, "The id of the configuration")->required();
  add_server(remove, to.push_remove.server);
  remove.footer(push_footer);
}

void add_task_commands(CLI::App& app, remote_commands& to) {
  auto& send = *app.add_subcommand("send", "Send a message to an A2A agent, and print its answer");
  send.add_option(
      "TEXT", to.send.text,
      "The text; - reads standard input; without it a conversation begins on a terminal");
  send.add_option("--file", to.send.files, "A file as a part of the message; may be repeated")
      ->type_name("FILE")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  send.add_option("--data", to.send.data, "JSON as a part of the message; may be repeated")
      ->type_name("JSON")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  send.add_option("--task", to.send.task, "The task to which it goes, for example one that asks")
      ->type_name("ID");
  send.add_option("--context", to.send.context, "The conversation to which it belongs")
      ->type_name("ID");
  send.add_flag("--json", to.send.json, "Each event as a line of JSON, as A2A 1.0 has it");
  add_server(send, to.send.server);
  send.footer(send_footer);

  auto& tasks = *app.add_subcommand("tasks", "List the tasks of an A2A agent, latest first");
  tasks.add_option("--context", to.tasks.context, "Only of this conversation or objective")
      ->type_name("ID");
  tasks.add_option("--state", to.tasks.state, "Only in this state: working, completed, failed ...")
      ->type_name("STATE");
  tasks.add_option("--limit", to.tasks.most, "At most so many (default 50)")
      ->type_name("N")
      ->check(whole_number(1, tasks_listed_max));
  add_format(tasks, to.tasks.format);
  add_server(tasks, to.tasks.server);
  add_colour(tasks, to.tasks.colour);
  tasks.footer(tasks_footer);

  auto& task = *app.add_subcommand("task", "Show a task of an A2A agent");
  add_id(task, to.task.id, "Its id");
  task.add_flag("--json", to.task.json, "As JSON, as A2A 1.0 has it");
  add_server(task, to.task.server);
  add_colour(task, to.task.colour);
  task.footer(task_footer);

  auto& cancel = *app.add_subcommand("cancel", "Cancel a task of an A2A agent, or an objective");
  add_id(cancel, to.cancel.id, "Its id");
  add_server(cancel, to.cancel.server);
  cancel.footer(cancel_footer);

  add_push_commands(app, to);

  auto& agent = *app.add_subcommand("agent", "Show what an A2A agent says about itself");
  agent.add_option("URL", to.agent.server,
                   "Its URL, or the alias of a target (default: the server of the context)");
  agent
      .add_option("--key", to.agent.key_file,
                  "The public key, in PEM, with which the card must be signed")
      ->type_name("FILE");
  agent.add_flag("--json", to.agent.json, "The agent card as it is");
  add_colour(agent, to.agent.colour);
  agent.footer(agent_footer);
}

void add_change_commands(CLI::App& app, remote_commands& to) {
  auto& modify = *app.add_subcommand("modify", "Change an objective, a run or a plan");
  add_id(modify, to.modify.id,
         "Of the plan; or of the objective or run, the beginning of it, or @last");
  auto* file = modify.add_option(
      "FILE", to.modify.file, "JSON: the operations, or the whole request; - reads standard input");
  auto* add = modify.add_option("--add", to.modify.adds, "Add one task, in place of a file")
                  ->type_name("NAME");
  add->excludes(file);
  modify.add_option("--after", to.modify.after, "A task that must complete first; may be repeated")
      ->type_name("TASK")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all()
      ->needs(add);
  modify.add_option("--agent", to.modify.agent, "Who does the task")->type_name("NAME")->needs(add);
  modify.add_option("--input", to.modify.input, "What its agent gets")
      ->type_name("JSON")
      ->needs(add);
  modify.add_option("--reason", to.modify.reason, "Why, for the history")->type_name("TEXT");
  modify
      .add_option("--if-revision", to.modify.if_revision,
                  "Only if nobody has changed it since this revision")
      ->type_name("N");
  modify.add_flag("--dry-run", to.modify.is_dry, "Only say what would change");
  modify.add_flag("--json", to.modify.json, "The answer as JSON");
  add_server(modify, to.modify.server);
  modify.footer(modify_footer);

  auto& replan =
      *app.add_subcommand("replan", "Let the planner of a server change an objective by a text");
  add_id(replan, to.replan.id, "Its id, the beginning of it, or @last");
  replan.add_option("TEXT", to.replan.text, "How it is to go on; - reads standard input");
  replan.add_option("--template", to.replan.template_name, "Take this template")->type_name("NAME");
  add_params(replan, to.replan.params);
  replan.add_option("--reason", to.replan.reason, "Why, for the history; else the text")
      ->type_name("TEXT");
  replan
      .add_option("--if-revision", to.replan.if_revision,
                  "Only if nobody has changed it since this revision")
      ->type_name("N");
  replan.add_flag("--dry-run", to.replan.is_dry, "Only say what would change");
  replan.add_flag("--json", to.replan.json, "The answer as JSON");
  add_server(replan, to.replan.server);
  replan.footer(replan_footer);

  auto& history =
      *app.add_subcommand("history", "Show how an objective, a run or a plan was changed");
  add_id(history, to.history.id,
         "Of the plan; or of the objective or run, the beginning of it, or @last");
  auto* after = history.add_option("--after", to.history.after, "Only changes after this revision")
                    ->type_name("N");
  history
      .add_option("--at", to.history.at, "Print it as it was at this revision, as a plan document")
      ->type_name("N")
      ->excludes(after);
  history.add_flag("--json", to.history.json, "One JSON object for each change");
  add_server(history, to.history.server);
  add_colour(history, to.history.colour);
  history.footer(history_footer);
}

void add_remote_agent(CLI::App& app, remote_commands& to) {
  auto& tool =
      *app.add_subcommand("remote-agent", "Ask an A2A agent as the tool remote_agent does");
  tool.add_option("REQUEST", to.remote_agent.request,
                  "The request as JSON; - or none reads standard input");
  tool.add_flag("--updates", to.remote_agent.updates,
                "What happens on the way, as lines of JSON before the answer");
  tool.footer(remote_agent_footer);
}

} // namespace

void add_remote_commands(CLI::App& app, remote_commands& to) {
  add_task_commands(app, to);
  add_remote_agent(app, to);

  auto& submit = *app.add_subcommand("submit", "Start a plan from a file on a server");
  submit.add_option("FILE", to.submit.file, "As of troupe run; - reads standard input")->required();
  add_params(submit, to.submit.params);
  auto* watches = submit.add_flag("--watch,-w", to.submit.watches, "Watch it until it ends");
  add_watch(submit, to.submit.watch);
  for (const auto* of_watch :
       {"--json", "--quiet", "--no-input", "--wait", "--output", "--output-dir"})
    submit.get_option(of_watch)->needs(watches);
  add_server(submit, to.submit.server);
  submit.footer(submit_footer);

  auto& watch = *app.add_subcommand("watch", "Watch an objective of a server until it ends");
  add_id(watch, to.watch.id, "Its id, the beginning of it, or @last");
  add_watch(watch, to.watch.watch);
  add_server(watch, to.watch.server);
  watch.footer(watch_footer);

  auto& inbox = *app.add_subcommand("inbox", "List open questions: of runs, or of a server");
  inbox.add_option("OBJECTIVE", to.inbox.objective, "Only of this run or objective");
  add_format(inbox, to.inbox.format);
  add_server(inbox, to.inbox.server);
  add_colour(inbox, to.inbox.colour);
  inbox.footer(inbox_footer);

  auto& answer = *app.add_subcommand("answer", "Answer a question, and go on with its run");
  add_id(answer, to.answer.id, "Of the question, or of the task or the run that asks");
  auto* text = answer.add_option("TEXT", to.answer.text, "The answer; it is asked for if missing");
  auto* data = answer.add_option("--data", to.answer.data, "The answer as JSON")->type_name("JSON");
  auto* decline = answer.add_flag("--decline", to.answer.declines, "Say that there is no answer");
  text->excludes(data)->excludes(decline);
  data->excludes(decline);
  answer.add_option("--by", to.answer.by, "Who answers (default: the client)")->type_name("NAME");
  answer.add_flag("--override", to.answer.overrides, "Also if somebody else has claimed it");
  add_server(answer, to.answer.server);
  answer.footer(answer_footer);

  auto& claim = *app.add_subcommand("claim", "Say that you are about to answer a question");
  add_id(claim, to.claim.id, "Of the question, or of the task, objective or run that asks");
  claim.add_option("--by", to.claim.by, "Who claims it (default: the client)")->type_name("NAME");
  claim.add_flag("--release", to.claim.releases, "Give the claim up");
  claim.add_flag("--override", to.claim.overrides, "Also if somebody else has claimed it");
  claim.add_flag("--json", to.claim.json, "The question as JSON");
  add_server(claim, to.claim.server);
  claim.footer(claim_footer);

  add_change_commands(app, to);

  add_step(app, "pause", "Let an objective of a server begin nothing new", to.pause);
  add_step(app, "resume", "Let a paused objective, or an unfinished run, go on", to.resume);
  app.get_subcommand("resume")->footer(resume_footer);
  add_step(app, "retry", "Do again what failed in an objective or a run", to.retry);
  auto& retry = *app.get_subcommand("retry");
  auto* mended = retry.add_option("FILE", to.retry.file,
                                  "The plan, mended: what has not completed is as it says now");
  add_params(retry, to.retry.params);
  retry.get_option("--param")->needs(mended);
  retry.footer(retry_footer);

  auto& context = *app.add_subcommand("context", "List servers, or choose the one to be used");
  context.require_subcommand(1);
  auto& list = *context.add_subcommand("ls", "List the targets, and which is used");
  list.add_flag("--json", to.context.json, "One JSON object for each");
  add_colour(list, to.context.colour);
  list.footer(context_footer);
  auto& use = *context.add_subcommand("use", "Choose the server that commands mean from now on");
  use.add_option("ALIAS", to.context.use, "Of a target, or local for the runs of this computer")
      ->required();
  use.footer(context_footer);
  context.footer(context_footer);
}

std::optional<remote_command> chosen_remote(const CLI::App& app, const remote_commands& from) {
  const auto is = [&](const char* name) { return app.got_subcommand(name); };
  if (is("send"))
    return from.send;
  if (is("tasks"))
    return from.tasks;
  if (is("task"))
    return from.task;
  if (is("cancel"))
    return from.cancel;
  if (is("push")) {
    const auto& push = *app.get_subcommand("push");
    if (push.got_subcommand("add"))
      return from.push_add;
    if (push.got_subcommand("ls"))
      return from.push_list;
    return from.push_remove;
  }
  if (is("agent"))
    return from.agent;
  if (is("remote-agent"))
    return from.remote_agent;
  if (is("submit"))
    return from.submit;
  if (is("watch"))
    return from.watch;
  if (is("inbox"))
    return from.inbox;
  if (is("answer"))
    return from.answer;
  if (is("claim"))
    return from.claim;
  if (is("modify"))
    return from.modify;
  if (is("replan"))
    return from.replan;
  if (is("history"))
    return from.history;
  if (is("pause"))
    return from.pause;
  if (is("resume"))
    return from.resume;
  if (is("retry"))
    return from.retry;
  if (is("context"))
    return from.context;
  return std::nullopt;
}

} // namespace troupe
