// `[models.NAME]` of a configuration file.
#include "apps/settings/model_rows.hpp"
#include "tests/support/catch.hpp"

#include <map>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

result<std::vector<models::model_settings>>
read_models(const std::string& text, const std::map<std::string, std::string>& variables = {}) {
  const auto rows = read_model_rows(text, "c.toml");
  if (!rows)
    return rows.error();
  return models_from(
      *rows, "c.toml",
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      [](const std::string& path) -> result<std::string> {
        if (path == "key")
          return std::string("from-file\n");
        return make_error(errc::unavailable, "there is no file " + path);
      });
}

std::string error_of(const std::string& members) {
  const auto read =
      read_models("[models.fast]\nurl = \"https://a.example/v1\"\nmodel = \"x\"\n" + members);
  return read ? "none" : read.error().message;
}

} // namespace

TEST_CASE("models are read with their prices, budgets and time-outs", "[apps][models]") {
  const auto all = read_models(R"(
[models.fast]
url = "https://api.example/v1"
model = "fast-1"
kind = "openai"
key-env = "FAST_KEY"
max-tokens = 500
temperature = 0.5
extra = '{"reasoning_effort": "low"}'
idle-seconds = 2.5
price-prompt = 0.15
price-answer = 0.6
budget-task-tokens = 10000
budget-day-money = 5
budget-objective-seconds = 60
[models.local]
url = "http://127.0.0.1:11434/v1"
model = "small"
kind = "ollama"
stream = false
)",
                               {{"FAST_KEY", "sk-1\n"}});
  REQUIRE(all.has_value());
  REQUIRE(all->size() == 2);
  const auto& fast = all->at(0);
  CHECK(fast.name == "fast");
  CHECK(fast.kind == models::server_kind::openai);
  CHECK(fast.key == "sk-1");
  CHECK(fast.answer_tokens_max == 500);
  CHECK(fast.extra.at("reasoning_effort") == "low");
  CHECK(fast.timeouts.idle == 2500ms);
  CHECK(fast.prices.prompt_million == 150'000);
  using models::budget_scope;
  const auto budget = [&](budget_scope scope) {
    return fast.budgets[static_cast<std::size_t>(scope)];
  };
  CHECK(budget(budget_scope::task).tokens == 10'000);
  CHECK(budget(budget_scope::day).cost == 5'000'000);
  CHECK(budget(budget_scope::objective).time == 60s);
  CHECK_FALSE(budget(budget_scope::call).tokens);
  CHECK_FALSE(all->at(1).streams);
}

TEST_CASE("a model that is wrong is refused with its line", "[apps][models]") {
  CHECK(error_of("") == "none");
  CHECK(error_of("modell = \"x\"\n")
        == "c.toml:1: in [models.fast]: unknown member \"modell\"; did you mean \"model\"?");
  CHECK_THAT(error_of("kind = \"opena\"\n"), ContainsSubstring("must be one of generic, openai"));
  CHECK_THAT(error_of("budget-day-money = 5\n"), ContainsSubstring("needs \"price-prompt\""));
  CHECK_THAT(error_of("budget-week-money = 5\n"), ContainsSubstring("unknown member"));
  CHECK_THAT(error_of("extra = '{\"messages\": []}'\n"), ContainsSubstring("\"messages\""));
  CHECK_THAT(error_of("max-tokens = 0\n"), ContainsSubstring("at least 1"));
  CHECK_THAT(error_of("path = \"chat\"\n"), ContainsSubstring("must begin with /"));
  CHECK_THAT(error_of("key-env = \"A\"\nkey-file = \"key\"\n"), ContainsSubstring("not from both"));
  const auto no_url = read_models("[models.a]\nmodel = \"x\"\n");
  CHECK(no_url.error().message == "c.toml:1: in [models.a]: \"url\" and \"model\" are needed");
  CHECK(read_models("models = 1\n").error().message
        == "c.toml:1: \"models\" must be tables: [models.NAME]");
}

TEST_CASE("a key comes from a variable or a file, and is not sent to others without TLS",
          "[apps][models]") {
  const std::string begin = "[models.a]\nmodel = \"x\"\nurl = ";
  CHECK(read_models(begin + "\"https://a.example\"\nkey-file = \"key\"\n")->at(0).key
        == "from-file");
  const auto unset = read_models(begin + "\"https://a.example\"\nkey-env = \"K\"\n");
  REQUIRE(unset.has_value()); // calls fail, the server starts
  CHECK(unset->at(0).no_key.message
        == "the key of the model \"a\" is in the variable K, which is not set");
  CHECK_THAT(
      read_models(begin + "\"http://a.example\"\nkey-env = \"K\"\n", {{"K", "k"}}).error().message,
      ContainsSubstring("allow-http"));
  CHECK(read_models(begin + "\"http://127.0.0.1:1\"\nkey-env = \"K\"\n", {{"K", "k"}}).has_value());
  CHECK(read_models(begin + "\"http://a.example\"\nkey-env = \"K\"\nallow-http = true\n",
                    {{"K", "k"}})
            .has_value());
}

TEST_CASE("models are printed as they are set, without their keys", "[apps][models]") {
  const std::string text = "\n# [models.NAME]: language models (docs/models.md)\n"
                           "[models.\"a \\\"b\\\"\"]\n"
                           "extra = \"{\\\"effort\\\":\\\"low\\\"}\"\n"
                           "key-env = \"K\"\n"
                           "max-tokens = 500\n"
                           "model = \"x\"\n"
                           "price-prompt = 0.5\n"
                           "stream = false\n"
                           "url = \"https://a.example/v1\"\n";
  const auto rows = read_model_rows(text, "c.toml");
  REQUIRE(rows.has_value());
  CHECK(print_models(*rows) == text);
  const auto models = read_models(text, {{"K", "sk-1"}});
  REQUIRE(models.has_value());
  CHECK(models->at(0).key == "sk-1");
}

TEST_CASE("the server's own settings pass the models over", "[apps][models]") {
  serve_settings settings;
  CHECK(read_config(settings, "[models.a]\nanything = 1\n[planner]\nmodel = \"a\"\n", "c.toml")
            .has_value());
  CHECK(settings.planner_model == "a");
}
