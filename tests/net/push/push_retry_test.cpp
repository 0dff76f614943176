// What follows from an attempt: the whole table, the waits, Retry-After.
#include "net/push/push_retry.hpp"
#include "tests/support/catch.hpp"

#include <tuple>

using namespace troupe;
using namespace troupe::net;
using namespace std::chrono_literals;

TEST_CASE("Every status leads where the table says", "[net][push]") {
  const auto [status, step] = GENERATE(table<unsigned, push_step>({
      {200, push_step::delivered}, {201, push_step::delivered}, {202, push_step::delivered},
      {204, push_step::delivered}, {299, push_step::delivered}, {301, push_step::skip},
      {302, push_step::skip},      {307, push_step::skip},      {308, push_step::skip},
      {400, push_step::skip},      {401, push_step::skip},      {403, push_step::skip},
      {404, push_step::skip},      {410, push_step::skip},      {408, push_step::retry},
      {425, push_step::retry},     {429, push_step::retry},     {499, push_step::skip},
      {500, push_step::retry},     {502, push_step::retry},     {503, push_step::retry},
      {504, push_step::retry},     {599, push_step::retry},
  }));
  CAPTURE(status);
  const push_options options;
  CHECK(judge({.status = status, .failure = {}, .retry_after = {}}, 0, 0, options).step == step);
  const auto late = judge({.status = status, .failure = {}, .retry_after = {}},
                          options.failures_max - 1, 0, options);
  CHECK(late.step == (step == push_step::delivered ? step : push_step::stop));
  CHECK(late.reason.empty() == (step == push_step::delivered));
}

TEST_CASE("No answer is tried again, an address that is not allowed is not", "[net][push]") {
  const auto code = GENERATE(errc::timed_out, errc::unavailable, errc::internal);
  const push_options options;
  CHECK(
      judge({.status = 0, .failure = make_error(code, "x"), .retry_after = {}}, 0, 0, options).step
      == push_step::retry);
  const auto refused = judge(
      {.status = 0, .failure = make_error(errc::invalid_params, "private"), .retry_after = {}}, 0,
      0, options);
  CHECK(refused.step == push_step::stop);
  CHECK(refused.reason == "private");
}

TEST_CASE("A notification that was not tried is sent later, and never counts against the receiver",
          "[net][push]") {
  const push_options options;
  const auto why = GENERATE(errc::overloaded, errc::store_unreadable);
  const push_attempt untried{
      .status = 0, .failure = make_error(why, "no look-up could begin"), .retry_after = {}};
  for (const auto failures : {0u, 1u, options.failures_max - 1, options.failures_max}) {
    CAPTURE(failures);
    const auto verdict = judge(untried, failures, 0.5, options);
    CHECK(verdict.step == push_step::postpone);
    CHECK(verdict.wait >= options.retry_first);
    CHECK(verdict.reason == "no look-up could begin");
  }
}

TEST_CASE("Waits double up to the bound, and are spread", "[net][push]") {
  push_options options;
  options.failures_max = 100;
  options.retry_max = 20s;
  const push_attempt busy{.status = 503, .failure = {}, .retry_after = {}};
  const std::vector<std::chrono::milliseconds> expected{1s, 2s, 4s, 8s, 16s, 20s, 20s};
  for (std::uint32_t failures = 0; failures < expected.size(); ++failures) {
    CAPTURE(failures);
    CHECK(judge(busy, failures, 0.5, options).wait == expected[failures]);
    CHECK(judge(busy, failures, 0, options).wait == expected[failures] * 3 / 4);
    CHECK(judge(busy, failures, 0.999, options).wait < expected[failures] * 5 / 4);
    CHECK(judge(busy, failures, 0.999, options).wait > expected[failures] * 6 / 5);
  }
  CHECK(judge(busy, 90, 0.5, options).wait == 20s);
}

TEST_CASE("Retry-After is honoured within the bound", "[net][push]") {
  const push_options options;
  CHECK(judge({.status = 429, .failure = {}, .retry_after = 60s}, 0, 0.5, options).wait == 60s);
  CHECK(judge({.status = 503, .failure = {}, .retry_after = 24h}, 0, 0.5, options).wait
        == options.retry_max);
  CHECK(judge({.status = 503, .failure = {}, .retry_after = 0s}, 3, 0.5, options).wait
        == 8s); // Never sooner than without.
}

TEST_CASE("A turn ends after so many attempts, or after the time of one", "[net][push]") {
  push_options options;
  options.timeout = 15s;
  CHECK_FALSE(is_turn_over(0, 0s, options));
  CHECK_FALSE(is_turn_over(0, 1h, options)); // What took so long was no attempt.
  CHECK_FALSE(is_turn_over(turn_attempts_max - 1, 14s, options));
  CHECK(is_turn_over(turn_attempts_max, 0s, options));
  CHECK(is_turn_over(1, 15s, options));
}

TEST_CASE("A host that answers late is not prompt", "[net][push]") {
  push_options options;
  options.timeout = 16s;
  CHECK(is_prompt(4s, options));
  CHECK_FALSE(is_prompt(4001ms, options));
}
