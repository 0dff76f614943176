#include "protocol/text/media_type.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;

TEST_CASE("media types match by type and subtype, with any text around them",
          "[protocol][media_type]") {
  struct row {
    const char* a;
    const char* b;
    bool meet;
  };
  const auto [a, b, meet] = GENERATE(values<row>({
      {"text/plain", "text/plain", true},
      {"text/plain", "TEXT/Plain; charset=utf-8", true},
      {"text/plain", "text/html", false},
      {"text/*", "text/html", true},
      {"text/*", "image/png", false},
      {"*/*", "image/png", true},
      {"*", "image/png", true},
      {"text", "text/plain", true},
      {"text", "texture/plain", false},
      {" image/png ", "image/*", true},
      {"application/vnd.a2a+json", "application/json", false},
      {"", "text/plain", false},
      {"text/", "text/plain", false},
  }));
  CAPTURE(a, b);
  CHECK(media_types_meet(a, b) == meet);
  CHECK(media_types_meet(b, a) == meet);
}

TEST_CASE("an empty list of media types means all", "[protocol][media_type]") {
  CHECK(any_media_types_meet({}, {"text/plain"}));
  CHECK(any_media_types_meet({"text/plain"}, {}));
  CHECK(any_media_types_meet({"image/png", "text/*"}, {"application/json", "text/plain"}));
  CHECK_FALSE(any_media_types_meet({"image/png", "audio/*"}, {"application/json", "text/plain"}));
}

TEST_CASE("a part that does not say its media type has that of its kind",
          "[protocol][media_type]") {
  CHECK(media_type_of(text_part("x")) == "text/plain");
  CHECK(media_type_of(data_part(1)) == "application/json");
  CHECK(media_type_of(part{raw_content{"x"}, {}, {}, {}}).empty());
  CHECK(media_type_of(part{raw_content{"x"}, "image/png", {}, {}}) == "image/png");
  CHECK(media_type_of(part{text_content{"x"}, "text/markdown", {}, {}}) == "text/markdown");
}
