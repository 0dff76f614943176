#include "protocol/a2a/codec_agent_card.hpp"
#include "protocol/json/base64.hpp"
#include "tests/net/test_keys.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"
#include <troupe/net/card_signature.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace json = boost::json;
using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

agent_card some_card() {
  agent_card card;
  card.name = "Baker";
  card.description = "Bakes, \xC3\xA9tage by \xC3\xA9tage.";
  card.version = "1";
  card.interfaces = {{"https://bake.example/", "JSONRPC", "1.0", {}},
                     {"https://bake.example/", "JSONRPC", "0.3", {}}};
  card.capabilities.streaming = true;
  card.capabilities.extensions = {{"urn:example:x", {}, false, {{"most", 20}}}};
  card.input_modes = {"text/plain"};
  card.output_modes = {"text/plain"};
  card.skills = {{"bread", "Bread", "", {"bread"}, {}, {}, {}, {}}};
  return card;
}

struct signed_card {
  key_pair keys;
  agent_card card = some_card();

  explicit signed_card(std::initializer_list<card_form> forms = {card_form::standard},
                       key_pair with = make_key_pair())
      : keys(std::move(with)) {
    const auto key = signing_key::from_pem(keys.private_pem).value();
    for (const auto form : forms)
      card.signatures.push_back(sign_card(card_to_json(card, card_shape::pure_1_0), key,
                                          {"key-1", "https://bake.example/keys"}, form)
                                    .value());
  }

  [[nodiscard]] json::object tree(card_shape shape = card_shape::pure_1_0) const {
    return card_to_json(card, shape);
  }
  [[nodiscard]] verifying_key key() const {
    return verifying_key::from_pem(keys.public_pem).value();
  }
  [[nodiscard]] result<void> verify(const json::object& object) const {
    return verify_card(json::serialize(object), key());
  }
};

/// The first signature with another protected header.
json::object with_header(const signed_card& from, std::string_view header) {
  auto tree = from.tree();
  tree["signatures"].get_array()[0].get_object()["protected"] = to_base64url(header);
  return tree;
}

} // namespace

TEST_CASE("the example of RFC 7515 appendix A.3 verifies", "[net][keys]") {
  // The public key's coordinates behind the fixed head of a P-256 SubjectPublicKeyInfo.
  std::string der("\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d"
                  "\x03\x01\x07\x03\x42\x00\x04",
                  27);
  der += from_base64("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU").value();
  der += from_base64("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0").value();
  const auto key = verifying_key::from_pem("-----BEGIN PUBLIC KEY-----\n" + to_base64(der)
                                           + "\n-----END PUBLIC KEY-----\n")
                       .value();
  const std::string bytes = "eyJhbGciOiJFUzI1NiJ9."
                            "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLm"
                            "NvbS9pc19yb290Ijp0cnVlfQ";
  const auto signature =
      from_base64(
          "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
          .value();
  CHECK(key.verify(bytes, signature));
  CHECK_FALSE(key.verify(bytes + " ", signature));
  auto changed = signature;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  CHECK_FALSE(key.verify(bytes, changed));
  CHECK_FALSE(key.verify(bytes, signature + '\0'));
  CHECK_FALSE(key.verify(bytes, ""));
  CHECK_FALSE(key.verify(bytes, std::string(64, '\0')));
  CHECK_FALSE(key.verify(bytes, std::string(64, '\xff')));
}

TEST_CASE("SHA-256 is that of FIPS 180-4", "[net][keys]") {
  const auto hash = sha256("abc");
  CHECK(to_base64({static_cast<const char*>(static_cast<const void*>(hash.data())), hash.size()})
        == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  CHECK(equal_in_constant_time(hash, sha256("abc")));
  CHECK_FALSE(equal_in_constant_time(hash, sha256("abd")));
}

TEST_CASE("a signature verifies with its public key and with no other", "[net][keys]") {
  const auto keys = make_key_pair();
  const auto key = signing_key::from_pem(keys.private_pem).value();
  for (int round = 0; round < 300; ++round) { // r or s begins with a zero byte now and then
    const auto text = std::to_string(round);
    const auto signature = key.sign(text).value();
    REQUIRE(signature.size() == 64);
    REQUIRE(key.public_side().verify(text, signature));
    REQUIRE(verifying_key::from_pem(keys.public_pem).value().verify(text, signature));
    REQUIRE_FALSE(key.public_side().verify(text + "0", signature));
  }
  CHECK_FALSE(verifying_key::from_pem(make_key_pair().public_pem)
                  .value()
                  .verify("x", key.sign("x").value()));
}

TEST_CASE("a key of another kind is refused with how to make one", "[net][keys]") {
  const auto keys = make_key_pair();
  const auto other = make_key_pair("P-384");
  for (const auto& pem :
       {std::string{},
        std::string{"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"},
        other.private_pem, keys.public_pem, keys.private_pem.substr(0, 100)}) {
    const auto key = signing_key::from_pem(pem);
    REQUIRE(key.has_error());
    CHECK(key.error().code == errc::invalid_params);
    CHECK_THAT(key.error().message, ContainsSubstring("openssl genpkey"));
  }
  CHECK(verifying_key::from_pem(keys.private_pem).has_error());
  CHECK(verifying_key::from_pem(other.public_pem).has_error());
  const temporary_directory directory;
  const auto file = directory.file("key.pem", keys.private_pem);
  CHECK(signing_key::from_file(file).has_value());
  CHECK(signing_key::from_file(file + ".gone").error().code == errc::unavailable);
  CHECK(signing_key::from_file("/").has_error());
}

TEST_CASE("a signed card verifies in its pure and in its superset shape", "[net][card_signature]") {
  const signed_card card;
  CHECK(card.verify(card.tree()).has_value());
  CHECK(card.verify(card.tree(card_shape::superset)).has_value());
  CHECK(
      card.verify(card_to_json(card.card, card_shape::pure_0_3)).has_error()); // has no signatures
}

TEST_CASE("the protected header says algorithm, type and key", "[net][card_signature]") {
  const signed_card card;
  const auto& signature = card.card.signatures.at(0);
  CHECK(from_base64(signature.protected_header).value()
        == R"({"alg":"ES256","typ":"JOSE","kid":"key-1","jku":"https://bake.example/keys"})");
  CHECK(signature.protected_header.find_first_of("+/=") == std::string::npos);
  CHECK(signature.signature.size() == 86);
}

TEST_CASE("each of the forms that others sign verifies", "[net][card_signature]") {
  const auto form = GENERATE(card_form::standard, card_form::stripped, card_form::python);
  const signed_card card{form};
  CHECK(card.verify(card.tree()).has_value());
  const signed_card both{card_form::standard, card_form::python};
  CHECK(both.verify(both.tree()).has_value());
  CHECK(both.tree()["signatures"].as_array().size() == 2);
}

TEST_CASE("RSA and Ed25519 keys sign and verify with their own algorithms",
          "[net][card_signature]") {
  const signed_card rsa({card_form::standard}, make_rsa_key_pair());
  const signed_card edwards({card_form::standard}, make_ed25519_key_pair());
  CHECK(from_base64(rsa.card.signatures.at(0).protected_header)
            .value()
            .starts_with(R"({"alg":"RS256",)"));
  CHECK(from_base64(edwards.card.signatures.at(0).protected_header)
            .value()
            .starts_with(R"({"alg":"EdDSA",)"));
  for (const auto* card : {&rsa, &edwards}) {
    CHECK(card->verify(card->tree()).has_value());
    auto changed = card->tree();
    changed["name"] = "Butcher";
    CHECK(card->verify(changed).has_error());
  }
  // The header does not choose what a key is used for.
  const auto why = verify_card(json::serialize(rsa.tree()), edwards.key()).error().message;
  CHECK_THAT(why, ContainsSubstring("\"RS256\", not EdDSA"));
  CHECK(verifying_key::from_pem(make_rsa_key_pair(1024).public_pem).has_error());
}

TEST_CASE("a card that was changed anywhere does not verify", "[net][card_signature]") {
  const signed_card card;
  const auto change = [&](auto how) {
    auto tree = card.tree(card_shape::superset);
    how(tree);
    return card.verify(tree).has_error();
  };
  CHECK(change([](json::object& tree) { tree["name"] = "Butcher"; }));
  CHECK(change([](json::object& tree) {
    tree["supportedInterfaces"].get_array()[0].get_object()["url"] = "https://evil.example/";
  }));
  CHECK(change([](json::object& tree) { tree["supportedInterfaces"].get_array().pop_back(); }));
  CHECK(change([](json::object& tree) {
    std::swap(tree["supportedInterfaces"].get_array()[0],
              tree["supportedInterfaces"].get_array()[1]);
  }));
  CHECK(change([](json::object& tree) { tree["capabilities"].get_object()["streaming"] = false; }));
  CHECK(change([](json::object& tree) { tree["capabilities"].get_object().erase("streaming"); }));
  CHECK(change([](json::object& tree) {
    tree["capabilities"]
        .get_object()["extensions"]
        .get_array()[0]
        .get_object()["params"]
        .get_object()["most"] = 21;
  }));
  CHECK(change([](json::object& tree) { tree["skills"].get_array().clear(); }));
  CHECK(change([](json::object& tree) { tree["iconUrl"] = "https://evil.example/"; }));
  CHECK(change([](json::object& tree) {
    tree["provider"] = json::object{{"organization", "E"}, {"url", "https://evil.example/"}};
  }));
  CHECK(change([](json::object& tree) {
    tree["securitySchemes"] = json::parse(R"({"m":{"mtlsSecurityScheme":{}}})");
  }));
  // What the 1.0 schema does not know is not signed: a reader of 1.0 never looks at it.
  CHECK_FALSE(change([](json::object& tree) { tree["x-vendor"] = true; }));
  CHECK_FALSE(change([](json::object& tree) { tree["documentationUrl"] = nullptr; }));
}

TEST_CASE("another key, another key's name and no signature give different errors",
          "[net][card_signature]") {
  const signed_card card;
  const auto text = json::serialize(card.tree());
  CHECK(verify_card(text, card.key(), "key-1").has_value());
  const auto other_name = verify_card(text, card.key(), "key-2");
  CHECK_THAT(other_name.error().message, ContainsSubstring("another key, \"key-1\""));
  const auto other_key =
      verify_card(text, verifying_key::from_pem(make_key_pair().public_pem).value());
  CHECK(other_key.error().code == errc::invalid_agent_response);
  CHECK_THAT(other_key.error().message, ContainsSubstring("not by this key"));
  auto bare = card.tree();
  bare.erase("signatures");
  CHECK_THAT(card.verify(bare).error().message, ContainsSubstring("not signed"));
}

TEST_CASE("a header that weakens the signature is refused", "[net][card_signature]") {
  const signed_card card;
  const auto refused = [&](std::string_view header) {
    return card.verify(with_header(card, header)).error().message;
  };
  CHECK_THAT(refused(R"({"alg":"none","kid":"key-1"})"), ContainsSubstring("\"none\", not ES256"));
  CHECK_THAT(refused(R"({"alg":"HS256","kid":"key-1"})"), ContainsSubstring("not ES256"));
  CHECK_THAT(refused(R"({"alg":"es256","kid":"key-1"})"), ContainsSubstring("not ES256"));
  CHECK_THAT(refused(R"({"kid":"key-1"})"), ContainsSubstring("not ES256"));
  CHECK_THAT(refused(R"({"alg":["ES256"],"kid":"key-1"})"), ContainsSubstring("not ES256"));
  CHECK_THAT(refused(R"({"alg":"ES256","kid":"key-1","crit":["b64"],"b64":false})"),
             ContainsSubstring("critical"));
  CHECK_THAT(refused(R"({"alg":"ES256"})"), ContainsSubstring("name its key"));
  CHECK_THAT(refused("nothing"), ContainsSubstring("not JSON"));
  CHECK_THAT(refused(R"({"alg":"ES256","kid":"key-1","typ":"JOSE"})"),
             ContainsSubstring("not by this key")); // the header is signed as well
}

TEST_CASE("broken signatures are refused and good ones beside them hold", "[net][card_signature]") {
  const signed_card card;
  const auto broken = GENERATE(R"(null)", R"({})", R"("x")", R"({"protected":1,"signature":2})",
                               R"({"protected":"***","signature":"***"})",
                               R"({"protected":"eyJhbGciOiJub25lIn0","signature":""})");
  auto tree = card.tree();
  auto& signatures = tree["signatures"].get_array();
  const json::value good = signatures[0];
  signatures[0] = json::parse(broken);
  CHECK(card.verify(tree).has_error());
  signatures.push_back(good);
  CHECK(card.verify(tree).has_value());
  // Not behind a wall of bad ones, though.
  while (signatures.size() < 100)
    signatures.insert(signatures.begin(), json::parse(broken));
  CHECK(card.verify(tree).has_error());
}

TEST_CASE("a document that is no card does not verify", "[net][card_signature]") {
  const signed_card card;
  for (const auto* text : {"", "[]", "null", "{", "{\"signatures\":{}}", "{\"signatures\":[]}",
                           "{\"signatures\":[[]]}"})
    CHECK(verify_card(text, card.key()).has_error());
  auto endless = json::serialize(card.tree());
  endless.replace(endless.find(":20"), 3, ":1e999");
  CHECK(verify_card(endless, card.key()).has_error());
}
