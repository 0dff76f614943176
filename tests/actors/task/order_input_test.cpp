// What an agent reads of its order's input: the same as a whole and in pieces, and shared with all
// others that refer to the same artifacts.
#include "actors/task/input_references.hpp"
#include "tests/protocol/random_values.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/pieces.hpp"
#include "tests/support/specs.hpp"
#include <troupe/actors/order_input.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::testing;
using troupe::test::random_values;

namespace {

namespace json = boost::json;

/// A task `a` with a text of two parts, one of them long, data and a URL.
std::vector<dependency_result> made_by_a(random_values& random) {
  std::string text;
  while (text.size() < 5000)
    text += random.some_text();
  auto texts = std::make_shared<artifact>();
  texts->parts = {text_part(text), text_part(random.text())};
  auto data = std::make_shared<artifact>();
  data->parts = {data_part({{"v", random.tree(3)}, {"text", text}, {"number", 1.5}})};
  auto url = std::make_shared<artifact>();
  url->parts = {part{url_content{"http://x/\"y\""}, {}, {}, {}}};
  return {{task_id{"a"}, "a", "A", {texts, data, url}, {"a"}}};
}

/// A string with references, or without.
std::string template_text(random_values& random) {
  static const std::vector<std::string> segments{"${tasks.a.artifacts[0].text}",
                                                 "${tasks.a.artifacts[0].parts[1].text}",
                                                 "${tasks.a.artifacts[1].data}",
                                                 "${tasks.a.artifacts[1].data.v}",
                                                 "${tasks.a.artifacts[1].data.text}",
                                                 "${tasks.a.artifacts[1].data.number}",
                                                 "${tasks.a.artifacts[2].url}",
                                                 "$${tasks}",
                                                 "$",
                                                 "\"\n"};
  std::string out;
  for (auto n = random.below(4); n > 0; --n)
    out += random.coin() ? segments[random.below(static_cast<std::uint32_t>(segments.size()))]
                         : random.text();
  return out;
}

json::value with_references(random_values& random, const json::value& tree) {
  if (tree.is_string())
    return json::value(template_text(random));
  if (const auto* array = tree.if_array()) {
    json::array out;
    for (const auto& one : *array)
      out.push_back(with_references(random, one));
    return out;
  }
  if (const auto* object = tree.if_object()) {
    json::object out;
    for (const auto& member : *object)
      out[member.key()] = with_references(random, member.value());
    return out;
  }
  return tree;
}

} // namespace

TEST_CASE("an input in pieces, or member by member, is the input as a whole",
          "[actors][references]") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    random_values random(seed);
    auto deps = made_by_a(random);
    json::object all{{"first", template_text(random)}, {"second", random.tree(4)}};
    all["third"] = json::array{random.tree(4), "x", random.object(3)};
    const auto input =
        std::make_shared<const json::object>(with_references(random, json::value(all)).as_object());
    const auto followed = follow_references(input, deps);
    REQUIRE(followed.has_value());
    deps.clear(); // the input keeps what it refers to
    const auto whole = followed->resolve();
    for (const auto size : {std::size_t{1}, std::size_t{100}, std::size_t{16384}})
      CHECK(put_together(followed->json(), size) == written(whole));
    CHECK(followed->written() == *input);
    for (const auto& member : whole) {
      const auto value = followed->find(member.key());
      REQUIRE(value.has_value());
      CHECK(value->resolve() == member.value());
      CHECK(value->kind() == member.value().kind());
      if (const auto* text = member.value().if_string())
        CHECK(put_together(value->text(), 100) == std::string_view{*text});
      if (const auto* array = member.value().if_array()) {
        REQUIRE(value->size() == array->size());
        for (std::size_t i = 0; i < array->size(); ++i)
          CHECK(value->at(i).resolve() == (*array)[i]);
      }
    }
    CHECK_FALSE(followed->find("fourth").has_value());
  }
}

TEST_CASE("an input goes on within the data to which it refers", "[actors][references]") {
  auto made = std::make_shared<artifact>();
  made->parts = {data_part(json::parse(R"({"steps": [{"say": "${not read again}"}, "b"]})"))};
  const std::vector<dependency_result> deps{{task_id{"a"}, "a", "A", {made}, {"a"}}};
  const auto input =
      follow_references(std::make_shared<const json::object>(json::object{
                            {"plan", "${tasks.a.artifacts[0].data}"}, {"own", json::array{1, 2}}}),
                        deps);
  REQUIRE(input.has_value());
  const auto plan = input->find("plan");
  CHECK(plan->kind() == json::kind::object);
  CHECK(plan->size() == 1);
  const auto steps = plan->find("steps");
  REQUIRE(steps->size() == 2);
  CHECK(steps->at(0).find("say")->resolve() == "${not read again}");
  CHECK(steps->at(1).text().rest() == "b");
  CHECK(steps->text().rest() == R"([{"say":"${not read again}"},"b"])");
  CHECK(input->find("own")->at(1).resolve() == 2);
  CHECK(input->find("own")->at(1).size() == 0);
}

TEST_CASE("an input without references is shared as it is", "[actors][references]") {
  const auto written = std::make_shared<const json::object>(json::object{{"a", "b"}});
  const auto input = follow_references(written, {});
  REQUIRE(input.has_value());
  CHECK(&input->written() == written.get());
  CHECK(input->resolve() == *written);
  const order_input literal{json::object{{"a", "${tasks.x}"}}};
  CHECK(literal.resolve().at("a") == "${tasks.x}");
  CHECK(order_input{}.empty());
  CHECK(order_input{}.json().rest() == "{}");
}

TEST_CASE("all orders read the artifact to which they refer, not a copy",
          "[actors][references][artifacts]") {
  auto large = std::make_shared<artifact>(text_artifact("out", std::string(1'000, 'x')));
  const auto input = std::make_shared<const json::object>(
      json::object{{"text", "<${tasks.a.artifacts[0].text}>"}});
  std::vector<order_input> orders;
  for (int i = 0; i < 100; ++i)
    orders.push_back(follow_references(input, {{task_id{"a"}, "a", "A", {large}, {"a"}}}).value());
  CHECK(large.use_count() == 101);
  // Only a test changes an artifact: so it can see who has a copy.
  std::get<text_content>(large->parts[0].content).text.assign(1'000, 'y');
  for (const auto& one : orders) {
    CHECK(one.find("text")->text().next(3) == "<yy");
    CHECK(one.find("text")->resolve() == json::value("<" + std::string(1'000, 'y') + ">"));
    CHECK(one.json().next(12) == "{\"text\":\"<yy");
  }
  orders.clear();
  CHECK(large.use_count() == 1);
}

TEST_CASE("an order's input shares the specification and the artifacts of its dependencies",
          "[actors][references][artifacts]") {
  clock_bed bed;
  auto next = a_task("next", {"source"}, "hand");
  next.input = {{"text", "${tasks.source.artifacts[0].text}"}};
  auto other = a_task("other", {"source"}, "hand");
  other.input = next.input;
  bed.begin(an_objective({a_plan("p", {a_task("source", {}, "hand"), next, other})}));
  bed.report("source", report_completed{{text_artifact("out", std::string(1'000, 'x'))}, {}});
  const auto& spec = bed.objective()->plans[0].spec->tasks;
  CHECK(&bed.hand->of("next").order->input.written() == &spec[1].input);
  CHECK(&bed.hand->of("other").order->input.written() == &spec[2].input);
  const auto& held = bed.hand->of("next").order->dependencies.at(0).artifacts.at(0);
  CHECK(held.get() == bed.hand->of("other").order->dependencies.at(0).artifacts.at(0).get());
  CHECK(bed.hand->of("next").order->text() == std::string(1'000, 'x'));
}
