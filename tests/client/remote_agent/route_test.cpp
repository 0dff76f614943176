// Where a call of `remote_agent` goes: section D of the contract, and the errors about targets and
// handles.
#include "tests/client/remote_agent/contract.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;
using remote_agent::find_route;
using remote_agent::handle_target;
using remote_agent::handles;

namespace {

constexpr timestamp start{std::chrono::hours{24 * 365 * 50}};
const std::string handle_one = "rah_00000000-0000-4000-8000-000000000001";

/// With the task `t1` of `support`, whose context is `c1`.
handles with_one(timestamp at = start) {
  handles out(24h, 10);
  out.keep(handle_target{"support",
                         "https://support.example/",
                         "/.well-known/agent-card.json",
                         {"JSONRPC", "HTTP+JSON"}},
           "t1", "c1", at, handle_one);
  return out;
}

remote_agent::outcome<remote_agent::route> way(const std::string& request,
                                               const remote_agent::settings& known = two_targets(),
                                               const handles& given = with_one(),
                                               timestamp now = start) {
  auto out = find_route(valid(request, known), known, given, now);
  if (out)
    out->to.known = nullptr; // of `known`, which ends with the test's expression
  return out;
}

std::string reason(const remote_agent::fault& why) {
  CHECK(why.code == "TARGET_RESOLUTION_ERROR");
  CHECK(found_at(why.details, "/suggested_action") == "list_targets");
  return found_at(why.details, "/reason");
}

/// Two aliases with one URL.
remote_agent::settings twins() {
  return settings_of(
      R"({"targets":[{"alias":"a","baseUrl":"https://x.example"},{"alias":"b","baseUrl":"https://X.example/"}]})");
}

} // namespace

TEST_CASE("remote-agent line 57: an alias goes before a URL, and a URL before the default",
          "[client][remote-agent]") {
  CHECK(way(a_send(R"(,"target_alias":"billing","target_url":"https://support.example")"))->to.alias
        == "billing");
  CHECK(way(a_send(R"(,"target_url":"https://billing.example/a")"))->to.alias == "billing");
  CHECK(way(a_send())->to.alias == "support");
}

TEST_CASE("remote-agent line 59: a URL is that of a target, unless the policy allows more",
          "[client][remote-agent]") {
  CHECK(way(a_send(R"(,"target_url":"HTTPS://SUPPORT.example:443")"))->to.alias == "support");
  const auto refused = way(a_send(R"(,"target_url":"https://else.example")"));
  CHECK(reason(refused.error()) == "raw_url_disallowed_by_policy");
  const auto open = two_targets(R"(,"policy":{"allowTargetUrlOverride":true})");
  const auto allowed = way(a_send(R"(,"target_url":"https://else.example")"), open);
  REQUIRE(allowed.has_value());
  CHECK(allowed->to.alias.empty());
  CHECK(allowed->to.target_url == "https://else.example/");
  CHECK(allowed->to.card_path == "/.well-known/agent-card.json");
}

TEST_CASE("remote-agent line 60: a URL that two targets share needs the alias",
          "[client][remote-agent]") {
  const auto refused = way(a_send(R"(,"target_url":"https://x.example")"), twins());
  CHECK(reason(refused.error()) == "ambiguous_normalized_url_matches");
  CHECK(found_at(refused.error().details, "/matching_aliases") == R"(["a","b"])");
  CHECK(found_at(refused.error().details, "/hint").find("target_alias") != std::string::npos);
  CHECK(way(a_send(R"(,"target_alias":"b")"), twins())->to.alias == "b");
}

TEST_CASE("remote-agent line 61: a continuation leads nowhere where target_url does not",
          "[client][remote-agent]") {
  const auto to = [](const std::string& url) {
    return R"({"action":"cancel","continuation":)" + a_continuation(url) + "}";
  };
  CHECK(way(to("https://support.example"))->to.alias == "support");
  const auto refused = way(to("http://169.254.169.254/latest"));
  CHECK(reason(refused.error()) == "raw_url_disallowed_by_policy");
  const auto open = two_targets(R"(,"policy":{"allowTargetUrlOverride":true})");
  CHECK(way(to("https://else.example"), open)->to.target_url == "https://else.example/");
  const auto trusting = two_targets(R"(,"policy":{"trustContinuations":true})");
  CHECK(way(to("https://else.example"), trusting)->to.target_url == "https://else.example/");
  CHECK(reason(way(a_send(R"(,"target_url":"https://else.example")"), trusting).error())
        == "raw_url_disallowed_by_policy");
  // What it says of a configured target's card does not count either.
  CHECK(way(to("https://support.example"))->to.card_path == "/.well-known/agent-card.json");
  // Nor does a handle that was given before the settings changed.
  handles old(24h, 10);
  old.keep(handle_target{"gone", "https://gone.example/", "/c", {"JSONRPC"}}, "t1", "c1", start,
           handle_one);
  CHECK(
      reason(way(R"({"action":"status","task_handle":")" + handle_one + R"("})", two_targets(), old)
                 .error())
      == "raw_url_disallowed_by_policy");
}

TEST_CASE("remote-agent line 62: what stands beside a handle must agree with it",
          "[client][remote-agent]") {
  const auto conflict = [](const std::string& request) {
    const auto done = way(request);
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code == "VALIDATION_ERROR");
    const auto details = done.error().details;
    return found_at(details, "/conflict/field") + " " + found_at(details, "/conflict/given") + " "
           + found_at(details, "/conflict/expected");
  };
  const auto with = [](const std::string& more) {
    return R"({"action":"status","task_handle":")" + handle_one + R"(")" + more + "}";
  };
  CHECK(way(with(R"(,"task_id":"t1","target_alias":"support")")).has_value());
  CHECK(conflict(with(R"(,"task_id":"t2")")) == "task_id t2 t1");
  CHECK(conflict(with(R"(,"target_alias":"billing")")) == "target_alias billing support");
  CHECK(conflict(with(R"(,"target_url":"https://billing.example/a")"))
        == "target_url https://billing.example/a https://support.example/");
  CHECK(conflict(a_send(R"(,"context_id":"c2","task_handle":")" + handle_one + R"(")"))
        == "context_id c2 c1");
  const auto nested = R"({"action":"status","continuation":)"
                      + a_continuation("https://billing.example/a", handle_one) + "}";
  CHECK(conflict(nested)
        == "continuation/target/target_url https://billing.example/a https://support.example/");
}

TEST_CASE("remote-agent line 63: a handle in a continuation that is expired or unknown is not "
          "needed",
          "[client][remote-agent]") {
  const auto request = R"({"action":"status","continuation":)"
                       + a_continuation("https://support.example/", handle_one) + "}";
  for (const auto& given : {with_one(), with_one(start - 48h), handles(24h, 10)}) {
    const auto done = way(request, two_targets(), given);
    REQUIRE(done.has_value());
    CHECK(done->task_id == "t1");
    CHECK(done->context_id == "c1");
    CHECK(done->to.alias == "support");
  }
}

TEST_CASE("remote-agent line 64: a flat handle that is expired or unknown is an error",
          "[client][remote-agent]") {
  const auto request =
      R"({"action":"status","task_id":"t1","task_handle":")" + handle_one + R"("})";
  CHECK(way(request, two_targets(), with_one(start - 48h)).error().code == "EXPIRED_TASK_HANDLE");
  CHECK(way(request, two_targets(), handles(24h, 10)).error().code == "UNKNOWN_TASK_HANDLE");
}

TEST_CASE("remote-agent line 65: a handle stands for its target and its context",
          "[client][remote-agent]") {
  const auto done =
      way(a_send(R"(,"task_handle":")" + handle_one + R"(")"), two_targets("", false));
  REQUIRE(done.has_value());
  CHECK(done->to.target_url == "https://support.example/");
  CHECK(done->task_id == "t1");
  CHECK(done->context_id == "c1");
  CHECK(way(a_send(R"(,"context_id":"c1","task_handle":")" + handle_one + R"(")")).has_value());
}

TEST_CASE("remote-agent line 104: an expired handle leads to its continuation",
          "[client][remote-agent]") {
  const auto why = way(R"({"action":"status","task_handle":")" + handle_one + R"("})",
                       two_targets(), with_one(start - 48h))
                       .error();
  CHECK(why.message == "task handle \"" + handle_one + "\" has expired");
  const auto& details = why.details;
  CHECK(found_at(details, "/taskHandle") == handle_one);
  CHECK(found_at(details, "/restartInvalidatesHandles") == "true");
  CHECK(found_at(details, "/suggested_actions") == R"(["status","send"])");
  CHECK(found_at(details, "/hint")
        == "Retry with the same nested continuation, or use flat target_alias + task_id only as "
           "manual compatibility.");
  CHECK(found_at(details, "/retryHint").find("same nested continuation") != std::string::npos);
  CHECK(found_at(details, "/expiresAt") == to_rfc3339(start - 24h));
  CHECK(found_at(details, "/task_id") == "t1");
  CHECK(found_at(details, "/context_id") == "c1");
  const auto again = R"({"action":"status","continuation":)"
                     + boost::json::serialize(details.at("continuation")) + "}";
  CHECK(way(again, two_targets(), with_one(start - 48h))->task_id == "t1");
}

TEST_CASE("remote-agent line 105: an unknown handle says what to do", "[client][remote-agent]") {
  const auto why = way(R"({"action":"status","task_handle":"rah_9"})").error();
  CHECK(why.code == "UNKNOWN_TASK_HANDLE");
  CHECK(found_at(why.details, "/taskHandle") == "rah_9");
  CHECK(found_at(why.details, "/retryHint") != "(none)");
  CHECK(found_at(why.details, "/restartInvalidatesHandles") == "true");
  CHECK(found_at(why.details, "/suggested_action") == "send");
}

TEST_CASE("remote-agent line 107: a target that is not found has a reason",
          "[client][remote-agent]") {
  const auto known = two_targets();
  CHECK(reason(remote_agent::find_alias("else", known).error()) == "unknown_alias");
  using remote_agent::url_source;
  const auto of_url = [](const std::string& url, const remote_agent::settings& all) {
    return reason(remote_agent::find_url(url, {}, url_source::request, all).error());
  };
  CHECK(of_url("nonsense", known) == "unknown_raw_url");
  CHECK(of_url("https://else.example", known) == "raw_url_disallowed_by_policy");
  CHECK(of_url("https://x.example", twins()) == "ambiguous_normalized_url_matches");
}
