#include "protocol/json/base64.hpp"
#include "protocol/json/json_pieces.hpp"
#include "protocol/json/json_text.hpp"
#include "tests/protocol/random_values.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/pieces.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

using namespace troupe;
using namespace troupe::testing;
using troupe::test::random_values;

namespace {

/// How a value stands within a text.
std::string inserted_text(const boost::json::value& value) {
  return value.is_structured() ? boost::json::serialize(value) : text_of_value(value);
}

namespace json = boost::json;

// Random text of a few KiB, with everything that is escaped and characters of every length.
std::string long_text(random_values& random) {
  std::string out;
  for (auto n = 200 + random.below(1000); n > 0; --n)
    out += random.text();
  return out;
}

// Puts long texts in the places of some strings and names.
json::value with_long_texts(random_values& random, const json::value& tree) {
  if (tree.is_string())
    return random.coin() ? json::value(long_text(random)) : tree;
  if (const auto* array = tree.if_array()) {
    json::array out;
    for (const auto& one : *array)
      out.push_back(with_long_texts(random, one));
    return out;
  }
  if (const auto* object = tree.if_object()) {
    json::object out;
    for (const auto& member : *object)
      out[random.below(5) == 0 ? json::string(long_text(random)) : json::string(member.key())] =
          with_long_texts(random, member.value());
    return out;
  }
  return tree;
}

// Replaces random strings; `whole` becomes what the tree stands for then.
void replace_some(random_values& random, const json::value& tree, json::value& whole,
                  const std::vector<json::value>& values, const std::vector<part>& parts,
                  string_replacements& to) {
  if (tree.is_string() && random.coin()) {
    string_replacement other;
    const auto any_value = [&]() -> const json::value& {
      return values[random.below(static_cast<std::uint32_t>(values.size()))];
    };
    if (random.below(3) == 0) {
      other.value = &any_value();
      whole = *other.value;
    } else {
      std::string text;
      for (auto n = random.below(4); n > 0; --n) {
        const auto& value = any_value();
        if (random.below(3) == 0) {
          other.text.emplace_back(std::span{parts});
          text += text_of(parts);
        } else if (value.is_string() && random.coin()) {
          other.text.emplace_back(std::string_view{value.get_string()});
          text += value.get_string();
        } else {
          other.text.emplace_back(&value);
          text += inserted_text(value);
        }
      }
      CHECK(text_of(other) == text);
      std::size_t bytes = 0;
      for (const auto& segment : other.text)
        bytes += inserted_bytes(segment);
      CHECK(bytes == text.size());
      whole = text;
    }
    to.by_place.emplace(&tree, std::move(other));
  } else if (const auto* array = tree.if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i)
      replace_some(random, (*array)[i], whole.as_array()[i], values, parts, to);
  } else if (const auto* object = tree.if_object()) {
    for (const auto& member : *object)
      replace_some(random, member.value(), whole.as_object()[member.key()], values, parts, to);
  }
}

} // namespace

TEST_CASE("texts and sources come in the order in which they were added", "[protocol][pieces]") {
  const std::string borrowed = "two ";
  text_pieces pieces("one ");
  pieces.add_borrowed(borrowed);
  pieces.add_source([n = 3](text_pieces& out) mutable {
    out.end() += std::to_string(n);
    out.add_source([](text_pieces& inner) {
      inner.end() += '.';
      return false;
    });
    out.end() += ' ';
    return ++n < 5;
  });
  pieces.end() += "five ";
  text_pieces more("six");
  pieces.add(std::move(more));
  CHECK(put_together(std::move(pieces), 3) == "one two 3. 4. five six");
}

TEST_CASE("a source is asked for no more than is read", "[protocol][pieces]") {
  int asked = 0;
  text_pieces pieces;
  pieces.add_source([&](text_pieces& out) {
    ++asked;
    out.end() += "0123456789";
    return asked < 100;
  });
  CHECK(pieces.next(25).size() == 25);
  CHECK(asked == 3);
  CHECK(pieces.next(5).size() == 5);
  CHECK(asked == 3);
  CHECK(pieces.rest().size() == 970);
  CHECK(pieces.next(1).empty());
}

TEST_CASE("pieces keep what they borrow from until they are read", "[protocol][pieces]") {
  auto owner = std::make_shared<const std::string>("kept");
  const std::weak_ptr<const std::string> seen = owner;
  text_pieces pieces;
  pieces.add_borrowed(*owner);
  pieces.keep(std::move(owner));
  text_pieces outer;
  outer.add(std::move(pieces));
  CHECK(outer.next(100) == "kept");
  CHECK_FALSE(seen.expired());
  CHECK(outer.next(100).empty());
  CHECK(seen.expired());
}

TEST_CASE("a random tree in pieces is the tree as a whole", "[protocol][pieces]") {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    random_values random(seed);
    const auto tree = with_long_texts(random, random.tree(4));
    const auto whole = written(tree);
    for (const auto size :
         {std::size_t{1}, std::size_t{7}, std::size_t{1000}, std::size_t{16384}}) {
      text_pieces pieces;
      add_json(pieces, tree);
      CHECK(put_together(std::move(pieces), size) == whole);
    }
  }
}

TEST_CASE("a random tree with replaced strings is written as the whole tree",
          "[protocol][pieces]") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    random_values random(seed);
    const json::value tree = json::array{random.tree(4), random.text(), random.object(3)};
    std::vector<json::value> values;
    for (int i = 0; i < 8; ++i)
      values.push_back(with_long_texts(random, random.tree(3)));
    string_replacements replaced;
    auto stands_for = tree;
    std::vector<part> parts{data_part(7)};
    for (auto n = random.below(20); n > 0; --n)
      parts.push_back(random.coin() ? text_part(random.text()) : random.any_part());
    replace_some(random, tree, stands_for, values, parts, replaced);
    const auto whole = written(stands_for);
    for (const auto size : {std::size_t{3}, std::size_t{16384}}) {
      text_pieces pieces;
      add_json(pieces, tree, &replaced);
      CHECK(put_together(std::move(pieces), size) == whole);
    }
    for (const auto& [place, other] : replaced.by_place)
      if (other.value == nullptr) {
        text_pieces text;
        add_text(text, other);
        CHECK(put_together(std::move(text), 100) == text_of(other));
      }
  }
}

TEST_CASE("a value within a text has the length that is counted for it", "[protocol][pieces]") {
  random_values random(7);
  for (int i = 0; i < 100; ++i) {
    const auto value = with_long_texts(random, random.tree(3));
    CHECK(inserted_bytes(value) == inserted_text(value).size());
  }
}

TEST_CASE("a writer of pieces writes what a writer of text writes", "[protocol][pieces]") {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    random_values random(seed);
    const auto text = random.coin() ? long_text(random) : random.text();
    const auto bytes = std::string(random.below(5000), '\xfe') + random.bytes();
    const auto tree = random.coin() ? with_long_texts(random, random.tree(4)) : random.tree(1);
    const auto object = with_long_texts(random, random.object(3)).as_object();
    const auto write = [&](json_writer out) {
      text_pieces inner("[7]");
      out.begin_object().key("text").long_string(text).key("bytes").long_bytes(bytes);
      out.key("list").begin_array().long_value(tree).long_value(object).string("x").end_array();
      out.key("elements").begin_array();
      out.long_elements(seed % 4, [&text](json_writer& to, std::size_t i) {
        to.begin_object().key("i").number(i).key("text").long_string(text).end_object();
      });
      out.end_array();
      out.key("inner").pieces(std::move(inner)).member("last", "y").end_object();
    };
    std::string whole;
    write(json_writer{whole});
    text_pieces pieces;
    write(json_writer{pieces});
    CHECK(put_together(std::move(pieces), 100) == whole);
    CHECK(json::parse(whole).at("bytes").as_string() == to_base64(bytes));
  }
}

TEST_CASE("only some KiB of a long tree are made at a time", "[protocol][pieces]") {
  json::object tree;
  for (int i = 0; i < 50; ++i)
    tree[std::string(1000, '\x01') + std::to_string(i)] =
        json::array{std::string(1000, '\x01'), std::string(20'000, '\x01'), i};
  for (int i = 0; i < 20'000; ++i)
    tree["small " + std::to_string(i)] = i;
  tree["many"] = json::array(1000, json::value(std::string(1100, 'x')));
  text_pieces pieces;
  add_json(pieces, tree);
  std::size_t held = 0;
  std::size_t read = 0;
  for (auto piece = pieces.next(997); !piece.empty(); piece = pieces.next(997)) {
    read += piece.size();
    held = std::max(held, pieces.bytes_held());
  }
  CHECK(read > 6'000'000);
  CHECK(held > 0);
  CHECK(held <= 32 * 1024);
}

TEST_CASE("of many elements one is made at a time, and what they borrow is kept",
          "[protocol][pieces]") {
  std::weak_ptr<const std::string> watched;
  text_pieces pieces;
  std::size_t made = 0;
  {
    const auto text = std::make_shared<const std::string>(5000, 'x');
    watched = text;
    json_writer out(pieces);
    out.keep(text).begin_array();
    out.long_elements(1000, [&text = *text, &made](json_writer& to, std::size_t) {
      ++made;
      to.long_string(text);
    });
    out.end_array();
  }
  CHECK(made == 0);
  std::size_t held = 0;
  std::size_t read = 0;
  for (auto piece = pieces.next(4096); !piece.empty(); piece = pieces.next(4096)) {
    read += piece.size();
    held = std::max(held, pieces.bytes_held());
  }
  CHECK(made == 1000);
  CHECK(read == 1000 * 5003 + 1);
  CHECK(held < 16 * 1024);
  CHECK(watched.expired());
}
