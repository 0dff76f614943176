// The client of models against a server whose models do what their names say: each behaviour, each
// difference between servers (docs/models.md).
#include "client/models/day_file.hpp"
#include "client/models/model_client.hpp"
#include "tests/models/model_server.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/hand_time.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <atomic>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/socket.h>
#include <sys/stat.h>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::models;
using namespace troupe::testing;

namespace {

chat_request plain_request(bool streams = true) {
  chat_request out;
  out.messages = {{speaker::system, "Be short."}, {speaker::user, "Say something."}};
  out.streams = streams;
  return out;
}

chat_request request_with_tools(bool streams = true) {
  auto out = plain_request(streams);
  out.tools = {{"ask_person", "Asks.", {{"type", "object"}}}};
  return out;
}

/// How a call went.
struct heard_call {
  std::optional<call_outcome> outcome;
  std::string text; ///< Of the last try.
  std::vector<std::chrono::milliseconds> waits;

  [[nodiscard]] failure_kind failure() const { return outcome->answer.failure.kind; }
};

/// Takes no more connections: its queue is full, so that who connects hears nothing.
class full_listener {
public:
  full_listener() : listener_(context_, {boost::asio::ip::address_v4::loopback(), 0}) {
    listener_.listen(0);
    for (auto& each : waiting_) {
      each.open(tcp::v4());
      each.native_non_blocking(true);
      const auto to = listener_.local_endpoint();
      static_cast<void>(
          ::connect(each.native_handle(), to.data(), static_cast<socklen_t>(to.size())));
    }
  }
  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(listener_.local_endpoint().port()) + "/v1";
  }

private:
  using tcp = boost::asio::ip::tcp;
  boost::asio::io_context context_;
  tcp::acceptor listener_;
  std::array<tcp::socket, 4> waiting_{tcp::socket{context_}, tcp::socket{context_},
                                      tcp::socket{context_}, tcp::socket{context_}};
};

struct model_bed {
  /// One model, of the name of its behaviour.
  explicit model_bed(const std::string& behaviour,
                     const std::function<void(model_settings&)>& change = {},
                     const model_client::name_lookup& resolve = {}) {
    model_settings settings;
    settings.name = "m";
    settings.url = server.url();
    settings.model = behaviour;
    settings.key = "sk-secret";
    if (change)
      change(settings);
    client = std::make_unique<model_client>(std::vector{settings}, time, resolve);
  }

  [[nodiscard]] call_listener listener(const std::shared_ptr<heard_call>& to) {
    call_listener out;
    out.on_text = [to](std::string_view text) { to->text += text; };
    out.on_retry = [this, to](const model_failure&, std::chrono::milliseconds wait) {
      to->text.clear();
      to->waits.push_back(wait);
      to_pass = wait;
    };
    out.on_end = [to](call_outcome outcome) { to->outcome = std::move(outcome); };
    return out;
  }

  void turn() {
    client->turn();
    time.pass(std::exchange(to_pass, 0ms));
  }

  /// Takes turns until the call has ended. `hangs`: time passes while the server is silent;
  /// `after_text`: once some of the answer has come.
  heard_call ask(chat_request request, bool hangs = false, bool after_text = false,
                 call_account account = {"t1", "o1"}) {
    const auto out = std::make_shared<heard_call>();
    const auto before = server.requests().size();
    const auto handle =
        client->ask(*client->find("m"), std::move(request), std::move(account), listener(out));
    const bool has_ended = comes_true([&] {
      turn();
      if (hangs && server.requests().size() > before + out->waits.size()
          && (!after_text || !out->text.empty()))
        time.pass(1s);
      return out->outcome.has_value();
    });
    if (!has_ended)
      throw std::runtime_error("the call does not end");
    return *out;
  }

  hand_time time;
  model_server server;
  std::chrono::milliseconds to_pass{0};
  std::unique_ptr<model_client> client;
};

} // namespace

TEST_CASE("an answer streams, and ends with its reason and its usage", "[client][models]") {
  model_bed bed("ok");
  const auto heard = bed.ask(plain_request());
  REQUIRE(heard.outcome->answer);
  const auto& answer = *heard.outcome->answer.value;
  CHECK(answer.content == text_of_seed(1));
  CHECK(heard.text == answer.content);
  CHECK(answer.finish == finish_reason::stop);
  CHECK(heard.outcome->cost.usage.prompt_tokens == 11);
  CHECK_FALSE(heard.outcome->cost.usage.is_estimated);
  CHECK(heard.outcome->cost.tries == 1);
  const auto asked = bed.server.requests().at(0);
  CHECK(asked.target == "/v1/chat/completions");
  CHECK(asked.headers.at("authorization") == "Bearer sk-secret");
}

TEST_CASE("a good answer is read in every form in which servers send it", "[client][models]") {
  const std::string behaviour = GENERATE("ok", "reasoning", "no-usage", "no-done", "comments",
                                         "empty-choices", "byte-by-byte", "azure");
  const bool streams = GENERATE(true, false);
  CAPTURE(behaviour, streams);
  model_bed bed(behaviour);
  const auto heard = bed.ask(plain_request(streams));
  REQUIRE(heard.outcome->answer);
  CHECK(heard.outcome->answer.value->content == text_of_seed(1));
  CHECK(heard.text == text_of_seed(1));
  CHECK(heard.outcome->answer.value->reasoning.empty() == (behaviour != "reasoning"));
  CHECK(heard.outcome->cost.usage.is_estimated == (behaviour == "no-usage"));
  CHECK(heard.outcome->cost.spent.tokens > 0);
}

TEST_CASE("wrapped content is what the model said, and its plain content is meant",
          "[client][models]") {
  const std::string behaviour = GENERATE("fence", "think");
  model_bed bed(behaviour);
  bed.server.say(behaviour, {R"({"a": 1})"});
  const auto heard = bed.ask(plain_request());
  REQUIRE(heard.outcome->answer);
  CHECK(plain_content(heard.outcome->answer.value->content) == R"({"a": 1})");
}

TEST_CASE("a refusal, a cut at the limit and a filter are outcomes of their own",
          "[client][models]") {
  struct row {
    const char* behaviour;
    answer_kind kind;
  };
  const auto each = GENERATE(values<row>({{"refusal", answer_kind::refused},
                                          {"length", answer_kind::too_long},
                                          {"content-filter", answer_kind::filtered}}));
  const bool streams = GENERATE(true, false);
  CAPTURE(each.behaviour, streams);
  model_bed bed(each.behaviour);
  const auto heard = bed.ask(plain_request(streams));
  REQUIRE(heard.outcome->answer);
  CHECK(kind_of(*heard.outcome->answer.value) == each.kind);
  CHECK(bed.server.requests().size() == 1);
}

TEST_CASE("calls of tools come whole, in pieces, two at once, without an id and with `stop`",
          "[client][models]") {
  const std::string behaviour =
      GENERATE("tool", "tool-pieces", "tool-two", "tool-empty-id", "tool-stop", "gemini");
  const bool streams = GENERATE(true, false);
  CAPTURE(behaviour, streams);
  model_bed bed(behaviour);
  const auto heard = bed.ask(request_with_tools(streams));
  REQUIRE(heard.outcome->answer);
  const auto& answer = *heard.outcome->answer.value;
  CHECK(kind_of(answer) == answer_kind::calls);
  REQUIRE(answer.calls.size() == (behaviour == "tool-two" ? 2 : 1));
  CHECK(answer.calls[0].name == "ask_person");
  CHECK_FALSE(answer.calls[0].id.empty());
  CHECK(boost::json::parse(answer.calls[0].arguments).at("question") == "Which city?");
}

TEST_CASE("broken arguments and unknown tools are handed on as they are", "[client][models]") {
  model_bed broken("tool-broken");
  CHECK(broken.ask(request_with_tools()).outcome->answer.value->calls.at(0).arguments
        == R"({"question": "Which)");
  model_bed unknown("tool-unknown");
  CHECK(unknown.ask(request_with_tools()).outcome->answer.value->calls.at(0).name
        == "delete_everything");
}

TEST_CASE("what may pass is tried again after the wait that the server asks for",
          "[client][models]") {
  struct row {
    const char* behaviour;
    std::chrono::milliseconds least, most;
  };
  const auto each = GENERATE(values<row>({{"429-seconds", 2000ms, 2200ms},
                                          {"429-date", 20'000ms, 22'000ms},
                                          {"429-ms", 1500ms, 1650ms},
                                          {"429-none", 500ms, 750ms},
                                          {"408", 500ms, 750ms},
                                          {"409", 500ms, 750ms},
                                          {"500-once", 500ms, 750ms},
                                          {"cut-once", 500ms, 750ms},
                                          {"openrouter", 500ms, 750ms}}));
  CAPTURE(each.behaviour);
  model_bed bed(each.behaviour);
  const auto heard = bed.ask(plain_request());
  REQUIRE(heard.outcome->answer);
  CHECK(heard.text == text_of_seed(1)); // nothing of the try that failed
  REQUIRE(heard.waits.size() == 1);
  CHECK(heard.waits[0] >= each.least);
  CHECK(heard.waits[0] <= each.most);
  CHECK(bed.server.requests().size() == 2);
}

TEST_CASE("what will not pass is asked once", "[client][models]") {
  struct row {
    const char* behaviour;
    failure_kind kind;
  };
  const auto each = GENERATE(values<row>({{"quota", failure_kind::quota_used_up},
                                          {"401", failure_kind::unauthenticated},
                                          {"403", failure_kind::forbidden},
                                          {"404", failure_kind::not_found},
                                          {"unheard-of", failure_kind::not_found},
                                          {"context-length", failure_kind::context_too_long},
                                          {"azure-filter", failure_kind::filtered},
                                          {"redirect", failure_kind::redirected},
                                          {"no-json", failure_kind::unreadable},
                                          {"429-long", failure_kind::too_many}}));
  CAPTURE(each.behaviour);
  model_bed bed(each.behaviour);
  const auto heard = bed.ask(plain_request());
  REQUIRE_FALSE(heard.outcome->answer);
  CHECK(heard.failure() == each.kind);
  CHECK(heard.waits.empty());
  CHECK(bed.server.requests().size() == 1);
}

TEST_CASE("a server that always fails is asked three times", "[client][models]") {
  struct row {
    const char* behaviour;
    failure_kind kind;
  };
  const auto each = GENERATE(values<row>({{"500", failure_kind::server_fault},
                                          {"502-html", failure_kind::server_fault},
                                          {"close", failure_kind::broken},
                                          {"cut", failure_kind::broken},
                                          {"error-event", failure_kind::server_fault}}));
  CAPTURE(each.behaviour);
  model_bed bed(each.behaviour);
  const auto heard = bed.ask(plain_request());
  REQUIRE_FALSE(heard.outcome->answer);
  CHECK(heard.failure() == each.kind);
  CHECK(heard.waits.size() == 2);
  CHECK(bed.server.requests().size() == 3);
}

TEST_CASE("a server that falls silent is given up, wherever it does", "[client][models]") {
  const std::string behaviour = GENERATE("hang-head", "hang-first", "hang-middle");
  CAPTURE(behaviour);
  model_bed bed(behaviour);
  const auto heard = bed.ask(plain_request(), true, behaviour == "hang-middle");
  REQUIRE_FALSE(heard.outcome->answer);
  CHECK(heard.failure() == failure_kind::silent);
  CHECK(bed.server.requests().size() == 3);
}

TEST_CASE("a connection that does not come to stand is given up", "[client][models]") {
  const full_listener nobody;
  model_bed bed("ok", [&](model_settings& it) { it.url = nobody.url(); });
  const auto heard = std::make_shared<heard_call>();
  const auto handle =
      bed.client->ask(*bed.client->find("m"), plain_request(), {}, bed.listener(heard));
  std::chrono::seconds passed{0};
  REQUIRE(comes_true([&] {
    bed.turn();
    bed.time.pass(1s);
    ++passed;
    return heard->outcome.has_value();
  }));
  CHECK(heard->failure() == failure_kind::silent);
  CHECK_THAT(heard->outcome->answer.failure.message,
             ContainsSubstring("did not accept a connection in 10000 ms"));
  CHECK(heard->outcome->cost.tries == 3);
  CHECK(heard->outcome->cost.spent.tokens == 0); // nothing was sent
  CHECK(passed > 3 * std::chrono::duration_cast<std::chrono::seconds>(connect_timeout) - 3s);
}

TEST_CASE("an answer that goes on for ever ends with the time of a whole one", "[client][models]") {
  model_bed bed("hang-middle", [](model_settings& it) {
    it.timeouts.whole = 5s;
    it.timeouts.idle = 3600s;
  });
  const auto heard = bed.ask(plain_request(), true, true);
  CHECK(heard.failure() == failure_kind::silent);
  CHECK_THAT(heard.outcome->answer.failure.message,
             ContainsSubstring("did not end in 5 s (`whole-seconds` or a budget in seconds)"));
}

TEST_CASE("an answer of 50 MB is not held, streamed or whole", "[client][models]") {
  const bool streams = GENERATE(true, false);
  model_bed bed("huge");
  const auto heard = bed.ask(plain_request(streams));
  REQUIRE_FALSE(heard.outcome->answer);
  CHECK(heard.failure() == failure_kind::too_large);
  CHECK(bed.server.requests().size() == 1);
}

TEST_CASE("the key is in no message, even if the server repeats it", "[client][models]") {
  model_bed bed("401");
  std::string log;
  bed.client->log = [&](const std::string& line) { log += line; };
  const auto heard = bed.ask(plain_request());
  CHECK_THAT(heard.outcome->answer.failure.message, ContainsSubstring("Bearer ***"));
  CHECK(heard.outcome->answer.failure.message.find("sk-secret") == std::string::npos);
  CHECK_THAT(log, ContainsSubstring("unauthenticated"));
  CHECK(log.find("sk-secret") == std::string::npos);
  CHECK(log.find("Say something") == std::string::npos); // sizes only
}

TEST_CASE("prompts are logged if that is asked for", "[client][models]") {
  model_bed bed("ok", [](model_settings& it) { it.logs_prompts = true; });
  std::string log;
  bed.client->log = [&](const std::string& line) { log += line; };
  static_cast<void>(bed.ask(plain_request()));
  CHECK_THAT(log, ContainsSubstring("Say something."));
}

TEST_CASE("a key goes to another computer with TLS only, and Azure has its own header",
          "[client][models]") {
  model_bed far("ok", [](model_settings& it) { it.url = "http://192.0.2.7/v1"; });
  const auto heard = far.ask(plain_request());
  CHECK(heard.failure() == failure_kind::forbidden);
  CHECK_THAT(heard.outcome->answer.failure.message, ContainsSubstring("allow-http"));
  model_bed azure("ok", [](model_settings& it) {
    it.kind = server_kind::azure;
    it.path = "/deployments/one/chat/completions?api-version=2024-10-21";
  });
  REQUIRE(azure.ask(plain_request()).outcome->answer);
  const auto asked = azure.server.requests().at(0);
  CHECK(asked.headers.at("api-key") == "sk-secret");
  CHECK_FALSE(asked.headers.contains("authorization"));
  CHECK(asked.target == "/v1/deployments/one/chat/completions?api-version=2024-10-21");
}

TEST_CASE("a name that leads into this network is refused unless that is meant",
          "[client][models]") {
  const auto to_this_computer = [](const std::string&) {
    return result<std::vector<std::string>>{{"127.0.0.1"}};
  };
  const auto named = [](model_settings& it) {
    const auto port = it.url.substr(it.url.rfind(':'));
    it.url = "http://models.example" + port;
    it.key.clear();
  };
  model_bed refused("ok", named, to_this_computer);
  const auto heard = refused.ask(plain_request());
  CHECK(heard.failure() == failure_kind::forbidden);
  CHECK_THAT(heard.outcome->answer.failure.message, ContainsSubstring("allow-private"));
  CHECK(refused.server.requests().empty());
  model_bed allowed(
      "ok",
      [&](model_settings& it) {
        named(it);
        it.allow_private = true;
      },
      to_this_computer);
  CHECK(allowed.ask(plain_request()).outcome->answer);
}

// -- differences between servers ------------------------------------------------------------------

TEST_CASE("OpenAI: a member that a newer model refuses is left out, and stays so",
          "[client][models]") {
  model_bed bed("openai", [](model_settings& it) {
    it.answer_tokens_max = 100; // of kind generic: `max_tokens`
    it.temperature = 0.2;
  });
  const auto first = bed.ask(plain_request());
  REQUIRE(first.outcome->answer);
  CHECK(first.waits.empty());
  CHECK(first.outcome->left_out == std::vector<std::string>{"max_tokens", "temperature"});
  const auto asked = bed.server.requests();
  REQUIRE(asked.size() == 3);
  CHECK(asked[2].body.at("max_completion_tokens") == 100);
  REQUIRE(bed.ask(plain_request()).outcome->answer);
  CHECK(bed.server.requests().size() == 4);
}

TEST_CASE("vLLM and Ollama: a server without tools ends a call that has some", "[client][models]") {
  const std::string behaviour = GENERATE("vllm", "ollama");
  model_bed bed(behaviour);
  const auto heard = bed.ask(request_with_tools());
  REQUIRE_FALSE(heard.outcome->answer);
  CHECK(heard.failure() == failure_kind::invalid_request);
  CHECK_THAT(heard.outcome->answer.failure.message, ContainsSubstring("tool"));
  CHECK(bed.server.requests().size() == 1);
  CHECK(bed.ask(plain_request()).outcome->answer); // without tools it answers
}

TEST_CASE("llama.cpp, LM Studio: a form or an option that is refused is left out",
          "[client][models]") {
  const std::string behaviour = GENERATE("llama.cpp", "lm-studio");
  model_bed bed(behaviour, [](model_settings& it) { it.kind = server_kind::llama_cpp; });
  auto request = plain_request();
  request.schema = {{"type", "object"}};
  const auto heard = bed.ask(request);
  REQUIRE(heard.outcome->answer);
  CHECK(
      heard.outcome->left_out
      == std::vector<std::string>{behaviour == "llama.cpp" ? "response_format" : "stream_options"});
  CHECK(bed.server.requests().size() == 2);
}

TEST_CASE("Anthropic: one system message stands first, and no form is asked for",
          "[client][models]") {
  model_bed bed("anthropic", [](model_settings& it) {
    it.kind = server_kind::anthropic;
    it.seed = 1;
  });
  auto request = plain_request();
  request.messages.push_back({speaker::system, "And kind."});
  request.schema = {{"type", "object"}};
  REQUIRE(bed.ask(request).outcome->answer);
  const auto body = bed.server.requests().at(0).body;
  CHECK_FALSE(body.contains("response_format"));
  CHECK_FALSE(body.contains("seed"));
  CHECK(bed.server.requests().size() == 1);
}

TEST_CASE("Gemini: an unknown member is refused in an array, and left out from then on",
          "[client][models]") {
  model_bed bed("gemini", [](model_settings& it) { it.seed = 1; });
  const auto heard = bed.ask(plain_request());
  REQUIRE(heard.outcome->answer);
  CHECK(heard.outcome->left_out == std::vector<std::string>{"seed"});
  CHECK(bed.server.requests().size() == 2);
}

// -- budgets, breaker, ends -----------------------------------------------------------------------

TEST_CASE("a call above a budget is refused by its name before anything is sent",
          "[client][models]") {
  model_bed bed("ok", [](model_settings& it) {
    it.budgets[static_cast<std::size_t>(budget_scope::task)].tokens = 5000;
  });
  const auto first = bed.ask(plain_request());
  REQUIRE(first.outcome->answer);
  CHECK(bed.server.requests().at(0).body.at("max_tokens") == answer_tokens_default);
  auto request = plain_request();
  request.messages.push_back({speaker::user, std::string(3000, 'x')});
  const auto heard = bed.ask(request);
  REQUIRE_FALSE(heard.outcome->answer);
  CHECK(heard.failure() == failure_kind::over_budget);
  CHECK(heard.outcome->answer.failure.budget == "task-tokens");
  CHECK(bed.server.requests().size() == 1);
  CHECK(bed.ask(plain_request(), false, false, {"t2", "o1"}).outcome->answer);
}

TEST_CASE("money is counted by the prices, and a cut answer is paid for", "[client][models]") {
  model_bed bed("cut", [](model_settings& it) { it.prices = {1'000'000, 2'000'000}; });
  const auto heard = bed.ask(plain_request());
  const auto& cost = heard.outcome->cost;
  CHECK(cost.tries == 3);
  CHECK(cost.usage.is_estimated);
  CHECK(cost.spent.cost
        >= static_cast<money>(cost.usage.prompt_tokens + 2 * cost.usage.answer_tokens));
  CHECK(cost.usage.answer_tokens > 0);
  CHECK(bed.client->states().at(0).today.cost == cost.spent.cost);
}

TEST_CASE("after five failures in a row the server is left alone for half a minute",
          "[client][models]") {
  model_bed bed("500");
  CHECK(bed.ask(plain_request()).failure() == failure_kind::server_fault);
  CHECK(bed.ask(plain_request()).failure() == failure_kind::breaker_open);
  CHECK(bed.server.requests().size() == 5);
  CHECK(bed.client->states().at(0).breaker == net::breaker_state::open);
  CHECK(bed.ask(plain_request()).failure() == failure_kind::breaker_open);
  CHECK(bed.server.requests().size() == 5);
  bed.time.pass(30s);
  CHECK(bed.ask(plain_request()).failure() == failure_kind::breaker_open);
  CHECK(bed.server.requests().size() == 6);
}

TEST_CASE("who gives a call up closes its connection", "[client][models]") {
  model_bed bed("hang-middle");
  const auto heard = std::make_shared<heard_call>();
  auto handle = bed.client->ask(*bed.client->find("m"), plain_request(), {}, bed.listener(heard));
  REQUIRE(comes_true([&] {
    bed.turn();
    return !heard->text.empty();
  }));
  handle.reset();
  CHECK(comes_true([&] {
    bed.turn();
    return bed.server.closed_by_client() == 1;
  }));
  CHECK_FALSE(heard->outcome);
}

TEST_CASE("a call that is given up is paid for, by an estimate", "[client][models]") {
  const std::string behaviour = GENERATE("hang-head", "hang-first", "hang-middle");
  CAPTURE(behaviour);
  const bool answers = behaviour == "hang-middle";
  model_bed bed(behaviour, [](model_settings& it) { it.prices = {1'000'000, 2'000'000}; });
  std::vector<std::string> logged;
  bed.client->log = [&](const std::string& line) { logged.push_back(line); };
  const auto heard = std::make_shared<heard_call>();
  auto listener = bed.listener(heard);
  listener.meter = std::make_shared<call_meter>();
  const auto meter = listener.meter;
  auto handle =
      bed.client->ask(*bed.client->find("m"), plain_request(), {"t1", "o1"}, std::move(listener));
  REQUIRE(comes_true([&] {
    bed.turn();
    return bed.server.requests().size() == 1 && (!answers || !heard->text.empty());
  }));
  const auto before = meter->so_far();
  CHECK(before.tries == 1);
  CHECK(before.usage.is_estimated);
  CHECK(before.usage.prompt_tokens == estimated_tokens(plain_request()));
  CHECK((before.usage.answer_tokens > 0) == answers);
  handle.reset();
  REQUIRE(comes_true([&] {
    bed.turn();
    return !logged.empty();
  }));
  CHECK_THAT(logged[0], ContainsSubstring("tokens (estimated)")
                            && ContainsSubstring("1 try, canceled")
                            && ContainsSubstring("task t1"));
  CHECK(bed.client->states().at(0).today.tokens
        == before.usage.prompt_tokens + before.usage.answer_tokens);
  CHECK(bed.client->states().at(0).today.cost == before.spent.cost);
  CHECK(meter->so_far().usage == before.usage);
  meter->clear();
  CHECK(meter->so_far().tries == 0);
  bed.client = nullptr; // before what it logs to
}

TEST_CASE("calls above the limit of a model wait until others have ended", "[client][models]") {
  model_bed bed("hang-middle", [](model_settings& it) { it.calls_max = 1; });
  const auto ask = [&](const std::shared_ptr<heard_call>& to) {
    return bed.client->ask(*bed.client->find("m"), plain_request(), {}, bed.listener(to));
  };
  const auto first = std::make_shared<heard_call>();
  const auto second = std::make_shared<heard_call>();
  const auto third = std::make_shared<heard_call>();
  auto handle = ask(first);
  auto given_up = ask(second);
  const auto last = ask(third);
  REQUIRE(comes_true([&] {
    bed.turn();
    return !first->text.empty();
  }));
  CHECK(bed.server.requests().size() == 1);
  given_up.reset();
  handle.reset();
  CHECK(comes_true([&] {
    bed.turn();
    return !third->text.empty();
  }));
  CHECK(bed.server.requests().size() == 2);
  CHECK(second->text.empty());
}

TEST_CASE("a call that is given up while it waits is forgotten at once", "[client][models]") {
  model_bed bed("hang-middle", [](model_settings& it) { it.calls_max = 1; });
  const auto first = std::make_shared<heard_call>();
  const auto under_way =
      bed.client->ask(*bed.client->find("m"), plain_request(), {}, bed.listener(first));
  REQUIRE(comes_true([&] {
    bed.turn();
    return !first->text.empty();
  }));
  auto listener = bed.listener(std::make_shared<heard_call>());
  listener.meter = std::make_shared<call_meter>();
  const std::weak_ptr<call_meter> held = listener.meter;
  auto waits = bed.client->ask(*bed.client->find("m"), plain_request(), {}, std::move(listener));
  listener = {};
  bed.turn();
  CHECK_FALSE(held.expired());
  waits.reset();
  CHECK(held.expired());
  CHECK(bed.server.requests().size() == 1);
}

TEST_CASE("a client may end with calls under way, and its handles after it", "[client][models]") {
  call_handle handle;
  int ends = 0;
  model_server server;
  {
    model_settings settings;
    settings.name = "m";
    settings.url = server.url();
    settings.model = "hang-middle";
    model_client client({settings});
    client.start();
    client.post([&] {
      call_listener to;
      to.on_end = [&](const call_outcome&) { ++ends; };
      handle = client.ask(*client.find("m"), plain_request(), {}, std::move(to));
    });
    static_cast<void>(server.wait_for(1));
  }
  CHECK(ends == 0);
  handle.reset();
}

TEST_CASE("a call waits for the file of the day only if its model has such a budget",
          "[client][models]") {
  const temporary_directory where;
  const auto path = where / "days.json";
  REQUIRE(::mkfifo((path + ".new").c_str(), S_IRUSR | S_IWUSR) == 0); // opening it waits
  model_server server;
  std::vector<model_settings> settings(2);
  for (auto& each : settings) {
    each.url = server.url();
    each.model = "ok";
  }
  settings[0].name = "limited";
  settings[0].budgets[static_cast<std::size_t>(budget_scope::day)].tokens = 100'000;
  settings[1].name = "free";
  std::vector<call_handle> handles;
  std::array<std::atomic<int>, 2> ends{};
  {
    model_client client(settings);
    REQUIRE(client.keep_days(path).has_value());
    client.start();
    client.post([&] {
      for (std::size_t i = 0; i < 2; ++i) {
        call_listener to;
        to.on_end = [&ends, i](const call_outcome&) { ++ends[i]; };
        handles.push_back(
            client.ask(*client.find(settings[i].name), plain_request(), {}, std::move(to)));
      }
    });
    CHECK(comes_true([&] { return ends[1] == 1; }));
    CHECK(ends[0] == 0);
    CHECK(server.requests().size() == 1);
    std::ifstream disk(path + ".new");
    const std::string written{std::istreambuf_iterator<char>(disk), {}};
    CHECK_THAT(written, ContainsSubstring("limited"));
    CHECK(comes_true([&] { return ends[0] == 1; }));
  }
  CHECK(read_day_file(path).value().at("limited").spent.tokens > 0);
}
