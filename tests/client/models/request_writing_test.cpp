// What is written for which server.
#include "client/models/request_writing.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace troupe::models;
namespace json = boost::json;

namespace {

chat_request full_request() {
  chat_request out;
  out.messages = {{speaker::user, "Hello"},
                  {speaker::system, "Be short."},
                  {speaker::assistant, "", {{"c1", "look", "{\"a\":1}"}}},
                  {speaker::tool, "found", {}, "c1"},
                  {speaker::system, "Be kind."}};
  out.tools = {{"look", "Looks.", {{"type", "object"}}}};
  out.schema = json::parse(R"({"type":"object","properties":{"a":{"type":"string"}},)"
                           R"("required":["a"],"additionalProperties":false})")
                   .as_object();
  return out;
}

writing_terms terms_for(server_kind kind) {
  writing_terms out;
  out.model = "m";
  out.kind = kind;
  out.answer_tokens_max = 100;
  out.temperature = 0.5;
  out.seed = 7;
  return out;
}

} // namespace

TEST_CASE("system messages are joined and put first", "[client][models]") {
  const auto written = write_request(full_request(), terms_for(server_kind::generic));
  const auto& messages = written.at("messages").as_array();
  REQUIRE(messages.size() == 4);
  CHECK(json::serialize(messages[0]) == R"({"role":"system","content":"Be short.\n\nBe kind."})");
  CHECK(json::serialize(messages[1]) == R"({"role":"user","content":"Hello"})");
  CHECK(json::serialize(messages[2])
        == R"({"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function",)"
           R"("function":{"name":"look","arguments":"{\"a\":1}"}}]})");
  CHECK(json::serialize(messages[3]) == R"({"role":"tool","content":"found","tool_call_id":"c1"})");
}

TEST_CASE("a request has the members that its server takes and that are set", "[client][models]") {
  struct row {
    server_kind kind;
    const char* bound;
    bool usage, format, strict, seed;
  };
  const auto each = GENERATE(values<row>({
      {server_kind::generic, "max_tokens", false, true, false, true},
      {server_kind::openai, "max_completion_tokens", true, true, true, true},
      {server_kind::azure, "max_completion_tokens", true, true, true, true},
      {server_kind::ollama, "max_tokens", true, true, false, true},
      {server_kind::vllm, "max_tokens", true, true, false, true},
      {server_kind::llama_cpp, "max_tokens", true, true, false, true},
      {server_kind::lm_studio, "max_tokens", true, true, false, true},
      {server_kind::anthropic, "max_tokens", true, false, false, false},
      {server_kind::gemini, "max_tokens", true, true, false, false},
      {server_kind::openrouter, "max_tokens", true, true, false, true},
  }));
  CAPTURE(row_of(each.kind).name);
  const auto written = write_request(full_request(), terms_for(each.kind));
  CHECK(written.at(each.bound) == 100);
  CHECK(written.contains("stream_options") == each.usage);
  CHECK(written.contains("response_format") == each.format);
  CHECK(written.contains("seed") == each.seed);
  CHECK_FALSE(written.contains("n"));
  CHECK_FALSE(written.contains("tool_choice"));
  if (each.format) {
    CHECK(written.at("response_format").at("type") == "json_schema"); // LM Studio: no json_object
    CHECK(written.at("response_format").at("json_schema").as_object().contains("strict")
          == each.strict);
  }
}

TEST_CASE("strict is said of a schema that is strict only", "[client][models]") {
  auto request = full_request();
  request.schema =
      json::parse(R"({"type":"object","properties":{"a":{"type":"string"}}})").as_object();
  const auto written = write_request(request, terms_for(server_kind::openai));
  CHECK_FALSE(written.at("response_format").at("json_schema").as_object().contains("strict"));
}

TEST_CASE("what a server refused is left out once, and the other bound of the answer is tried",
          "[client][models]") {
  auto terms = terms_for(server_kind::generic);
  const auto request = full_request();
  auto written = write_request(request, terms);
  CHECK(drop_member(terms, written, "max_tokens"));
  written = write_request(request, terms);
  CHECK(written.at("max_completion_tokens") == 100);
  CHECK_FALSE(written.contains("max_tokens"));
  CHECK_FALSE(drop_member(terms, written, "max_tokens"));
  CHECK(drop_member(terms, written, "max_completion_tokens"));
  CHECK(drop_member(terms, written, "temperature"));
  CHECK(drop_member(terms, written, "response_format"));
  written = write_request(request, terms);
  CHECK_FALSE(written.contains("temperature"));
  CHECK_FALSE(written.contains("response_format"));
  CHECK_FALSE(written.contains("max_completion_tokens"));
  CHECK_FALSE(drop_member(terms, written, "temperature"));
}

TEST_CASE("a request does without neither its tools nor its messages", "[client][models]") {
  auto terms = terms_for(server_kind::generic);
  const auto written = write_request(full_request(), terms);
  CHECK_FALSE(drop_member(terms, written, "tools"));
  CHECK_FALSE(drop_member(terms, written, "messages"));
  CHECK_FALSE(drop_member(terms, written, "model"));
  CHECK(terms.dropped.empty());
}

TEST_CASE("what a request sets goes before what the operator has set, but never above it",
          "[client][models]") {
  chat_request request;
  request.messages = {{speaker::user, "x"}};
  writing_terms terms;
  terms.model = "m";
  terms.temperature = 1.0;
  terms.answer_tokens_max = 100;
  request.settings = {50, 0.25, {}};
  auto written = write_request(request, terms);
  CHECK(written.at("max_tokens") == 50);
  CHECK(written.at("temperature") == 0.25);
  request.settings.answer_tokens_max = 1000;
  CHECK(write_request(request, terms).at("max_tokens") == 100);
  terms.answer_tokens_max.reset();
  CHECK(write_request(request, terms).at("max_tokens") == 1000);
}
