#include "apps/remote/server_link.hpp"
#include "apps/remote/targets.hpp"
#include "protocol/text/http_url.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <map>

using namespace troupe;
using namespace troupe::testing;

namespace {

result<std::vector<known_target>> targets_of(const std::string& text) {
  const auto rows = read_target_rows(text, "c.toml");
  if (!rows)
    return rows.error();
  return targets_from(*rows, "c.toml");
}

std::string error_of(const std::string& text) {
  return targets_of(text).error().message;
}

variable_reader variables(std::map<std::string, std::string> all) {
  return [all = std::move(all)](const char* name) -> const char* {
    const auto found = all.find(name);
    return found == all.end() ? nullptr : found->second.c_str();
  };
}

} // namespace

TEST_CASE("targets stand beside the settings of a server", "[apps][remote]") {
  const auto all = targets_of(R"(listen = "127.0.0.1:1"
[[targets]]
alias = "a"
url = "https://a.example"
version = "0.3"
binding = "rest"
hosts = ["b.example"]
allow-http = true
bearer-env = "A"
[[targets]]
alias = "b"
url = "https://b.example"
)")
                       .value();
  REQUIRE(all.size() == 2);
  CHECK(all[0].to.version == wire::a2a_version::v0_3);
  CHECK(all[0].to.binding == wire::a2a_binding::rest);
  CHECK(all[0].to.hosts == std::vector<std::string>{"b.example"});
  CHECK(all[0].to.allow_http);
  CHECK(all[0].bearer_env == "A");
  serve_settings settings;
  CHECK(read_config(settings, "[[targets]]\nalias = \"a\"\n", "c.toml").has_value());
}

TEST_CASE("a target may say how many delegations it takes", "[apps][remote]") {
  const std::string plain = "[[targets]]\nalias = \"a\"\nurl = \"https://a.example\"\n";
  const auto all = targets_of(plain + "max-open = 20\nmax-rate = 0.5\n").value();
  CHECK(all.at(0).open_max == 20);
  CHECK(all.at(0).rate_max == 0.5);
  CHECK(targets_of(plain)->at(0).open_max == 0);
  CHECK(error_of(plain + "max-open = 0\n").find("\"max-open\" must be a number from 1")
        != std::string::npos);
  CHECK(error_of(plain + "max-rate = \"fast\"\n").find("\"max-rate\"") != std::string::npos);
}

TEST_CASE("a target that is wrong is refused with its line", "[apps][remote]") {
  CHECK(error_of("\n[[targets]]\nalias = \"a\"\n")
        == "c.toml:2: in [[targets]]: \"alias\" and \"url\" are needed");
  CHECK(error_of("[[targets]]\nalias = \"local\"\nurl = \"https://a\"\n")
        == "c.toml:1: in [[targets]]: \"local\" cannot be an alias");
  CHECK(error_of("[[targets]]\nurll = \"x\"\n")
        == "c.toml:1: in [[targets]]: unknown member \"urll\"; did you mean \"url\"?");
  CHECK(error_of("[[targets]]\nversion = \"2\"\n").find("must be \"1.0\" or \"0.3\"")
        != std::string::npos);
  CHECK(error_of("[targets]\na = 1\n") == "c.toml:1: \"targets\" must be tables: [[targets]]");
  CHECK(error_of("[[targets]]\nalias = 1\n").find("c.toml:2: \"alias\" must be") == 0);
  CHECK(error_of("[[target]]\nalias = \"a\"\n").find("unknown setting \"target\"")
        != std::string::npos);
  const std::string one = "[[targets]]\nalias = \"a\"\nurl = \"https://a\"\n";
  CHECK(error_of(one + one).find("c.toml:4: in [[targets]]: the alias \"a\" stands twice") == 0);
  CHECK(error_of(one + "card-key-id = \"k\"\n").find("\"card-key-id\" needs \"card-key-file\"")
        != std::string::npos);
  CHECK(error_of(one + "bearer-env = \"A\"\nbearer-file = \"f\"\n").find("not from both")
        != std::string::npos);
}

TEST_CASE("keys come from a file or a variable, and what no key has is refused", "[apps][remote]") {
  const temporary_directory where;
  known_target known;
  known.alias = "a";
  known.to.url = "https://a.example";
  known.bearer_env = "A";
  known.api_key_file = where.file("key", "k-1\n");
  const auto read = with_credentials(known, variables({{"A", "token "}})).value();
  CHECK(read.authentication.bearer == "token");
  CHECK(read.authentication.api_key == "k-1");
  CHECK(with_credentials(known, variables({})).error().message
        == "the target \"a\" has its key in the variable A, which is not set");
  CHECK(with_credentials(known, variables({{"A", "x\r\nHost: y"}})).error().code
        == errc::invalid_params);
  known.api_key_file = "~/none";
  CHECK(with_credentials(known, variables({{"A", "t"}, {"HOME", where.path().string()}}))
            .error()
            .message.find("the key of the target \"a\": " + where.path().string())
        == 0);
}

TEST_CASE("a target may have a user, or a client of OAuth, and a proxy", "[apps][remote]") {
  const std::string plain = "[[targets]]\nalias = \"a\"\nurl = \"https://a.example\"\n";
  const std::string user = "basic-user = \"me\"\nbasic-password-env = \"P\"\n";
  const std::string oauth = "oauth-token-url = \"https://t.example/token\"\n"
                            "oauth-client-id = \"me\"\noauth-client-secret-env = \"S\"\n";
  const auto one = targets_of(plain + user).value().at(0);
  const auto known = with_credentials(one, variables({{"P", "open sesame"}})).value();
  CHECK(known.authentication.basic_user == "me");
  CHECK(known.authentication.basic_password == "open sesame");
  const auto other = targets_of(plain + oauth + "oauth-scope = \"a b\"\nproxy = \"env\"\n"
                                + "origin = \"target\"\n")
                         .value()
                         .at(0);
  const auto token =
      with_credentials(other, variables({{"S", "secret"}, {"https_proxy", "p.example:1"}})).value();
  REQUIRE(token.authentication.oauth);
  CHECK(token.authentication.oauth->secret == "secret");
  CHECK(token.authentication.oauth->scope == "a b");
  CHECK(token.is_at_origin);
  REQUIRE(token.proxies.find(*parse_http_url("https://a.example")) != nullptr);
  CHECK(error_of(plain + user + oauth).find("exclude each other") != std::string::npos);
  CHECK(error_of(plain + "basic-user = \"me\"\n").find("belong together") != std::string::npos);
  CHECK(error_of(plain + "oauth-client-id = \"me\"\n").find("belong together")
        != std::string::npos);
  CHECK(error_of(plain + "origin = \"here\"\n").find("\"card\" or \"target\"")
        != std::string::npos);
  auto wrong = one;
  wrong.proxy = "socks5://p";
  CHECK(with_credentials(wrong, variables({{"P", "x"}})).error().message.find("the target \"a\"")
        == 0);
}

TEST_CASE("what a target's files hold is read again", "[apps][remote]") {
  const temporary_directory where;
  known_target known;
  known.alias = "a";
  known.to.url = "https://a.example";
  known.bearer_file = where.file("key", "first\n");
  const auto read = with_credentials(known, variables({})).value();
  CHECK(read.authentication.bearer == "first");
  static_cast<void>(where.file("key", "second\n"));
  CHECK(read.read_again()->authentication.bearer == "second");
}

TEST_CASE("a server is an alias, or a URL with the credentials of its target", "[apps][remote]") {
  const auto all = targets_of("[[targets]]\nalias = \"a\"\nurl = \"https://a.example/\"\n"
                              "bearer-env = \"A\"\n")
                       .value();
  const auto set = variables({{"A", "token"}});
  CHECK(find_server("a", all, set)->to.authentication.bearer == "token");
  CHECK(find_server("https://a.example", all, set)->name == "a");
  CHECK(find_server("https://a.example.evil", all, set)->to.authentication.bearer.empty());
  CHECK(find_server("b", all, set).error().message == "there is no target \"b\"; there are a");
  CHECK(find_server("https://", all, set).error().code == errc::invalid_params);
  CHECK(find_server("127.0.0.1:8080", all, set).error().message
        == "\"127.0.0.1:8080\" is no URL and no target; did you mean http://127.0.0.1:8080?");
  CHECK(find_server("localhost", all, set).error().message.ends_with("http://localhost?"));
}

TEST_CASE("an error says what to do about it", "[apps][remote]") {
  const auto said = [](errc code, const std::string& why) {
    return explained(make_error(code, why), "s");
  };
  CHECK(said(errc::unavailable, "no answer") == "s: no answer; is a server running there?");
  CHECK(said(errc::unavailable, "there is no agent card at u (HTTP status 500)")
        == "s: there is no agent card at u (HTTP status 500); the server is there, and its log may "
           "say why; try again later");
  CHECK(said(errc::input_claimed, "it is claimed; send it with \"override\": true")
        == "s: it is claimed; send it with --override");
}
