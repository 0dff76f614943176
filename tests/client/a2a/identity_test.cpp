// How a client proves who it is, and what it does when that is refused.
#include "client/a2a/access_token.hpp"
#include "tests/client/a2a/client_bed.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::a2a;
using namespace troupe::testing;

namespace {

net::outbound_answer token_answer(unsigned status, std::string body) {
  net::outbound_answer out;
  out.status = status;
  out.body = std::move(body);
  return out;
}

const std::string refused = answer_text(401, "WWW-Authenticate: Bearer\r\n");

} // namespace

TEST_CASE("a user and a password are sent as RFC 7617 has it", "[client][a2a][credentials]") {
  a2a_client_bed bed([](target& to) {
    to.authentication.basic_user = "Aladdin";
    to.authentication.basic_password = "open sesame";
  });
  bed.server.script({bed.card_text()});
  REQUIRE(bed.card().has_value());
  CHECK(bed.server.received().front().header("authorization")
        == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST_CASE("a token is asked for with the client's own credentials", "[client][a2a][credentials]") {
  const auto request = token_request({"https://t.example", "a:b", "s c", "one two"});
  CHECK(request.method == "POST");
  CHECK(request.body == "grant_type=client_credentials&scope=one+two");
  CHECK(request.headers.front().second == "Basic YSUzQWI6cytj"); // a%3Ab:s+c
}

TEST_CASE("a token holds until shortly before its end", "[client][a2a][credentials]") {
  const time_source::steady_point now{};
  const auto read = [&](std::string body) { return read_token(token_answer(200, body), now); };
  CHECK(read(R"({"access_token":"t","token_type":"bearer","expires_in":600})")->until
        == now + 570s);
  CHECK(read(R"({"access_token":"t","expires_in":60})")->until == now + 54s);
  CHECK(read(R"({"access_token":"t"})")->until > now + 1h - 1min);
  CHECK(read(R"({"access_token":"t","expires_in":-5})")->until == now);
  CHECK(read(R"({"access_token":"t","expires_in":1e300})")->until <= now + 24h);
  CHECK(read(R"({"access_token":"t","token_type":"mac"})").error().code
        == errc::invalid_agent_response);
  CHECK(read(R"({"access_token":"a\r\nb"})").error().code == errc::invalid_agent_response);
  CHECK(read("<html>").error().code == errc::invalid_agent_response);
  const auto no = read_token(
      token_answer(400, R"({"error":"invalid_client","error_description":"who?"})"), now);
  CHECK(no.error().code == errc::unauthenticated);
  CHECK(no.error().message == "the token server answered 400: invalid_client: who?");
  CHECK(read_token(token_answer(503, ""), now).error().code == errc::unavailable);
}

TEST_CASE("a token is fetched once, and again when it ends or is refused",
          "[client][a2a][credentials]") {
  push_receiver tokens;
  const auto token = [](const std::string& text) {
    return answer_text(200, {}, R"({"access_token":")" + text + R"(","expires_in":600})");
  };
  tokens.script(
      {token("token-one"), token("token-two"), token("token-three"), token("token-four")});
  a2a_client_bed bed([&](target& to) {
    to.authentication.oauth = oauth_client{tokens.url("/token"), "me", "secret-words", {}};
  });
  bed.server.script(
      {bed.card_text(), rpc_task(), rpc_task(), refused, rpc_task(), refused, refused});
  REQUIRE(bed.get_task().has_value());
  CHECK(tokens.received().size() == 1);
  CHECK(bed.server.received()[1].header("authorization") == "Bearer token-one");
  bed.time.pass(571s);
  REQUIRE(bed.get_task().has_value());
  CHECK(bed.server.received()[2].header("authorization") == "Bearer token-two");
  REQUIRE(bed.get_task().has_value()); // refused, and asked again with a new one
  CHECK(bed.server.received()[4].header("authorization") == "Bearer token-three");
  const auto last = bed.get_task(); // once only
  REQUIRE(last.has_error());
  CHECK(last.error().code == errc::unauthenticated);
  CHECK(bed.server.received().size() == 7);
  CHECK(tokens.received().size() == 4);
}

TEST_CASE("credentials are read again when they have changed, and when they are refused",
          "[client][a2a][credentials]") {
  std::string file = "first-token";
  int reads = 0;
  const auto read = [&]() -> result<target> {
    ++reads;
    if (file.empty())
      return make_error(errc::unavailable, "no file");
    target out;
    out.authentication.bearer = file;
    return out;
  };
  a2a_client_bed bed([&](target& to) {
    to.authentication.bearer = file;
    to.read_again = read;
  });
  bed.server.script(
      {bed.card_text(), rpc_task(), rpc_task(), rpc_task(), refused, rpc_task(), refused});
  REQUIRE(bed.get_task().has_value());
  CHECK(reads == 0); // just made
  file = "second-token";
  REQUIRE(bed.get_task().has_value());
  CHECK(bed.server.received().back().header("authorization") == "Bearer first-token");
  bed.time.pass(1s);
  REQUIRE(bed.get_task().has_value());
  CHECK(bed.server.received().back().header("authorization") == "Bearer second-token");
  file = "third-token";
  REQUIRE(bed.get_task().has_value()); // within the second, but it is refused
  CHECK(bed.server.received().back().header("authorization") == "Bearer third-token");
  file = {}; // it is written at this moment: what is known stays
  bed.time.pass(1s);
  CHECK(bed.get_task().error().code == errc::unauthenticated);
  CHECK(bed.server.received().size() == 7);
}

TEST_CASE("what a server repeats of credentials is shown nowhere", "[client][a2a][credentials]") {
  const auto in_words = [](a2a_client_bed& bed) {
    const auto last = bed.get_task();
    REQUIRE(last.has_error());
    return last.error().message + last.error().details;
  };
  SECTION("in a redirect") {
    a2a_client_bed bed([](target& to) { to.authentication.bearer = "tok-SECRET-1"; });
    bed.server.script({answer_text(302, "Location: /login?from=tok-SECRET-1\r\n"), refused});
    const auto words = in_words(bed);
    CHECK(words.find("/login?from=***") != std::string::npos);
    CHECK(words.find("SECRET") == std::string::npos);
  }
  SECTION("in the words of the token server") {
    push_receiver tokens;
    const std::string pair = "bWU6c2VjcmV0JTJGd29yZHM="; // me:secret%2Fwords
    tokens.script({answer_text(400, {},
                               R"({"error":"no","error_description":"Basic )" + pair
                                   + R"( secret\/words secret%2Fwords"})")});
    a2a_client_bed bed([&](target& to) {
      to.authentication.oauth = oauth_client{tokens.url("/token"), "me", "secret/words", {}};
    });
    CHECK_THAT(in_words(bed), ContainsSubstring("Basic *** *** ***"));
  }
  SECTION("of a token that was replaced") {
    std::string file = "first-token";
    a2a_client_bed bed([&](target& to) {
      to.authentication.bearer = file;
      to.read_again = [&]() -> result<target> {
        target out;
        out.authentication.bearer = file;
        return out;
      };
    });
    bed.server.script(
        {bed.card_text(), rpc_task(),
         answer_text(
             200, {},
             R"({"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"not first-token"}})")});
    REQUIRE(bed.get_task().has_value());
    file = "second-token";
    bed.time.pass(1s);
    CHECK(in_words(bed).find("first-token") == std::string::npos);
  }
}
