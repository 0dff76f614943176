// What servers answer, whole and as streams.
#include "client/models/answer_reading.hpp"
#include "client/models/limits.hpp"
#include "tests/support/catch.hpp"

using namespace troupe::models;

namespace {

std::string chunk_of(const std::string& delta, const std::string& finish = "null") {
  return R"({"choices":[{"index":0,"delta":)" + delta + R"(,"finish_reason":)" + finish + "}]}";
}

/// Takes all of it; the first failure ends it.
reading<chat_answer> read_all(const std::vector<std::string>& events) {
  streamed_answer answer;
  for (const auto& each : events)
    if (auto added = answer.take(each); !added)
      return {std::nullopt, added.failure};
  return answer.finish();
}

} // namespace

TEST_CASE("a whole answer has its content, calls, reason and usage", "[client][models]") {
  const auto read = read_answer(
      R"({"choices":[{"message":{"role":"assistant","content":"Hi","reasoning_content":"hm",)"
      R"("tool_calls":[{"id":"","type":"function","function":{"name":"f","arguments":"{}"}}]},)"
      R"("finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4}})");
  REQUIRE(read);
  CHECK(read.value->content == "Hi");
  CHECK(read.value->reasoning == "hm");
  CHECK(read.value->calls == std::vector<tool_call>{{"call_0", "f", "{}"}});
  CHECK(read.value->finish == finish_reason::tool_calls);
  CHECK(read.value->usage == chat_usage{3, 4, false});
}

TEST_CASE("a content may be parts, and arguments an object", "[client][models]") {
  const auto read = read_answer(
      R"({"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],)"
      R"("tool_calls":[{"function":{"name":"f","arguments":{"x":1}}}]},"finish_reason":"stop"}]})");
  REQUIRE(read);
  CHECK(read.value->content == "ab");
  CHECK(read.value->calls.at(0).arguments == R"({"x":1})");
  CHECK_FALSE(read.value->usage);
}

TEST_CASE("what is no answer is told apart from an error", "[client][models]") {
  CHECK(read_answer("<html>").failure.kind == failure_kind::unreadable);
  CHECK(read_answer("{}").failure.kind == failure_kind::unreadable);
  CHECK(read_answer(R"({"choices":[]})").failure.kind == failure_kind::unreadable);
  CHECK(read_answer(R"({"error":{"message":"no","code":429}})").failure.kind
        == failure_kind::too_many);
}

TEST_CASE("pieces of two calls are joined by their indexes", "[client][models]") {
  const auto read = read_all({
      chunk_of(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]})"),
      chunk_of(R"({"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}]})"),
      chunk_of(R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"x\""}}]})"),
      chunk_of(R"({"tool_calls":[{"index":1,"function":{"arguments":"}"}},)"
               R"({"index":0,"function":{"arguments":":1}"}}]})"),
      chunk_of("{}", R"("tool_calls")"),
  });
  REQUIRE(read);
  CHECK(read.value->calls == std::vector<tool_call>{{"a", "f", R"({"x":1})"}, {"b", "g", "{}"}});
}

TEST_CASE("calls without an index follow one another", "[client][models]") {
  const auto read = read_all({
      chunk_of(R"({"tool_calls":[{"function":{"name":"f","arguments":"{\"x\""}}]})"),
      chunk_of(R"({"tool_calls":[{"function":{"arguments":":1}"}}]})"),
      chunk_of(R"({"tool_calls":[{"function":{"name":"g","arguments":"{}"}}]})"),
      chunk_of("{}", R"("stop")"),
  });
  REQUIRE(read);
  CHECK(read.value->calls
        == std::vector<tool_call>{{"call_0", "f", R"({"x":1})"}, {"call_1", "g", "{}"}});
}

TEST_CASE("a stream without finish_reason was cut, with [DONE] or without", "[client][models]") {
  CHECK(read_all({chunk_of(R"({"content":"a"})")}).failure.kind == failure_kind::broken);
  CHECK(read_all({chunk_of(R"({"content":"a"})"), "[DONE]"}).failure.kind == failure_kind::broken);
  CHECK(read_all({chunk_of(R"({"content":"a"})"), chunk_of("{}", R"("stop")")}));
  CHECK(read_all({}).failure.kind == failure_kind::broken);
}

TEST_CASE("chunks without choices bring the usage, or nothing", "[client][models]") {
  const auto read = read_all({
      R"({"choices":[],"prompt_filter_results":[]})",
      chunk_of(R"({"role":"assistant","content":null})"),
      chunk_of(R"({"content":"a"})", R"("stop")"),
      R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1}})",
      "[DONE]",
  });
  REQUIRE(read);
  CHECK(read.value->content == "a");
  CHECK(read.value->usage == chat_usage{5, 1, false});
}

TEST_CASE("a usage that no answer has is not believed", "[client][models]") {
  const auto usage_of = [](const std::string& prompt, const std::string& answer) {
    return read_answer(R"({"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],)"
                       R"("usage":{"prompt_tokens":)"
                       + prompt + R"(,"completion_tokens":)" + answer + "}}")
        .value.value()
        .usage;
  };
  CHECK(usage_of("1000000000", "4") == chat_usage{1'000'000'000, 4, false});
  CHECK(usage_of("18446744073709551615", "4") == chat_usage{0, 4, true});
  CHECK_FALSE(usage_of("1000000001", "1e18"));
  CHECK_FALSE(usage_of("-1", "0.5"));
}

TEST_CASE("an error within a stream is read by its code", "[client][models]") {
  CHECK(read_all({R"({"error":{"code":502,"message":"gone"}})"}).failure.kind
        == failure_kind::server_fault);
  CHECK(read_all({R"({"error":{"code":400,"message":"maximum context length"}})"}).failure.kind
        == failure_kind::context_too_long);
  CHECK(read_all({R"({"error":"gone"})"}).failure.kind == failure_kind::server_fault);
  CHECK(read_all({R"({"error":{"code":"insufficient_quota","message":"x"}})"}).failure.kind
        == failure_kind::quota_used_up);
  CHECK(read_all({"{"}).failure.kind == failure_kind::unreadable);
}

TEST_CASE("an answer holds no more than its limit", "[client][models]") {
  const std::string begin = GENERATE(R"({"content":")", R"({"tool_calls":[{"id":")");
  const std::string end = begin.starts_with(R"({"c)") ? "\"}" : "\"}]}";
  streamed_answer answer;
  const auto piece = chunk_of(begin + std::string(std::size_t{1} << 20, 'x') + end);
  std::size_t taken = 0;
  reading<std::string> added;
  do {
    added = answer.take(piece);
    ++taken;
  } while (added && taken < 100);
  CHECK(added.failure.kind == failure_kind::too_large);
  CHECK(taken == (answer_bytes_max >> 20) + 1);
}
