#include "apps/command_line.hpp"
#include "apps/command_tree.hpp"
#include "apps/settings/settings.hpp"
#include "apps/terminal/text.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <functional>
#include <set>

using namespace troupe;

namespace {

command read(std::vector<const char*> words) {
  words.insert(words.begin(), "troupe");
  return read_command_line(static_cast<int>(words.size()), words.data());
}

finished refused(std::vector<const char*> words) {
  const auto command = read(std::move(words));
  REQUIRE(std::holds_alternative<finished>(command));
  return std::get<finished>(command);
}

} // namespace

TEST_CASE("run takes its options in any order", "[apps][command_line]") {
  const auto command =
      read({"run",      "--json", "plan.json",    "--time-scale", "0.001",      "--max-parallel=4",
            "--store",  "memory", "--durability", "async",        "--agent",    "sleep",
            "--answer", "a=b=c",  "--answer",     "x y=",         "--no-input", "--color",
            "never",    "-q"});
  REQUIRE(std::holds_alternative<run_options>(command));
  const auto& run = std::get<run_options>(command);
  CHECK(run.file == "plan.json");
  CHECK(run.json);
  CHECK(run.quiet);
  CHECK(run.no_input);
  CHECK(run.purpose == run_purpose::begin);
  CHECK(run.time_scale == 0.001);
  CHECK(run.parallel_max == 4);
  CHECK(run.store.kind == store_kind::memory);
  CHECK(run.store.durability == durability::async);
  CHECK(run.agent == "sleep");
  CHECK(run.colour == colour_choice::never);
  CHECK(run.answers == std::vector<std::pair<std::string, std::string>>{{"a", "b=c"}, {"x y", ""}});
}

TEST_CASE("what is shown of runs is chosen", "[apps][command_line]") {
  const auto run = std::get<run_options>(
      read({"run", "f", "--output", "all", "--output-dir", "d", "--keep", "30d"}));
  CHECK(run.output == output_choice::all);
  CHECK(run.output_directory == "d");
  CHECK(run.keep == "30d");
  CHECK_FALSE(std::get<run_options>(read({"run", "f"})).output);
  const auto show = std::get<show_run_options>(read({"show", "@last", "--output", "none"}));
  CHECK(show.run == "@last");
  CHECK(show.output == output_choice::none);
  const auto logs = std::get<run_logs_options>(read({"logs", "k3", "cc", "-f"}));
  CHECK(logs.task == "cc");
  CHECK(logs.follow);
  CHECK(std::get<list_runs_options>(read({"ls", "--json"})).format == list_format::json);
  CHECK(std::get<list_runs_options>(read({"ls", "-o", "name"})).format == list_format::name);
  CHECK(std::get<remove_runs_options>(read({"rm", "a", "b"})).runs
        == std::vector<std::string>{"a", "b"});
  CHECK(std::get<remove_runs_options>(read({"rm", "--keep", "5"})).keep == "5");
}

TEST_CASE("the file may come after an answer", "[apps][command_line]") {
  const auto command = read({"run", "--answer", "a=b", "plan.json"});
  REQUIRE(std::holds_alternative<run_options>(command));
  CHECK(std::get<run_options>(command).file == "plan.json");
  CHECK(std::get<run_options>(command).answers
        == std::vector<std::pair<std::string, std::string>>{{"a", "b"}});
}

TEST_CASE("a dash is standard input, and --resume and --retry need no file",
          "[apps][command_line]") {
  CHECK(std::get<run_options>(read({"run", "-"})).file == "-");
  CHECK(std::get<run_options>(read({"run", "--resume", "--data", "d"})).store.directory == "d");
  CHECK(std::get<run_options>(read({"run", "--resume"})).purpose == run_purpose::resume);
  CHECK(std::get<run_options>(read({"run", "--retry", "k3v9"})).purpose == run_purpose::retry);
  CHECK(std::get<run_options>(read({"run", "--retry", "k3v9"})).file == "k3v9");
  CHECK(refused({"run"}).code == exit_usage);
}

TEST_CASE("wrong usage ends with 2 and says what is wrong", "[apps][command_line]") {
  for (const auto& words : std::vector<std::vector<const char*>>{
           {},
           {"fly"},
           {"run", "f", "--bogus"},
           {"run", "f", "g"},
           {"run", "f", "--store", "disk"},
           {"run", "f", "--time-scale", "-1"},
           {"run", "f", "--time-scale", "nan"},
           {"run", "f", "--time-scale", "x"},
           {"run", "f", "--max-parallel", "0"},
           {"run", "f", "--answer", "novalue"},
           {"run", "f", "--answer", "=v"},
           {"run", "f", "--color", "blue"},
           {"validate"},
           {"graph", "f", "--format", "png"},
           {"serve", "extra"},
           {"run", "f", "serve"},
           {"run", "f", "--output", "some"},
           {"run", "--resume", "--retry"},
           {"show"},
           {"logs"},
           {"rm"},
           {"rm", "a", "--keep", "1"},
           {"ls", "a"},
           {"submit", "f", "--json"},
           {"submit", "f", "--output-dir", "d"},
       }) {
    const auto finished = refused(words);
    INFO((words.empty() ? "nothing" : words.back()));
    CHECK(finished.code == exit_usage);
    CHECK(finished.out.empty());
    CHECK_FALSE(finished.err.empty());
    CHECK_FALSE(finished.err.starts_with("troupe:")); // complain() says it
    CHECK(finished.err.find('\n') == std::string::npos);
    CHECK_THAT(finished.err, ContainsSubstring("--"));
  }
}

TEST_CASE("a wrong command line is told in our words, with a guess", "[apps][command_line]") {
  struct row {
    std::vector<const char*> words;
    std::string said;
  };
  for (
      const auto& [words, said] : std::vector<row>{
          {{"rnu"}, R"(there is no command "rnu"; did you mean "run"? (try `troupe --help`))"},
          {{"help", "rnu"},
           R"(there is no command "rnu"; did you mean "run"? (try `troupe --help`))"},
          {{"help", "store", "chek"},
           R"(there is no command "chek" of store; did you mean "check"? (try `troupe --help`))"},
          {{"help", "run", "f"}, R"("f" is one word too many (try `troupe --help`))"},
          {{"context", "lss"},
           R"(there is no command "lss" of context; did you mean "ls"? (try `troupe context --help`))"},
          {{"context"}, "which command of context? It has ls, use (try `troupe context --help`)"},
          {{"run", "--onyl", "x", "f"},
           R"(there is no option --onyl; did you mean "--only"? (try `troupe run --help`))"},
          {{"run", "f", "g"}, R"("g" is one word too many (try `troupe run --help`))"},
          {{"run", "f", "--max-parallel", "0"},
           R"(--max-parallel: "0" is not a whole number from 1 to 4294967295 (try `troupe run --help`))"},
          {{"run", "f", "--max-parallel"},
           "--max-parallel needs a value: --max-parallel N (try `troupe run --help`)"},
          {{"run", "f", "--time-scale", "x"},
           R"(--time-scale: "x" is not a number (try `troupe run --help`))"},
          {{"run", "f", "--json=maybe"},
           R"(--json takes no value, and has "maybe" (try `troupe run --help`))"},
          {{"run", "--resume", "--retry"},
           "--resume and --retry do not go together; give one of them (try `troupe run --help`)"},
      }) {
    const auto finished = refused(words);
    CHECK(finished.code == exit_usage);
    CHECK(finished.err == said);
  }
}

namespace {

/// Calls `visit` with the words of each command of `app`, and of the commands below it.
void each_command(const CLI::App& app, const std::vector<std::string>& above,
                  const std::function<void(const std::vector<std::string>&)>& visit) {
  for (const auto* each : app.get_subcommands(nullptr)) {
    auto words = above;
    words.push_back(each->get_name());
    visit(words);
    each_command(*each, words, visit);
  }
}

} // namespace

TEST_CASE("retry takes a plan file, and its parameters only with one", "[apps][command_line]") {
  const auto with = read({"retry", "trip", "plan.yaml", "--param", "city=Oslo"});
  REQUIRE(std::holds_alternative<step_options>(with));
  const auto& retry = std::get<step_options>(with);
  CHECK(retry.step == objective_step::retry);
  CHECK(retry.id == "trip");
  CHECK(retry.file == "plan.yaml");
  CHECK(retry.params == std::vector<std::pair<std::string, std::string>>{{"city", "Oslo"}});
  CHECK(std::get<step_options>(read({"retry", "trip"})).file.empty());
  CHECK(refused({"retry", "trip", "--param", "city=Oslo"}).code == exit_usage);
  CHECK(refused({"pause", "trip", "plan.yaml"}).code == exit_usage);
}

TEST_CASE("every command without its arguments says which it needs, and what to do next",
          "[apps][command_line]") {
  std::size_t refused_count = 0;
  const command_tree tree;
  each_command(tree.app, {}, [&](const std::vector<std::string>& names) {
    std::vector<const char*> words;
    for (const auto& each : names)
      words.push_back(each.c_str());
    const auto read_one = read(words);
    const auto* finished = std::get_if<troupe::finished>(&read_one);
    if (finished == nullptr || finished->code == exit_ok)
      return; // It needs none.
    ++refused_count;
    const auto& said = finished->err;
    INFO(said);
    CHECK((said.starts_with("which command of ") || said.find(" needs ") != std::string::npos));
    CHECK(said.find("required") == std::string::npos);
    CHECK(said.find("`troupe ") != std::string::npos);
  });
  CHECK(refused_count > 20);
}

TEST_CASE("what is missing, or given twice, is told in our words", "[apps][command_line]") {
  CHECK(refused({"logs"}).err
        == "logs needs RUN (its id, the beginning of it, or @last); `troupe ls` lists them (try "
           "`troupe logs --help`)");
  CHECK(refused({"push", "rm", "t"}).err
        == "push rm needs ID (the id of the configuration); `troupe push ls TASK` lists them (try "
           "`troupe push rm --help`)");
  CHECK(refused({"store", "stat"}).err
        == "store stat needs --data DIR (the data directory) (try `troupe store stat --help`)");
  CHECK(refused({"submit", "f", "--json"}).err
        == "--json goes together with --watch; give both, or leave it out (try `troupe submit "
           "--help`)");
  CHECK(refused({"serve", "--config", "a", "--config", "b"}).err
        == "--config is given 2 times; give it once (try `troupe serve --help`)");
}

TEST_CASE("help of a command is found below another", "[apps][command_line]") {
  for (const auto& words : std::vector<std::vector<const char*>>{
           {"help"}, {"help", "run"}, {"help", "store", "check"}, {"help", "help"}})
    CHECK(refused(words).code == exit_ok);
}

TEST_CASE("help is no error and teaches", "[apps][command_line]") {
  const auto help = refused({"--help"});
  CHECK(help.code == exit_ok);
  CHECK(help.err.empty());
  // Every command has its line; a terminal of 24 rows shows the end of it: the examples.
  const auto rows = lines_in(help.out);
  CHECK(rows.size() <= 90);
  const auto example = std::ranges::find(rows, "Examples:");
  CHECK(rows.end() - example > 1);
  CHECK(rows.end() - example <= 23);
  for (const char* word : {"init", "run", "schema", "validate", "graph", "serve", "agents",
                           "version", "Examples:", "Exit codes:", "130"})
    CHECK_THAT(help.out, ContainsSubstring(word));
  for (const char* sub : {"init", "run", "ls", "show", "logs", "rm", "validate", "graph", "serve",
                          "agents", "schema", "version"}) {
    const auto own = refused({sub, "--help"});
    CHECK(own.code == exit_ok);
    CHECK_THAT(own.out, ContainsSubstring("troupe " + std::string(sub)));
    CHECK_THAT(own.out, ContainsSubstring("Example"));
  }
}

TEST_CASE("serve hands its flags on by the names of the settings", "[apps][command_line]") {
  const auto options =
      std::get<serve_options>(read({"serve", "--listen", "h:1", "--config", "c.toml",
                                    "--log-format", "json", "--allow-commands", "--print-config"}));
  CHECK(options.config_file == "c.toml");
  CHECK(options.print_config);
  const std::vector<std::pair<std::string, std::string>> flags{
      {"listen", "h:1"}, {"log-format", "json"}, {"agents.command", "true"}};
  CHECK(std::set<std::pair<std::string, std::string>>(options.flags.begin(), options.flags.end())
        == std::set<std::pair<std::string, std::string>>(flags.begin(), flags.end()));
}

TEST_CASE("serve takes several hosts under which it may be asked", "[apps][command_line]") {
  const auto options =
      std::get<serve_options>(read({"serve", "--allowed-host", "a.example", "--public-url",
                                    "https://b.example/", "--allowed-host", "*.c.example"}));
  serve_settings settings;
  for (const auto& [key, value] : options.flags)
    REQUIRE(set_from_text(settings, key, value).has_value());
  CHECK(settings.server.allowed_hosts == text_list{"a.example", "*.c.example"});
  CHECK(settings.server.card.url == "https://b.example/");
}

TEST_CASE("the version is asked for in two ways", "[apps][command_line]") {
  CHECK(std::holds_alternative<version_options>(read({"--version"})));
  CHECK(std::holds_alternative<version_options>(read({"version"})));
  CHECK(std::holds_alternative<agents_options>(read({"agents"})));
}
