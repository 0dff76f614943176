#include "tests/support/catch.hpp"
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/spec.hpp>

#include <memory>
#include <string>

using namespace troupe;

TEST_CASE("a message's size is that of what it holds, wherever it holds it",
          "[protocol][message]") {
  constexpr std::size_t large = 1'000'000;
  const std::string text(large, 'x');
  const boost::json::value long_text(boost::json::string_view{text});
  const boost::json::value deep{boost::json::object{{"a", boost::json::array{long_text}}}};
  const std::vector<part> all{
      text_part(text),
      data_part(long_text),
      data_part(deep),
      part{raw_content{text}, {}, {}, {}},
      part{url_content{text}, {}, {}, {}},
      part{text_content{}, {}, {}, {{"k", long_text}}},
      part{text_content{}, text, {}, {}},
      part{text_content{}, {}, text, {}},
      data_part(boost::json::array(large / sizeof(boost::json::value) + 1))};
  for (const auto& piece : all) {
    message message;
    CHECK(bytes_of(message) > 0);
    message.parts.push_back(piece);
    CHECK(bytes_of(message) >= large);
    CHECK(bytes_of(message) < large + 2'000);
    artifact made;
    made.parts.push_back(piece);
    CHECK(bytes_of(made) >= large);
  }
}

TEST_CASE("an objective's size is also that of what its message refers to", "[protocol][message]") {
  objective_spec spec;
  const auto without = bytes_of(spec);
  auto references = std::make_shared<message>();
  references->parts.emplace_back().metadata["k"] = std::string(1'000, 'x');
  spec.references = references;
  CHECK(bytes_of(spec) >= without + 1'000);
}
