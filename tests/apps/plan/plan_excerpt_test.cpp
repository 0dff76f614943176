#include "apps/plan/plan_excerpt.hpp"
#include "apps/plan/plan_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <algorithm>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// What is shown of the mistake in a file with this text.
std::string excerpt_in(const std::string& text, const std::string& name = "plan.json",
                       std::size_t columns = 80) {
  const temporary_directory place;
  const auto read = read_and_check(place.file(name, text), {});
  REQUIRE_FALSE(read.has_value());
  return plan_excerpt(text, name.ends_with("yaml"), read.error(), columns);
}

} // namespace

TEST_CASE("the line of a mistake is shown with a mark below it", "[apps][excerpt]") {
  CHECK(excerpt_in("{\"name\": \"n\", \"tasks\": [\n  {\"name\": \"a\", \"agnet\": \"echo\"}]}")
        == "    2 |   {\"name\": \"a\", \"agnet\": \"echo\"}]}\n"
           "      |                  ^~~~~\n");
  CHECK(excerpt_in("{\"name\": \"n\", \"tasks\": [\n  {\"name\": \"a\", \"agent\": \"ecoh\"}]}")
        == "    2 |   {\"name\": \"a\", \"agent\": \"ecoh\"}]}\n"
           "      |                           ^~~~\n");
  CHECK(excerpt_in("{\"name\": \"n\",\n \"tasks\": [{\"name\": \"a\"},]}")
        == "    2 |  \"tasks\": [{\"name\": \"a\"},]}\n"
           "      |                          ^\n");
  CHECK(excerpt_in("name: n\ntasks:\n  - {name: a, agent: ecoh}\n", "plan.yaml")
        == "    3 |   - {name: a, agent: ecoh}\n"
           "      |                      ^~~~\n");
}

TEST_CASE("the value is marked, not a word that looks like it", "[apps][excerpt]") {
  CHECK(
      excerpt_in("name: n\ntasks:\n  - {name: t, agent: command, input: {argv: x}}\n", "plan.yaml")
      == "    3 |   - {name: t, agent: command, input: {argv: x}}\n"
         "      |                                             ^\n");
  // What is missing is missed where it should stand.
  CHECK(excerpt_in("name: n\ntasks:\n  - {name: t, agent: command}\n", "plan.yaml")
        == "    3 |   - {name: t, agent: command}\n"
           "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~\n");
  CHECK(excerpt_in("name: n\ntasks: []\n", "plan.yaml")
        == "    2 | tasks: []\n"
           "      | ^~~~~\n");
  CHECK(excerpt_in("{\"name\": \"n\", \"tasks\": []}")
        == "    1 | {\"name\": \"n\", \"tasks\": []}\n"
           "      |                ^~~~~\n");
  CHECK(excerpt_in("name: n\ntasks:\n  - name: one\n    agent: command\n", "plan.yaml")
        == "    3 |   - name: one\n"
           "      |     ^~~~~~~~~\n");
  CHECK(excerpt_in("name: n\ntasks:\n  - {name: e, agent: echo, dependencies: [e]}\n", "plan.yaml")
        == "    3 |   - {name: e, agent: echo, dependencies: [e]}\n"
           "      |                                           ^\n");
}

TEST_CASE("an anchor, an alias and a tag are marked at their signs", "[apps][excerpt]") {
  CHECK(excerpt_in("name: &n x\ntasks: []\n", "plan.yaml")
        == "    1 | name: &n x\n"
           "      |       ^\n");
  CHECK(excerpt_in("name: *n\ntasks: []\n", "plan.yaml")
        == "    1 | name: *n\n"
           "      |       ^\n");
  CHECK(excerpt_in("name: !n x\ntasks: []\n", "plan.yaml")
        == "    1 | name: !n x\n"
           "      |       ^\n");
}

TEST_CASE("an excerpt fits its columns, whatever the line has", "[apps][excerpt]") {
  const auto text = "{\"name\": \"" + std::string(500, 'x')
                    + "\", \"tasks\": [{\"name\": \"a\", \"agnet\": \"\\u65e5\\u672c\"}]}";
  for (const std::size_t columns : {1UL, 10UL, 40UL, 80UL}) {
    const auto out = excerpt_in(text, "plan.json", columns);
    CHECK(std::count(out.begin(), out.end(), '\n') == 2);
    if (columns >= 40)
      CHECK_THAT(out, ContainsSubstring("agnet") && ContainsSubstring("^~~~~"));
  }
  CHECK(plan_excerpt("one line", false, make_error(errc::invalid_document, "f: line 7: no"), 80)
            .empty());
  CHECK(plan_excerpt("one line", false, make_error(errc::invalid_document, "no line"), 80).empty());
  CHECK(plan_excerpt("a\x1b[31mb", false, make_error(errc::invalid_document, "f: line 1: no"), 80)
            .find('\x1b')
        == std::string::npos);
}
