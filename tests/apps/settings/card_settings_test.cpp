#include "apps/serve/serve_setup.hpp"
#include "apps/settings/card_settings.hpp"
#include "apps/settings/config_file.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;

namespace {

constexpr const char* whole = R"(
[card]
name = "Bakery"
url = "https://bake.example/a2a"
documentation-url = "https://bake.example/docs"
icon-url = "https://bake.example/icon.png"
default = "pure10"
max-age = 60
[card.provider]
organization = "Bakery and Sons"
url = "https://bakery.example"
[card.signing]
key = "key.pem"
kid = "bakery"
jku = "https://bake.example/keys"
python-compatible = true
[card.extended]
tokens = ["one", "two"]
description = "For friends."
[[card.skill]]
id = "bread"
description = "Bakes a loaf."
tags = ["bread", "baking"]
examples = ["A \"rye\" loaf"]
input-modes = ["text/plain"]
output-modes = ["image/png"]
[[card.skill]]
id = "rolls"
name = "Rolls"
description = "Bakes rolls."
[[card.extended.skill]]
id = "cake"
description = "Bakes a cake."
)";

std::string refusal(std::string_view text) {
  serve_settings settings;
  const auto done = read_config(settings, text, "t.toml");
  return done ? "accepted" : done.error().message;
}

} // namespace

TEST_CASE("a configuration describes the whole card", "[apps][card]") {
  serve_settings s;
  const auto done = read_config(s, whole, "t.toml");
  REQUIRE(done.has_value());
  const auto& card = s.server.card;
  CHECK(card.name == "Bakery");
  CHECK(card.documentation_url == "https://bake.example/docs");
  CHECK(card.icon_url == "https://bake.example/icon.png");
  CHECK(card.unasked == card_shape::pure_1_0);
  CHECK(card.max_age == std::chrono::seconds{60});
  CHECK(card.provider.organization == "Bakery and Sons");
  CHECK(card.provider.url == "https://bakery.example");
  CHECK(card.signing.key_file == "key.pem");
  CHECK(card.signing.kid == "bakery");
  CHECK(card.signing.jku == "https://bake.example/keys");
  CHECK(card.signing.python_compatible);
  CHECK(card.extended.tokens == std::vector<std::string>{"one", "two"});
  CHECK(card.extended.description == "For friends.");
  REQUIRE(card.skills.size() == 2);
  CHECK(card.skills[0].id == "bread");
  CHECK(card.skills[0].name == "bread");
  CHECK(card.skills[0].tags == std::vector<std::string>{"bread", "baking"});
  CHECK(card.skills[0].examples == std::vector<std::string>{"A \"rye\" loaf"});
  CHECK(card.skills[0].input_modes == std::vector<std::string>{"text/plain"});
  CHECK(card.skills[0].output_modes == std::vector<std::string>{"image/png"});
  CHECK(card.skills[1].name == "Rolls");
  CHECK(card.skills[1].tags.empty());
  REQUIRE(card.extended.skills.size() == 1);
  CHECK(card.extended.skills[0].description == "Bakes a cake.");
}

TEST_CASE("a printed card reads back the same, without its tokens", "[apps][card]") {
  serve_settings s;
  REQUIRE(read_config(s, whole, "t.toml").has_value());
  const auto text = print_settings(s);
  INFO(text);
  CHECK(text.find("\"one\"") == std::string::npos);
  CHECK(text.find("# set, and not shown: tokens") != std::string::npos);
  serve_settings back;
  REQUIRE(read_config(back, text, "printed").has_value());
  CHECK(back.server.card.extended.tokens.empty());
  back.server.card.extended.tokens = s.server.card.extended.tokens;
  CHECK(print_settings(back) == text);
  CHECK(back.server.card.skills[0].examples == s.server.card.skills[0].examples);
}

TEST_CASE("a wrong card is refused with what is wrong", "[apps][card]") {
  CHECK(refusal("[card]\ndefault = \"both\"")
        == "t.toml:2: \"card.default\" must be one of superset, pure10");
  CHECK(refusal("[card]\nmax-age = 59")
        == "t.toml:2: \"card.max-age\" must be a whole number of seconds from 60 to 3600");
  CHECK(refusal("[card]\nmax-age = 60.5").find("whole number of seconds") != std::string::npos);
  CHECK(refusal("[card.extended]\ntokens = \"one\"")
        == "t.toml:2: \"card.extended.tokens\" must be a list of texts");
  CHECK(refusal("[card.extended]\ntokens = [1]").find("card.extended.tokens") != std::string::npos);
  CHECK(refusal("[card.provider]\norganisation = \"x\"")
        == "t.toml:2: unknown setting \"card.provider.organisation\"; did you mean "
           "\"card.provider.organization\"?");
  CHECK(refusal("[card]\nskill = []") == "accepted");
  CHECK(refusal("[card]\nskill = \"bread\"").find("must be tables") != std::string::npos);
  CHECK(refusal("[[card.skill]]\nname = \"x\"").find("number 1: \"id\" is missing")
        != std::string::npos);
  CHECK(refusal("[[card.skill]]\nid = \"x\"").find("number 1: \"description\" is missing")
        != std::string::npos);
  CHECK(refusal("[[card.skill]]\nid = \"x\"\ndescription = \"d\"\ntag = [\"t\"]")
            .find("\"tag\" is not one of id, name")
        != std::string::npos);
  CHECK(refusal("[[card.skill]]\nid = \"x\"\ndescription = \"d\"\ntags = \"t\"")
            .find("\"tags\" must be a list")
        != std::string::npos);
  CHECK(refusal("[[card.skill]]\nid = [\"x\"]").find("\"id\" must be a string")
        != std::string::npos);
  CHECK(refusal("[[card.skill]]\nid = 7").find("card.skill") != std::string::npos);
  CHECK(refusal("[[card.skill]]\nid = \"x\"\ndescription = \"d\"\n[[card.skill]]\nid = "
                "\"x\"\ndescription = \"e\"")
            .find("number 2: \"id\" is that of another skill")
        != std::string::npos);
}

TEST_CASE("a card that cannot be made is refused before anything runs", "[apps][card]") {
  const auto with = [](const char* key, const char* value) {
    const auto settings = effective_settings({{}, {{"store", "memory"}, {key, value}}}, {});
    return settings ? std::string("accepted") : settings.error().message;
  };
  CHECK(with("card.name", "x") == "accepted");
  CHECK(with("card.extended.description", "x").find("card.extended.tokens is missing")
        != std::string::npos);
  CHECK(with("card.signing.key", "gone.pem").find("card.signing.kid is missing")
        != std::string::npos);
  CHECK(with("card.provider.url", "x").find("organization") != std::string::npos);
}
