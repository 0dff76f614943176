// Refusals of servers in all their forms, what is tried again, and the circuit breaker.
#include "client/models/model_failure.hpp"
#include "client/models/retry_decision.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace troupe::models;
using troupe::timestamp;

namespace {

model_failure read(unsigned status, const std::string& body) {
  return read_failure(status, {}, body, timestamp{});
}

model_failure failing_with(failure_kind kind) {
  model_failure out;
  out.kind = kind;
  return out;
}

} // namespace

TEST_CASE("a refusal is read whatever its form", "[client][models]") {
  struct row {
    unsigned status;
    const char* body;
    failure_kind kind;
    const char* member;
    const char* words;
  };
  const auto each = GENERATE(values<row>({
      {400,
       R"({"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.","type":"x","param":"max_tokens","code":"unsupported_parameter"}})",
       failure_kind::refused_member, "max_tokens", "Unsupported parameter"},
      {400,
       R"({"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.","param":null}})",
       failure_kind::refused_member, "max_tokens", "Unsupported"},
      {400, R"({"error":{"message":"no","param":"response_format.json_schema.strict"}})",
       failure_kind::refused_member, "strict", "no"},
      {400, R"({"error":"'response_format.type' must be 'text'"})", failure_kind::refused_member,
       "response_format", "must be 'text'"},
      {400,
       R"([{"error":{"code":400,"message":"Unknown name \"seed\": Cannot find field.","status":"INVALID_ARGUMENT"}}])",
       failure_kind::refused_member, "seed", "Unknown name"},
      {422,
       R"({"detail":[{"loc":["body","stream_options"],"msg":"stream_options: extra fields not permitted"}]})",
       failure_kind::refused_member, "stream_options", "extra fields"},
      {400,
       R"({"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice","code":400})",
       failure_kind::invalid_request, "", "--enable-auto-tool-choice"},
      {400,
       R"({"error":{"message":"This model's maximum context length is 8192","param":"messages","code":"context_length_exceeded"}})",
       failure_kind::context_too_long, "", "8192"},
      {400,
       R"({"error":{"message":"The response was filtered","param":"prompt","code":"content_filter"}})",
       failure_kind::filtered, "", "filtered"},
      {401, R"({"error":{"message":"no key"}})", failure_kind::unauthenticated, "", "no key"},
      {403, "", failure_kind::forbidden, "", "403"},
      {404, R"({"error":{"message":"no model"}})", failure_kind::not_found, "", "no model"},
      {408, "{}", failure_kind::timeout, "", "408"},
      {409, "{}", failure_kind::conflict, "", "409"},
      {429, R"({"error":{"message":"slow down"}})", failure_kind::too_many, "", "slow down"},
      {429,
       R"({"error":{"message":"quota","type":"insufficient_quota","code":"insufficient_quota"}})",
       failure_kind::quota_used_up, "", "quota"},
      {502, "<html>Bad gateway</html>", failure_kind::server_fault, "", "a page"},
      {500, "plain words", failure_kind::server_fault, "", "plain words"},
      {503, "\xff\xfe", failure_kind::server_fault, "", "no UTF-8"},
      {307, "", failure_kind::redirected, "", "not followed"},
  }));
  CAPTURE(each.body);
  const auto failure = read(each.status, each.body);
  CHECK(failure.kind == each.kind);
  CHECK(failure.member == each.member);
  CHECK_THAT(failure.message, ContainsSubstring(each.words));
}

TEST_CASE("Retry-After is read as seconds, as a date and as milliseconds, which go first",
          "[client][models]") {
  const timestamp now{10s};
  CHECK(read_retry_after({{"Retry-After", "2"}}, now) == 2000ms);
  CHECK(read_retry_after({{"retry-after", "0.5"}}, now) == 500ms);
  CHECK(read_retry_after({{"Retry-After", "Thu, 01 Jan 1970 00:00:12 GMT"}}, now) == 2000ms);
  CHECK(read_retry_after({{"Retry-After", "Thu, 01 Jan 1970 00:00:01 GMT"}}, now) == 0ms);
  CHECK(read_retry_after({{"Retry-After", "60"}, {"retry-after-ms", "250"}}, now) == 250ms);
  CHECK(read_retry_after({{"Retry-After", "-1"}}, now) == std::nullopt);
  CHECK(read_retry_after({{"Retry-After", "soon"}}, now) == std::nullopt);
  CHECK(read_retry_after({{"Retry-After", "1000000000000"}}, now) > 1h);
  CHECK(read_retry_after({}, now) == std::nullopt);
}

TEST_CASE("three tries are made of what may pass, and one of everything else", "[client][models]") {
  for (std::uint8_t i = 0; i < failure_kind_end; ++i) {
    const auto kind = static_cast<failure_kind>(i);
    CAPTURE(to_string(kind));
    const bool is_tried_again = kind == failure_kind::timeout || kind == failure_kind::conflict
                                || kind == failure_kind::too_many
                                || kind == failure_kind::server_fault
                                || kind == failure_kind::broken || kind == failure_kind::silent;
    CHECK(wait_before_retry(failing_with(kind), 1, 0).has_value() == is_tried_again);
    CHECK(wait_before_retry(failing_with(kind), 2, 0).has_value() == is_tried_again);
    CHECK_FALSE(wait_before_retry(failing_with(kind), 3, 0).has_value());
  }
}

TEST_CASE("a wait doubles, has a part by chance, and is what the server says up to a limit",
          "[client][models]") {
  auto failure = failing_with(failure_kind::too_many);
  CHECK(wait_before_retry(failure, 1, 0) == 500ms);
  CHECK(wait_before_retry(failure, 2, 0) == 1000ms);
  CHECK(wait_before_retry(failure, 2, 1) == 1500ms);
  failure.retry_after = 10s;
  CHECK(wait_before_retry(failure, 1, 0) == 10s);
  CHECK(wait_before_retry(failure, 1, 1) == 11s);
  failure.retry_after = retry_after_max + 1ms;
  CHECK_FALSE(wait_before_retry(failure, 1, 0));
}

TEST_CASE("a server that refuses a request has not failed", "[client][models]") {
  CHECK(counts_for_breaker(failure_kind::server_fault));
  CHECK(counts_for_breaker(failure_kind::broken));
  CHECK(counts_for_breaker(failure_kind::silent));
  CHECK_FALSE(counts_for_breaker(failure_kind::too_many));
  CHECK_FALSE(counts_for_breaker(failure_kind::unauthenticated));
  CHECK_FALSE(counts_for_breaker(failure_kind::over_budget));
}
