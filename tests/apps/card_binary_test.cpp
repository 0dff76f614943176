// `troupe card` and a signed card as the real binary serves it. Keys are made with the openssl that
// the documents name, if it is there.
#include "tests/apps/desk.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

using namespace troupe::testing;

namespace {

/// As docs/agent-card.md says. False if there is no openssl.
bool make_keys(const std::string& directory) {
  const std::string command =
      "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem && "
      "openssl pkey -in key.pem -pubout -out key.pub.pem";
  return run_program({"/bin/sh", "-c", "cd '" + directory + "' && " + command}).code == 0;
}

} // namespace

TEST_CASE("troupe card prints the card that would be served", "[apps][binary]") {
  const temporary_directory place;
  const auto config =
      place.file("troupe.toml",
                 "listen = \"127.0.0.1:8123\"\n[card]\nname = \"Bakery\"\ndefault = \"pure10\"\n"
                 "[[card.skill]]\nid = \"bread\"\ndescription = \"Bakes.\"\n");
  const auto plain = run_program({troupe_binary(), "card", "--config", config});
  REQUIRE(plain.code == 0);
  const auto card = boost::json::parse(plain.out).as_object();
  CHECK(card.at("name") == "Bakery");
  CHECK(card.at("skills").at(0).at("id") == "bread");
  CHECK(card.at("supportedInterfaces").at(0).at("url") == "http://127.0.0.1:8123/");
  CHECK_FALSE(card.contains("protocolVersion"));
  CHECK(run_program({troupe_binary(), "card", "--config", config, "--pure10"}).out == plain.out);
  const auto both = run_program({troupe_binary(), "card", "--config", config, "--superset"});
  CHECK(boost::json::parse(both.out).at("protocolVersion") == "0.3.0");
  CHECK(run_program({troupe_binary(), "card"}).code == 0);
}

TEST_CASE("troupe card says what is wrong with a card or with its own flags", "[apps][binary]") {
  const temporary_directory place;
  const auto config = place.file("troupe.toml", "[card.signing]\nkey = \"" + (place / "gone.pem")
                                                    + "\"\nkid = \"k\"\n");
  const auto gone = run_program({troupe_binary(), "card", "--config", config});
  CHECK(gone.code == 2);
  CHECK_THAT(gone.err, ContainsSubstring("gone.pem: cannot be read"));
  CHECK(run_program({troupe_binary(), "serve", "--config", config}).code == 2);
  CHECK(run_program({troupe_binary(), "card", "--pure10", "--superset"}).code == 2);
  const auto no_url = run_program({troupe_binary(), "serve", "--public-url", "agents.example"});
  CHECK(no_url.code == 2);
  CHECK_THAT(no_url.err, ContainsSubstring("--public-url"));
  for (const auto& [url, why] :
       {std::pair{"http://0.0.0.0:80", "0.0.0.0 is no address for clients"},
        std::pair{"http://[::]:80/", ":: is no address for clients"},
        std::pair{"https://a.example/?a=b", "has a query"},
        std::pair{"https://a.example/agents/v1/", "ends with /v1"}}) {
    const auto refused = run_program({troupe_binary(), "serve", "--store", "memory", "--listen",
                                      "127.0.0.1:0", "--public-url", url});
    CHECK(refused.code != 0);
    CHECK_THAT(refused.err, ContainsSubstring(why));
  }
  CHECK(run_program({troupe_binary(), "card", "--verify", "-"}).code == 2);
  CHECK(run_program({troupe_binary(), "card", "--key", config}).code == 2);
  CHECK(run_program({troupe_binary(), "card", "--verify", "-", "--key", config}, "{}").code == 2);
}

TEST_CASE("a printed card verifies with the key it was signed with", "[apps][binary]") {
  const temporary_directory place;
  if (!make_keys(place.path())) {
    WARN("skipped: no openssl command here");
    return;
  }
  const auto config =
      place.file("troupe.toml", "[card.signing]\nkey = \"" + (place / "key.pem")
                                    + "\"\nkid = \"k\"\npython-compatible = true\n");
  const auto printed = run_program({troupe_binary(), "card", "--config", config});
  REQUIRE(printed.code == 0);
  const auto verified = [&](const std::string& card, std::vector<std::string> more = {}) {
    std::vector<std::string> words{troupe_binary(),      "card", "--verify", "-", "--key",
                                   place / "key.pub.pem"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, card);
  };
  CHECK(verified(printed.out).code == 0);
  CHECK(verified(printed.out).out == "valid: the card is signed with this key\n");
  CHECK(verified(printed.out, {"--kid", "k"}).code == 0);
  CHECK(verified(printed.out, {"--kid", "other"}).code == 1);
  auto changed = printed.out;
  changed.replace(changed.find("Troupe"), 6, "Troops");
  const auto refused = verified(changed);
  CHECK(refused.code == 1);
  CHECK_THAT(refused.err, ContainsSubstring("not by this key over this card"));
}

TEST_CASE("a target with a key is asked only if its card is signed with it", "[apps][binary]") {
  const temporary_directory signer;
  const temporary_directory other;
  if (!make_keys(signer.path()) || !make_keys(other.path())) {
    WARN("skipped: no openssl command here");
    return;
  }
  const auto config = signer.file("troupe.toml", "[card.signing]\nkey = \"" + (signer / "key.pem")
                                                     + "\"\nkid = \"k\"\n");
  const served with({"--store", "memory", "--config", config});
  const served without({"--store", "memory"});
  const auto target = [&](const std::string& alias, const served& at, const std::string& key,
                          const std::string& more = {}) {
    return "[[targets]]\nalias = \"" + alias + "\"\nurl = \"" + url_of(at) + "/" + alias
           + "\"\ncard-path = \"/.well-known/agent-card.json\"\ncard-key-file = \"" + key + "\"\n"
           + more;
  };
  desk me;
  me.configure(target("good", with, signer / "key.pub.pem", "card-key-id = \"k\"\n")
               + target("strange", with, other / "key.pub.pem")
               + target("renamed", with, signer / "key.pub.pem", "card-key-id = \"x\"\n")
               + target("plain", without, signer / "key.pub.pem")
               + target("gone", with, signer / "gone.pem"));
  const auto sent = me.run({"send", "--server", "good", "hello"});
  CHECK(sent.code == 0);
  CHECK(contains(sent.out, "hello"));
  for (const auto* refused : {"strange", "renamed", "plain"}) {
    CAPTURE(refused);
    const auto said = me.run({"send", "--server", refused, "hello"});
    CHECK(said.code == 1);
    CHECK(contains(said.err, "is not believed: "));
  }
  CHECK(at(with.ask("ListTasks", "{}"), "/totalSize") == "1");
  CHECK(at(without.ask("ListTasks", "{}"), "/totalSize") == "0");
  const auto gone = me.run({"send", "--server", "gone", "hello"});
  CHECK(gone.code == 2);
  CHECK(contains(gone.err, "the card's key of the target \"gone\": "));
}
