#include "agents/utf8.hpp"
#include "protocol/text/text.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace std::string_view_literals;

TEST_CASE("bytes become fit for a message", "[agents][utf8]") {
  CHECK(printable_utf8("caf\xc3\xa9\n\tok") == "caf\xc3\xa9\n\tok");
  CHECK(printable_utf8("\x80"
                       "a\xe2\x82"
                       "b")
        == "\xef\xbf\xbd"
           "a\xef\xbf\xbd\xef\xbf\xbd"
           "b");
  CHECK(printable_utf8("\x1b[31m\0"sv) == "\xef\xbf\xbd[31m\xef\xbf\xbd");
  CHECK(is_utf8(printable_utf8("\xff\xfe\xed\xa0\x80")));
}
