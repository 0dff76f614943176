#include "store/page.hpp"
#include "store/place.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

#include <random>

using namespace troupe;
using namespace troupe::testing;

TEST_CASE("A page token brings back its position for the same question", "[store][page]") {
  list_tasks query;
  query.context = "c";
  const auto id = GENERATE(as<std::string>{}, "task-1", "", "ключ", std::string(256, 'x'));
  const position last{at_ms(GENERATE(std::int64_t{0}, 1'700'000'000'123, -5)), id};
  const auto token = write_page_token(last, fingerprint(query));
  const auto read = read_page_token(token, fingerprint(query));
  REQUIRE(read.has_value());
  REQUIRE(read->has_value());
  CHECK((*read)->at == last.at);
  CHECK((*read)->id == last.id);
}

TEST_CASE("An empty page token is the first page", "[store][page]") {
  const auto read = read_page_token("", 1);
  REQUIRE(read.has_value());
  CHECK_FALSE(read->has_value());
}

TEST_CASE("A page token that was changed anywhere is refused", "[store][page]") {
  const auto token = write_page_token({at_ms(1'700'000'000'000), "task-1"}, 42);
  for (std::size_t i = 0; i < token.size(); ++i) {
    auto changed = token;
    changed[i] = changed[i] == '0' ? '1' : '0';
    CAPTURE(i, changed);
    CHECK_FALSE(read_page_token(changed, 42).has_value());
    CHECK_FALSE(read_page_token(token.substr(0, i ? i : 1), 42).has_value());
  }
  CHECK(read_page_token(token, 43).error().code == errc::invalid_params);
  for (const auto* text :
       {"x", "zz", "-1", "not a token at all, but long enough to be one", "\xff\xfe"})
    CHECK(read_page_token(text, 42).error().field == "pageToken");
}

TEST_CASE("Each filter and each caller has its own page tokens", "[store][page]") {
  std::vector<list_tasks> queries(7);
  queries[1].context = "c";
  queries[2].state = task_state::completed;
  queries[3].status_after = at_ms(0);
  queries[4].who.tenant = "c";
  queries[5].who.id = "c";
  queries[6].state = task_state::failed;
  for (std::size_t a = 0; a < queries.size(); ++a)
    for (std::size_t b = a + 1; b < queries.size(); ++b)
      CHECK(fingerprint(queries[a]) != fingerprint(queries[b]));
  CHECK(fingerprint(list_objectives{}) != fingerprint(list_tasks{}));
}

TEST_CASE("A list of objectives with another filter or order has other page tokens",
          "[store][page]") {
  std::vector<list_objectives> queries(8);
  queries[1].states = {objective_state::working};
  queries[2].states = {objective_state::working, objective_state::failed};
  queries[3].text = "a";
  queries[4].updated_after = at_ms(0);
  queries[5].order = objective_order::created;
  queries[6].order = objective_order::name;
  queries[7].who.id = "c";
  for (std::size_t a = 0; a < queries.size(); ++a)
    for (std::size_t b = a + 1; b < queries.size(); ++b)
      CHECK(fingerprint(queries[a]) != fingerprint(queries[b]));
  std::swap(queries[2].states[0], queries[2].states[1]);
  list_objectives same;
  same.states = {objective_state::working, objective_state::failed};
  CHECK(fingerprint(same) == fingerprint(queries[2])); // in any order
}

TEST_CASE("A text is found in others as it would be letter by letter", "[store][page]") {
  std::mt19937 random{7};
  const auto any = [&](std::size_t most) {
    std::string out;
    for (auto size = random() % (most + 1); size > 0; --size)
      out += "aAb"[random() % 3];
    return out;
  };
  const auto lower = [](std::string text) {
    for (auto& c : text)
      c = ascii_lower(c);
    return text;
  };
  for (int i = 0; i < 5'000; ++i) {
    const auto wanted = any(6);
    const auto text = any(20);
    CAPTURE(wanted, text);
    CHECK(text_search{wanted}.is_in(text)
          == (lower(text).find(lower(wanted)) != std::string::npos));
  }
  CHECK(text_search{"ключ"}.is_in("Где ключ?"));
  CHECK(text_search{}.is_in(""));
  CHECK_FALSE(text_search{"a"}.is_in(""));
}

TEST_CASE("The first rows are found among rows in any order", "[store][page]") {
  const unsigned seed = GENERATE(1u, 2u, 3u);
  CAPTURE(seed);
  std::mt19937 random{seed};
  std::vector<position> all;
  for (int i = 0; i < 300; ++i)
    all.push_back({at_ms(random() % 40), std::to_string(i)});
  auto sorted = all;
  std::sort(sorted.begin(), sorted.end(),
            [](const position& a, const position& b) { return comes_behind(b.at, b.id, a); });
  for (std::size_t skip : {0u, 1u, 17u, 290u, 300u}) {
    const auto after = skip ? std::optional{sorted[skip - 1]} : std::nullopt;
    first_rows<std::string> rows{after, 20};
    for (const auto& each : all)
      rows.offer(each.at, each.id, each.id);
    const auto found = rows.take();
    CHECK(found.total == 300);
    REQUIRE(found.rows.size() == std::min<std::size_t>(20, 300 - skip));
    for (std::size_t i = 0; i < found.rows.size(); ++i)
      CHECK(found.rows[i] == sorted[skip + i].id);
  }
}

TEST_CASE("Merged lists stay in order, and count a row in both once", "[store][page]") {
  const auto place = [](const position& each) { return each; };
  listed<position> a{{{at_ms(9), "a"}, {at_ms(5), "b"}}, 7};
  listed<position> b{{{at_ms(8), "c"}, {at_ms(6), "b"}, {at_ms(1), "d"}}, 3};
  const auto both = merge(a, b, place);
  CHECK(both.total == 9);
  std::string order;
  for (const auto& each : both.rows)
    order += each.id;
  CHECK(order == "acbd");
}

TEST_CASE("Generated ids say where they belong", "[store][place]") {
  const auto task = split_number("obj-1.p2.t34", ".t");
  REQUIRE(task.has_value());
  CHECK(task->base == "obj-1.p2");
  CHECK(task->number == 34);
  CHECK(split_number("a.t1.t2", ".t")->base == "a.t1");
  for (const auto* text :
       {"", ".t1", "a.t", "a.t01", "a.t-1", "a.t1x", "a.t99999999999", "a.t 1", "at1", "a.t+1"})
    CHECK_FALSE(split_number(text, ".t").has_value());
  CHECK(split_number("a.t0", ".t")->number == 0);
}
