#include "actors/task/input_references.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace troupe;

namespace {

namespace json = boost::json;

artifact_ptr made_of(std::string name, std::vector<part> parts) {
  artifact out;
  out.artifact_id = "id-" + name;
  out.name = std::move(name);
  out.parts = std::move(parts);
  return std::make_shared<const artifact>(std::move(out));
}

task_spec called(const std::string& key, const std::string& id) {
  task_spec out;
  out.key = key;
  out.id = task_id{id};
  return out;
}

// Two dependencies, one with an id as written and one with a name that needs quotes.
std::vector<dependency_result> two_tasks() {
  const auto data = json::parse(
      R"({"hits": [{"title": "A"}, {"title": "B"}], "a.b": 7, "none": null, "ok": true})");
  return {
      {task_id("p.t0"),
       "search",
       "Search papers",
       {made_of("log", {text_part("line"), text_part("two")}), made_of("top 10", {data_part(data)}),
        made_of("mixed", {part{url_content{"http://x/y"}, {}, {}, {}},
                          part{raw_content{"\xff"}, {}, {}, {}}, text_part("third")})},
       names_for_references(called("search", "p.t0"), {"task-0"})},
      {task_id("p.t1"),
       "",
       "Review",
       {made_of("word", {data_part("plain string")})},
       names_for_references(called("", "p.t1"), {"Review"})},
  };
}

// The input as agents get it, read as a whole.
result<json::object> resolve_references(const json::object& input,
                                        const std::vector<dependency_result>& deps) {
  const auto followed = follow_references(std::make_shared<const json::object>(input), deps);
  if (!followed)
    return followed.error();
  return followed->resolve();
}

json::value resolved(std::string_view text,
                     const std::vector<dependency_result>& deps = two_tasks()) {
  const auto out = resolve_references({{"v", text}}, deps);
  if (!out)
    return json::value("error: " + out.error().message);
  return out->at("v");
}

std::string refused(std::string_view text,
                    const std::vector<dependency_result>& deps = two_tasks()) {
  const auto out = resolve_references({{"v", text}}, deps);
  if (out)
    return "resolved";
  CHECK(out.error().code == errc::invalid_reference);
  CHECK(out.error().field == "/v");
  return out.error().message;
}

std::string checked(std::string_view text,
                    const std::vector<dependency_result>& deps = two_tasks()) {
  const auto out = check_references({{"v", text}}, deps);
  return out ? "fine" : out.error().message;
}

} // namespace

TEST_CASE("only an input with references needs resolving", "[actors][references]") {
  CHECK_FALSE(has_references({}));
  CHECK_FALSE(has_references(
      json::parse(R"({"a": "$x {y} $", "${b}": [1, null, true, {"c": "}"}]})").as_object()));
  CHECK(has_references(json::parse(R"({"a": [1, {"b": ["x ${"]}]})").as_object()));
  CHECK(has_references({{"a", "$${"}}));
}

TEST_CASE("text is inserted wherever a string refers to it", "[actors][references]") {
  CHECK(resolved("${tasks.search.artifacts[0].text}") == "line\ntwo");
  CHECK(resolved("<${tasks.search.artifacts[log].text}|${tasks.search.artifacts[0].text}>")
        == "<line\ntwo|line\ntwo>");
  CHECK(resolved("${tasks.search.artifacts[\"log\"].parts[1].text}") == "two");
  CHECK(resolved("${tasks.search.artifacts[mixed].text}") == "third");
  CHECK(resolved("see ${tasks.search.artifacts[2].url}!") == "see http://x/y!");
  CHECK(resolved("${tasks.search.artifacts[2].parts[0].url}") == "http://x/y");
}

TEST_CASE("a task is found by its key, its id or its name", "[actors][references]") {
  CHECK(resolved("${tasks[\"Search papers\"].artifacts[0].text}") == "line\ntwo");
  CHECK(resolved("${tasks[\"p.t0\"].artifacts[0].text}") == "line\ntwo");
  CHECK(resolved("${tasks.Review.artifacts[0].data}") == "plain string");
  auto twins = two_tasks();
  twins[0].name = twins[1].name;
  CHECK(resolved("${tasks.Review.artifacts[0].data}", twins)
        == "plain string"); // as `dependencies` calls it
  twins[1].called = {"p.t1"};
  for (const auto look_up : {&refused, &checked})
    CHECK((*look_up)("${tasks.Review.artifacts[0].data}", twins)
          == R"(${tasks.Review.artifacts[0].data}: 2 tasks are named "Review"; use the id)");
  twins[0].called = {"Review"}; // an id goes before a name
  CHECK(resolved("${tasks.Review.artifacts[0].text}", twins) == "line\ntwo");
  CHECK(checked("${tasks.Review.artifacts[0].text}", twins) == "fine");
}

TEST_CASE("a task is found by what it is called after a retry has given it a new id",
          "[actors][references]") {
  auto deps = two_tasks();
  deps[0].id = task_id{"p.t0.r1"};
  for (const auto* name : {"search", "task-0", "[\"p.t0\"]", "[\"Search papers\"]"}) {
    const auto text = "${tasks" + (name[0] == '[' ? std::string{name} : "." + std::string{name})
                      + ".artifacts[0].text}";
    CHECK(checked(text, deps) == "fine");
    CHECK(resolved(text, deps) == "line\ntwo");
  }
}

TEST_CASE("an artifact is found by its number, its name or its id", "[actors][references]") {
  const auto hits = json::parse(R"([{"title": "A"}, {"title": "B"}])");
  CHECK(resolved("${tasks.search.artifacts[1].data.hits}") == hits);
  CHECK(resolved("${tasks.search.artifacts[top 10].data.hits}") == hits);
  CHECK(resolved("${tasks.search.artifacts[\"top 10\"].data.hits}") == hits);
  CHECK(resolved("${tasks.search.artifacts[id-top 10].data.hits}") == hits);
}

TEST_CASE("a string that is one reference to data becomes that value", "[actors][references]") {
  CHECK(resolved("${tasks.search.artifacts[1].data.hits[1].title}") == "B");
  CHECK(resolved("${tasks.search.artifacts[1].data[\"a.b\"]}") == 7);
  CHECK(resolved("${tasks.search.artifacts[1].data.none}") == nullptr);
  CHECK(resolved("${tasks.search.artifacts[1].data.ok}") == true);
  CHECK(resolved("${tasks.search.artifacts[1].data}").is_object());
  CHECK(resolved("${tasks.search.artifacts[1].parts[0].data.hits[0]}")
        == json::object{{"title", "A"}});
}

TEST_CASE("data within other text is written out", "[actors][references]") {
  CHECK(resolved("n=${tasks.search.artifacts[1].data[\"a.b\"]}") == "n=7");
  CHECK(resolved("${tasks.search.artifacts[1].data.hits[0]} ") == R"({"title":"A"} )");
  CHECK(resolved("<${tasks.Review.artifacts[0].data}>")
        == "<plain string>"); // a string without quotes
  CHECK(resolved("${tasks.search.artifacts[1].data.none}${tasks.search.artifacts[1].data.ok}")
        == "nulltrue");
}

TEST_CASE("$${ inserts ${", "[actors][references]") {
  CHECK(resolved("$${HOME}") == "${HOME}");
  CHECK(resolved("$$${HOME}") == "$${HOME}");
  CHECK(resolved("a$${${tasks.Review.artifacts[0].data}}") == "a${plain string}");
  CHECK(resolved("$ $$ {} }") == "$ $$ {} }");
}

TEST_CASE("inserted texts are not searched for references", "[actors][references]") {
  const std::vector<dependency_result> sly{
      {task_id("a"), "a", "a", {made_of("x", {text_part("${tasks.a.artifacts[0].text}")})}, {}}};
  CHECK(resolved("${tasks.a.artifacts[0].text}", sly) == "${tasks.a.artifacts[0].text}");
  CHECK(resolved("<${tasks.a.artifacts[0].text}>", sly) == "<${tasks.a.artifacts[0].text}>");
}

TEST_CASE("references are replaced at every depth, names are left alone", "[actors][references]") {
  const auto input =
      json::parse(R"({"a": [1, {"b": ["${tasks.Review.artifacts[0].data}", "x"]}], "${": true})")
          .as_object();
  const auto out = resolve_references(input, two_tasks());
  REQUIRE(out.has_value());
  CHECK(*out == json::parse(R"({"a": [1, {"b": ["plain string", "x"]}], "${": true})").as_object());
}

TEST_CASE("the field of an error is the pointer to its string", "[actors][references]") {
  const auto input =
      json::parse(R"({"a/b": [0, {"c~": "${tasks.gone.artifacts[0].text}"}]})").as_object();
  const auto out = resolve_references(input, two_tasks());
  REQUIRE(out.has_error());
  CHECK(out.error().field == "/a~1b/1/c~0");
  CHECK(check_references(input, two_tasks()).error().field == "/a~1b/1/c~0");
}

TEST_CASE("a missing reference is named together with those that exist", "[actors][references]") {
  CHECK(
      refused("${tasks.gone.artifacts[0].text}")
      == R"(${tasks.gone.artifacts[0].text}: "gone" is not a task this one depends on; it depends on "search", "Review")");
  CHECK(
      refused("x ${tasks.gone.artifacts[0].text}", {})
      == R"(${tasks.gone.artifacts[0].text}: "gone" is not a task this one depends on; it depends on nothing)");
  CHECK(
      refused("${tasks.search.artifacts[3].text}")
      == R"(${tasks.search.artifacts[3].text}: task "search" has no artifact 3; it has 3: "log", "top 10", "mixed")");
  CHECK(
      refused("${tasks.Review.artifacts[report].text}")
      == R"(${tasks.Review.artifacts[report].text}: task "Review" has no artifact "report"; it has 1: "word")");
  CHECK(refused("${tasks.e.artifacts[0].text}", {{task_id("e"), "e", "", {}, {"e"}}})
        == R"(${tasks.e.artifacts[0].text}: task "e" has no artifact 0; it has none)");
  CHECK(refused("${tasks.search.artifacts[0].parts[2].text}")
        == "${tasks.search.artifacts[0].parts[2].text}: the artifact has no part 2; it has 2");
  CHECK(refused("${tasks.search.artifacts[1].text}")
        == "${tasks.search.artifacts[1].text}: there is no text in it, only data");
  CHECK(refused("${tasks.search.artifacts[2].data}")
        == "${tasks.search.artifacts[2].data}: there is no data in it, only a url, bytes, text");
  CHECK(refused("${tasks.search.artifacts[2].parts[1].text}")
        == "${tasks.search.artifacts[2].parts[1].text}: there is no text in it, only bytes");
}

TEST_CASE("a path through data says where it ends", "[actors][references]") {
  CHECK(
      refused("${tasks.search.artifacts[1].data.hit}")
      == R"(${tasks.search.artifacts[1].data.hit}: `data` is an object with "hits", "a.b", "none", "ok", without "hit")");
  CHECK(
      refused("${tasks.search.artifacts[1].data.hits[2].title}")
      == R"(${tasks.search.artifacts[1].data.hits[2].title}: `data["hits"]` is a list of 2, without 2)");
  CHECK(refused("${tasks.search.artifacts[1].data.ok.x}")
        == R"(${tasks.search.artifacts[1].data.ok.x}: `data["ok"]` is bool, without "x")");
}

TEST_CASE("wrong syntax is refused with its place", "[actors][references]") {
  const auto wrong = [](std::string_view text) {
    const auto message = refused(text);
    CHECK(checked(text) == message);
    const auto prefix = "wrong reference in " + json::serialize(json::string(text)) + " ";
    CHECK(message.substr(0, prefix.size()) == prefix);
    return message.substr(std::min(prefix.size(), message.size()));
  };
  CHECK(wrong("${HOME}")
        == "at character 3: a reference begins with `${tasks`; write `$${` for a literal `${`");
  CHECK(wrong("a ${")
        == "at its end: a reference begins with `${tasks`; write `$${` for a literal `${`");
  CHECK(wrong("${tasks}") == "at character 8: expected `.` and a task's id or name");
  CHECK(wrong("${tasks.}") == "at character 9: expected a task's id or name");
  CHECK(wrong("${tasks.a b.artifacts[0].text}")
        == "at character 10: expected `.artifacts[` after the task (a name with dots or blanks is "
           "written [\"...\"])");
  CHECK(wrong("${tasks.a.artifact[0].text}")
        == "at character 10: expected `.artifacts[` after the task (a name with dots or blanks is "
           "written [\"...\"])");
  CHECK(wrong("${tasks.a.artifacts[].text}")
        == "at character 21: expected an artifact's number or name");
  CHECK(wrong("${tasks.a.artifacts[0.text}") == "at character 27: expected `]`");
  CHECK(wrong("${tasks.a.artifacts[0]}")
        == "at character 23: expected `.text`, `.data`, `.url` or `.parts[n]`");
  CHECK(wrong("${tasks.a.artifacts[0].json}")
        == "at character 23: expected `.text`, `.data`, `.url` or `.parts[n]`");
  CHECK(wrong("${tasks.a.artifacts[0].text") == "at its end: expected `}`");
  CHECK(wrong("${tasks.a.artifacts[0].text.x}") == "at character 28: expected `}`");
  CHECK(wrong("${tasks.a.artifacts[0].parts[x].text}")
        == "at character 30: expected a part's number");
  CHECK(wrong("${tasks.a.artifacts[0].data.}") == "at character 29: expected a member's name");
  CHECK(wrong("${tasks.a.artifacts[0].data[x]}")
        == "at character 29: expected a number or a quoted name");
  CHECK(wrong("${tasks.a.artifacts[0].data[-1]}")
        == "at character 29: expected a number or a quoted name");
  CHECK(wrong("${tasks[a].artifacts[0].text}")
        == "at character 9: expected a name in double quotes");
  CHECK(wrong("${tasks[\"a].artifacts[0].text}") == "at character 9: this quote is never closed");
  CHECK(wrong("${tasks[\"a\\\"].artifacts") == "at character 9: this quote is never closed");
  CHECK(wrong("${tasks[\"\\q\"].artifacts[0].text}")
        == "at character 9: this is not a JSON string");
  CHECK(wrong("${tasks[\"a\".artifacts[0].text}") == "at character 12: expected `]`");
}

TEST_CASE("a long text is not repeated in its error", "[actors][references]") {
  const auto message = refused(std::string(75, 'x') + "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 ${"
                               + std::string(100'000, 'y'));
  CHECK(message.size() < 300);
  CHECK_THAT(message, ContainsSubstring("at character 89"));
}

TEST_CASE("every beginning of a reference is refused and none crashes", "[actors][references]") {
  constexpr std::string_view whole =
      "${tasks[\"Search papers\"].artifacts[\"top 10\"].parts[0].data.hits[1][\"title\"]}";
  CHECK(resolved(whole) == "B");
  for (std::size_t length = 2; length < whole.size(); ++length) {
    CAPTURE(length);
    CHECK(refused(whole.substr(0, length)).substr(0, 18) == "wrong reference in");
  }
}

TEST_CASE("references are checked before anything runs", "[actors][references]") {
  CHECK(checked("no reference at all", {}) == "fine");
  CHECK(checked("$${tasks.x}", {}) == "fine");
  CHECK(checked("${tasks.search.artifacts[9].data.x} ${tasks[\"Search papers\"].artifacts[0].text}")
        == "fine");
  CHECK(
      checked("${tasks.search.artifacts[0].text} ${tasks.other.artifacts[0].text}")
      == R"(${tasks.other.artifacts[0].text}: "other" is not a task this one depends on; it depends on "search", "Review")");
}

TEST_CASE("the bytes that references insert are limited", "[actors][references]") {
  const std::vector<dependency_result> large{
      {task_id("a"),
       "a",
       "a",
       {made_of("x", {text_part(std::string(referenced_bytes_max / 4, 'x'))})},
       {}}};
  json::array four(4, json::value("${tasks.a.artifacts[0].text}"));
  CHECK(resolve_references({{"v", four}}, large).has_value());
  four.emplace_back("and ${tasks.a.artifacts[0].text}");
  const auto out = resolve_references({{"v", four}}, large);
  REQUIRE(out.has_error());
  CHECK(out.error().code == errc::limit_exceeded);
  CHECK(out.error().field == "/v/4");
  CHECK_THAT(out.error().message, ContainsSubstring("referenced_bytes_max"));
}

TEST_CASE("an input may nest up to a limit", "[actors][references]") {
  const auto nested = [](std::size_t levels, std::string_view core) {
    json::value out(core);
    for (std::size_t i = 0; i < levels; ++i)
      out = json::array{std::move(out)};
    return json::object{{"a/b", std::move(out)}};
  };
  constexpr std::string_view reference = "${tasks.Review.artifacts[0].data}";
  CHECK(resolve_references(nested(referencing_depth_max, reference), two_tasks()).has_value());
  for (const auto levels : {referencing_depth_max + 1, std::size_t{10'000}}) {
    const auto deep = nested(levels, reference);
    CHECK(has_references(deep));
    for (const auto& refused : {resolve_references(deep, two_tasks()).error(),
                                check_references(deep, two_tasks()).error()}) {
      CHECK(refused.code == errc::limit_exceeded);
      CHECK(refused.field == "/a~1b");
    }
  }
  CHECK_FALSE(has_references(nested(referencing_depth_max, "plain")));
}

TEST_CASE("a change of a plan keeps what references refer to", "[actors][references]") {
  const auto both = two_tasks(); // "search" by its key, "Review" by its name
  const auto kept = [&](std::string_view text, const std::vector<dependency_result>& after,
                        const std::vector<dependency_result>& before) {
    const auto out = check_references_kept({{"v", text}}, before, after);
    return out ? "fine" : out.error().message;
  };
  const std::string search = "${tasks.search.artifacts[0].text}";
  const std::string review = "${tasks.Review.artifacts[0].text}";
  CHECK(kept(search, both, both) == "fine");
  CHECK(kept(review, {both[1]}, both) == "fine");
  CHECK(kept("plain", {}, both) == "fine");
  CHECK(kept(search, {both[1]}, both)
        == search + R"(: it would depend on no task, or on several, called "search")");
  auto by_name = both;
  by_name[1].called.clear();
  auto renamed = by_name;
  renamed[1].name = "Other";
  CHECK(kept(review, renamed, by_name)
        == review + R"(: it would depend on no task, or on several, called "Review")");
  // Found in another plan: it is not among these, and must not be found here later.
  CHECK(kept("${tasks.far.artifacts[0].text}", {both[0]}, both) == "fine");
  CHECK(kept(review, both, {both[0]}) == review + ": it would refer to another task than before");
}
