// The settings of `remote_agent`: section A of the contract.
#include "tests/client/remote_agent/contract.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;
using remote_agent::spelling;

namespace {

std::string with_target(const std::string& members) {
  return R"({"targets":[{"alias":"a","baseUrl":"https://a.example")" + members + "}]}";
}

} // namespace

TEST_CASE("remote-agent line 1: settings that say nothing about it enable the tool",
          "[client][remote-agent]") {
  CHECK(settings_of("{}").enabled);
  CHECK_FALSE(settings_of(R"({"enabled":false})").enabled);
  CHECK(settings_error(R"({"enabled":"yes"})").field == "enabled");
}

TEST_CASE("remote-agent line 2: a call lasts two minutes unless the settings say otherwise",
          "[client][remote-agent]") {
  CHECK(settings_of("{}").timeout == 120s);
  CHECK(settings_of(R"({"defaults":{"timeoutMs":5}})").timeout == 5ms);
  for (const auto* wrong : {"0", "-1", "1.5", "\"5\""})
    CHECK(settings_error(R"({"defaults":{"timeoutMs":)" + std::string(wrong) + "}}").field
          == "defaults.timeoutMs");
}

TEST_CASE("remote-agent line 3: the card has its usual path", "[client][remote-agent]") {
  CHECK(settings_of("{}").card_path == "/.well-known/agent-card.json");
  CHECK(settings_of(R"({"defaults":{"cardPath":"/card"}})").card_path == "/card");
}

TEST_CASE("remote-agent line 4: JSON-RPC is preferred, then REST", "[client][remote-agent]") {
  CHECK(settings_of("{}").preferred_transports == texts{"JSONRPC", "HTTP+JSON"});
  CHECK(settings_of(R"({"defaults":{"preferredTransports":["HTTP+JSON"]}})").preferred_transports
        == texts{"HTTP+JSON"});
}

TEST_CASE("remote-agent line 5: service parameters are texts", "[client][remote-agent]") {
  CHECK(settings_of("{}").service_parameters.empty());
  const auto read = settings_of(R"({"defaults":{"serviceParameters":{"X-Team":"blue"}}})");
  REQUIRE(read.service_parameters.size() == 1);
  CHECK(read.service_parameters[0].first == "X-Team");
  CHECK(settings_error(R"({"defaults":{"serviceParameters":{"X-Team":1}}})").field
        == "defaults.serviceParameters.X-Team");
}

TEST_CASE("remote-agent line 6: a target needs alias and base URL", "[client][remote-agent]") {
  CHECK(settings_error(R"({"targets":[{"baseUrl":"https://a.example"}]})").field
        == "targets[0].alias");
  CHECK(settings_error(R"({"targets":[{"alias":"a"}]})").field == "targets[0].baseUrl");
}

TEST_CASE("remote-agent line 7: alias and base URL are trimmed, and not empty",
          "[client][remote-agent]") {
  const auto read =
      settings_of(R"({"targets":[{"alias":" a\n","baseUrl":" https://a.example "}]})");
  CHECK(read.targets[0].alias == "a");
  CHECK(read.targets[0].base_url == "https://a.example/");
  CHECK(settings_error(R"({"targets":[{"alias":"  ","baseUrl":"https://a.example"}]})").field
        == "targets[0].alias");
}

TEST_CASE("remote-agent line 8: an alias that stands twice is refused by name",
          "[client][remote-agent]") {
  const auto why = settings_error(
      R"({"targets":[{"alias":"a","baseUrl":"https://a.example"},{"alias":"a ","baseUrl":"https://b.example"}]})");
  CHECK(why.field == "targets[1].alias");
  CHECK(why.message.find("\"a\"") != std::string::npos);
}

TEST_CASE("remote-agent line 9: two defaults are refused, and both are named",
          "[client][remote-agent]") {
  const auto why = settings_error(
      R"({"targets":[{"alias":"a","baseUrl":"https://a.example","default":true},{"alias":"b","baseUrl":"https://b.example","default":true}]})");
  CHECK(why.message.find("\"a\"") != std::string::npos);
  CHECK(why.message.find("\"b\"") != std::string::npos);
}

TEST_CASE("remote-agent line 10: a target may have description, tags, examples, and be the default",
          "[client][remote-agent]") {
  const auto bare = settings_of(with_target("")).targets.at(0);
  CHECK(bare.description.empty());
  CHECK_FALSE(bare.is_default);
  const auto full =
      settings_of(with_target(R"(,"description":"d","tags":["x"],"examples":["e"],"default":true)"))
          .targets.at(0);
  CHECK(full.description == "d");
  CHECK(full.tags == texts{"x"});
  CHECK(full.examples == texts{"e"});
  CHECK(full.is_default);
}

TEST_CASE("remote-agent line 11: a target may override card path and transports",
          "[client][remote-agent]") {
  const auto usual = settings_of(with_target("")).targets.at(0);
  CHECK(usual.card_path == "/.well-known/agent-card.json");
  CHECK(usual.how.card_path.empty()); // looked up below the base URL, in its usual places
  const auto own =
      settings_of(with_target(R"(,"cardPath":"/card","preferredTransports":["HTTP+JSON"])"))
          .targets.at(0);
  CHECK(own.how.card_path == "/card");
  CHECK(own.how.preferred == std::vector{wire::a2a_binding::rest});
}

TEST_CASE("remote-agent line 12: a handle lives a day", "[client][remote-agent]") {
  CHECK(settings_of("{}").handle_ttl == 24h);
  CHECK(settings_of(R"({"taskHandles":{"ttlMs":7}})").handle_ttl == 7ms);
}

TEST_CASE("remote-agent line 13: there are a thousand handles", "[client][remote-agent]") {
  CHECK(settings_of("{}").handles_max == 1000);
  CHECK(settings_of(R"({"taskHandles":{"maxEntries":7}})").handles_max == 7);
  CHECK(settings_error(R"({"taskHandles":{"maxEntries":0}})").field == "taskHandles.maxEntries");
}

TEST_CASE("remote-agent line 14: any output mode is accepted", "[client][remote-agent]") {
  CHECK(settings_of("{}").accepted_output_modes.empty());
  CHECK(settings_of(R"({"policy":{"acceptedOutputModes":["text/plain"]}})").accepted_output_modes
        == texts{"text/plain"});
}

TEST_CASE("remote-agent line 15: spellings of one URL meet in its normal form",
          "[client][remote-agent]") {
  const auto normal = [](const std::string& url) {
    return settings_of(R"({"targets":[{"alias":"a","baseUrl":")" + url + R"("}]})")
        .targets.at(0)
        .base_url;
  };
  CHECK(normal("https://support.example") == "https://support.example/");
  CHECK(normal("HTTPS://Support.Example:443/") == "https://support.example/");
  CHECK(normal("https://support.example/#top") == "https://support.example/");
  CHECK(normal("https://support.example/a/../b/./c") == "https://support.example/b/c");
  CHECK(normal("https://support.example/a/%2E%2e/") == "https://support.example/");
  CHECK(normal("https://support.example/a/..") == "https://support.example/");
  CHECK(normal("http://support.example:8080/a") == "http://support.example:8080/a");
  CHECK(normal("http://[0:0:0:0:0:0:0:1]/") == "http://[::1]/");
  CHECK(normal("https://support.example?x=1") == "https://support.example/?x=1");
  const auto kept = settings_of(
      R"({"targets":[{"alias":"a","baseUrl":"https://a.example"}],"policy":{"normalizeBaseUrl":false}})");
  CHECK(kept.targets.at(0).base_url == "https://a.example");
  CHECK(settings_error(R"({"targets":[{"alias":"a","baseUrl":"ftp://a.example"}]})").field
        == "targets[0].baseUrl");
}

TEST_CASE("remote-agent line 16: a transport that this build cannot speak is refused, or skipped",
          "[client][remote-agent]") {
  const std::string grpc = R"("defaults":{"preferredTransports":["GRPC","HTTP+JSON"]})";
  const auto why = settings_error("{" + grpc + "}");
  CHECK(why.field == "defaults.preferredTransports");
  CHECK(why.message.find("\"GRPC\"") != std::string::npos);
  const auto skipped = settings_of("{" + grpc
                                   + R"(,"targets":[{"alias":"a","baseUrl":"https://a.example"}],)"
                                     R"("policy":{"enforceSupportedTransports":false}})");
  CHECK(skipped.targets.at(0).how.preferred == std::vector{wire::a2a_binding::rest});
  CHECK(settings_error(with_target(R"(,"preferredTransports":["GRPC"])")).field
        == "targets[0].preferredTransports");
}

TEST_CASE("remote-agent line 17: no other URL than those of the targets is allowed",
          "[client][remote-agent]") {
  CHECK_FALSE(settings_of("{}").allows_any_url);
  CHECK(settings_of(R"({"policy":{"allowTargetUrlOverride":true}})").allows_any_url);
  CHECK_FALSE(settings_of("{}").trusts_continuations);
}

TEST_CASE("remote-agent line 18: the document is read in both spellings, and unknown keys are "
          "refused with their path",
          "[client][remote-agent]") {
  const auto kebab = remote_agent::read_settings(
      tree(R"({"task-handles":{"ttl-ms":5},"policy":{"allow-target-url-override":true}})")
          .as_object(),
      spelling::kebab);
  REQUIRE(kebab.has_value());
  CHECK(kebab->handle_ttl == 5ms);
  CHECK(kebab->allows_any_url);
  const auto why = settings_error(R"({"policy":{"allowTargetUrlOveride":true}})");
  CHECK(why.field == "policy.allowTargetUrlOveride");
  CHECK(why.message.find("did you mean \"allowTargetUrlOverride\"?") != std::string::npos);
  CHECK(settings_error(with_target(R"(,"url":"x")")).field == "targets[0].url");
  const auto other = remote_agent::read_settings(tree(R"({"taskHandles":{"ttlMs":5}})").as_object(),
                                                 spelling::kebab);
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().field == "taskHandles");
}

TEST_CASE("remote-agent line 19: a document names where credentials are, and has none itself",
          "[client][remote-agent]") {
  const auto read = settings_of(with_target(
      R"(,"auth":{"bearerEnv":"TOKEN","apiKeyFile":"k","apiKeyHeader":"X-Key","certificateFile":"c.pem","keyFile":"k.pem"})"));
  const auto& names = read.targets.at(0).names;
  CHECK(names.bearer_env == "TOKEN");
  CHECK(names.api_key_file == "k");
  CHECK(names.api_key_header == "X-Key");
  CHECK(names.certificate_file == "c.pem");
  CHECK(names.key_file == "k.pem");
  CHECK(settings_error(with_target(R"(,"auth":{"bearer":"secret"})")).field
        == "targets[0].auth.bearer");
}
