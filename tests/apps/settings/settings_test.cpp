#include "apps/remote/targets.hpp"
#include "apps/settings/config_file.hpp"
#include "apps/settings/model_rows.hpp"
#include "apps/settings/settings.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/documented_table.hpp"
#include "tests/support/source_dir.hpp"

#include <fstream>
#include <iterator>
#include <map>
#include <set>

using namespace troupe;

namespace {

std::string refusal(std::string_view text) {
  serve_settings settings;
  const auto done = read_config(settings, text, "t.toml");
  return done ? "accepted" : done.error().message;
}

} // namespace

TEST_CASE("a configuration file sets what it names and leaves the rest", "[apps][settings]") {
  serve_settings s;
  const auto done = read_config(s, R"(
listen = "[::1]:9090"
store = "memory"
durability = "async"
log-format = "json"
drain-seconds = 0.5
max-parallel = 7
[limits]
streams = 12
[timeouts]
idle = 3
[agents]
command = true
)",
                                "t.toml");
  REQUIRE(done.has_value());
  CHECK(s.server.address == "::1");
  CHECK(s.server.port == 9090);
  CHECK(s.store.kind == store_kind::memory);
  CHECK(s.store.durability == durability::async);
  CHECK(s.log.format == log_format::json);
  CHECK(s.drain_bound == std::chrono::milliseconds{500});
  CHECK(s.executor.parallel_max == 7);
  CHECK(s.server.streams_max == 12);
  CHECK(s.server.idle_timeout == std::chrono::milliseconds{3000});
  CHECK(s.commands_allowed);
  CHECK(s.server.connections_max == net::connections_max);
}

TEST_CASE("where notifications may go can be set", "[apps][settings]") {
  serve_settings s;
  const auto done = read_config(s, R"(
[push]
allow-http = true
allow-private = true
allow-hosts = ["hooks.example.org", "*.intern.example"]
content-type = "application/json"
failures = 3
retry-first = 0.25
)",
                                "t.toml");
  REQUIRE(done.has_value());
  CHECK(s.server.push.address.allow_http);
  CHECK(s.server.push.address.allow_private);
  CHECK(s.server.push.address.allow_hosts
        == std::vector<std::string>{"hooks.example.org", "*.intern.example"});
  CHECK(s.server.push.content_type == "application/json");
  CHECK(s.server.push.failures_max == 3);
  CHECK(s.server.push.retry_first == std::chrono::milliseconds{250});
  CHECK(refusal("[push]\ncontent-type = \"text/plain\"\n") != "accepted");
  CHECK(refusal("[push]\nallow-hosts = \"a\"\n") != "accepted");
  CHECK(refusal("[push]\nfailures = 0\n") != "accepted");
}

TEST_CASE("an unknown setting is refused with its line and a hint", "[apps][settings]") {
  CHECK(refusal("\n\nlissten = \"x\"")
        == "t.toml:3: unknown setting \"lissten\"; did you mean \"listen\"?");
  CHECK(refusal("[limits]\nsteams = 3")
        == "t.toml:2: unknown setting \"limits.steams\"; did you mean \"limits.streams\"?");
  CHECK(refusal("streams = 3")
        == "t.toml:1: unknown setting \"streams\"; did you mean \"limits.streams\"?");
  CHECK(refusal("[tls]\ncert = 3")
        == "t.toml:1: unknown setting \"tls\"; troupe serve --print-config lists them all");
  CHECK(refusal(std::string(5000, 'k') + " = 1").starts_with("t.toml:1: unknown setting"));
}

TEST_CASE("wrong values are refused with what the setting takes", "[apps][settings]") {
  CHECK(refusal("listen = 8080").starts_with("t.toml:1: \"listen\" must be HOST:PORT"));
  CHECK(refusal("listen = \"host\"").starts_with("t.toml:1: \"listen\" must be HOST:PORT"));
  CHECK(refusal("listen = \"host:70000\"").starts_with("t.toml:1: \"listen\" must be HOST:PORT"));
  CHECK(refusal("listen = \"::1:80\"").starts_with("t.toml:1: \"listen\" must be HOST:PORT"));
  CHECK(refusal("store = \"disk\"")
        == "t.toml:1: \"store\" must be one of memory, rocksdb, session-jsonl");
  CHECK(refusal("drain-seconds = 0")
        == "t.toml:1: \"drain-seconds\" must be a number of seconds above 0");
  CHECK(refusal("drain-seconds = nan")
        == "t.toml:1: \"drain-seconds\" must be a number of seconds above 0");
  CHECK(refusal("max-parallel = -1")
        == "t.toml:1: \"max-parallel\" must be a whole number of at least 0");
  CHECK(refusal("max-parallel = 5000000000")
        == "t.toml:1: \"max-parallel\" must be a whole number of at least 0");
  CHECK(
      refusal("max-parallel = [1]")
      == "t.toml:1: \"max-parallel\" must be a string, a number, true or false, a list of strings, "
         "or tables of these");
  CHECK(refusal("limits = 3")
        == "t.toml:1: unknown setting \"limits\"; troupe serve --print-config lists them all");
  CHECK(refusal("lenient-version = \"yes\"")
        == "t.toml:1: \"lenient-version\" must be true or false");
  CHECK(refusal("a = \n").starts_with("t.toml:1: "));
}

TEST_CASE("the time that a settled objective stays in memory is set in one place",
          "[apps][settings]") {
  serve_settings settings;
  REQUIRE(set_from_text(settings, "evict-seconds", "7").has_value());
  CHECK(settings.executor.settled_linger == std::chrono::seconds(7));
}

TEST_CASE("a flag's text becomes the kind of value the setting takes", "[apps][settings]") {
  serve_settings s;
  CHECK(set_from_text(s, "listen", "0.0.0.0:0").has_value());
  CHECK(s.server.port == 0);
  CHECK(set_from_text(s, "max-parallel", "3").has_value());
  CHECK(set_from_text(s, "time-scale", "0.25").has_value());
  CHECK(s.executor.time_scale == 0.25);
  CHECK(set_from_text(s, "data", "123").has_value());
  CHECK(s.store.directory == "123");
  const auto bad = set_from_text(s, "max-parallel", "3x");
  REQUIRE_FALSE(bad.has_value());
  CHECK(bad.error().message == "--max-parallel must be a whole number of at least 0, not \"3x\"");
}

TEST_CASE("printed settings read back the same", "[apps][settings]") {
  serve_settings s;
  s.server.card.name = "quo\"ted \\ name";
  s.server.idle_timeout = std::chrono::milliseconds{1500};
  s.executor.time_scale = 0.001;
  s.log.level = log_level::off;
  const auto text = print_settings(s);
  serve_settings back;
  const auto done = read_config(back, text, "printed");
  INFO(text);
  REQUIRE(done.has_value());
  CHECK(print_settings(back) == text);
  CHECK(back.server.card.name == s.server.card.name);
  CHECK(back.server.idle_timeout == s.server.idle_timeout);
}

TEST_CASE("the page of settings has a row for each, with its unit and default",
          "[apps][settings]") {
  std::ifstream file(troupe::testing::source_dir() + "/docs/settings.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const auto cell = [](std::string text) {
    for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
      text.insert(at, 1, '\\');
    return text;
  };
  std::size_t rows = 0;
  for (const auto& each : all_settings()) {
    const auto row = "| `" + std::string(each.key) + "` | `"
                     + cell(shown_value(each, serve_settings{})) + "` | " + cell(each.unit) + " | "
                     + cell(std::string(each.help)) + (each.is_reloadable ? " (SIGHUP)" : "")
                     + " |\n";
    if (page.find(row) == std::string::npos)
      FAIL_CHECK("docs/settings.md lacks the row\n" << row);
    ++rows;
  }
  std::size_t shown = 0;
  for (auto at = page.find("\n| `"); at != std::string::npos; at = page.find("\n| `", at + 1))
    ++shown;
  CHECK(shown == rows);
}

namespace {

/// The names in the first cells of a table, and those that `SCOPE` and `UNIT` stand for.
std::set<std::string> documented_members(const std::string& page, std::string_view head) {
  std::set<std::string> out;
  for (const auto& row : testing::documented_rows(page, head))
    for (const auto& each : testing::parted(row.at(0), ",")) {
      const auto name = each.substr(1, each.size() - 2);
      if (name != "budget-SCOPE-UNIT")
        CHECK(out.insert(name).second);
      else
        for (const auto* scope : {"call", "task", "objective", "day"})
          for (const auto* unit : {"tokens", "money", "seconds"})
            out.insert(std::string("budget-") + scope + "-" + unit);
    }
  return out;
}

} // namespace

TEST_CASE("the table of models has each member, with its default", "[apps][settings]") {
  constexpr auto head = "| member of a model | default | |";
  const auto known = model_member_names();
  CHECK(documented_members("docs/models.md", head) == std::set(known.begin(), known.end()));
  const models::model_settings plain;
  const auto seconds = [](std::chrono::milliseconds span) {
    return std::to_string(span.count() / 1000);
  };
  const std::map<std::string, std::string> defaults{
      {"`path`", "`" + plain.path + "`"},
      {"`kind`", "`" + std::string(models::row_of(plain.kind).name) + "`"},
      {"`allow-http`", plain.allow_http ? "true" : "false"},
      {"`allow-private`", plain.allow_private ? "true" : "false"},
      {"`stream`", plain.streams ? "true" : "false"},
      {"`log-prompts`", plain.logs_prompts ? "true" : "false"},
      {"`parallel`", std::to_string(plain.calls_max)},
      {"`connect-seconds`", seconds(plain.timeouts.connect)},
      {"`first-byte-seconds`", seconds(plain.timeouts.first_byte)},
      {"`idle-seconds`", seconds(plain.timeouts.idle)},
      {"`whole-seconds`", seconds(plain.timeouts.whole)},
      {"`price-prompt`, `price-answer`", std::to_string(plain.prices.prompt_million)}};
  std::size_t seen = 0;
  for (const auto& row : testing::documented_rows("docs/models.md", head))
    if (const auto found = defaults.find(row.at(0)); found != defaults.end()) {
      CAPTURE(row.at(0));
      ++seen;
      CHECK(row.at(1) == found->second);
    }
  CHECK(seen == defaults.size());
}

TEST_CASE("the table of targets has each member", "[apps][settings]") {
  const auto known = target_member_names();
  CHECK(documented_members("docs/cli.md", "| member of a target | |")
        == std::set<std::string>(known.begin(), known.end()));
}

TEST_CASE("no setting has a name twice and every default is a value it accepts",
          "[apps][settings]") {
  std::set<std::string_view> keys;
  for (const auto& each : all_settings()) {
    INFO(each.key);
    CHECK(keys.insert(each.key).second);
    serve_settings s;
    CHECK(each.set(s, each.get(serve_settings{})).has_value());
    CHECK_FALSE(each.help.empty());
  }
}
