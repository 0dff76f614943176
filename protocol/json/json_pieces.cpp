#include "protocol/json/json_pieces.hpp"

#include "protocol/json/base64.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/serializer.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace troupe {

namespace {

namespace json = boost::json;

constexpr std::size_t slice_bytes = 1023; // three bytes of base64 are never cut
static_assert(slice_bytes % 3 == 0);

// The text of boost::json for a value, without a copy of the whole.
class serialized_value {
public:
  explicit serialized_value(const json::value& value) { serializer_.reset(&value); }

  /// Empty: all was read.
  std::string_view next() {
    const auto read =
        serializer_.done() ? json::string_view{} : serializer_.read(buffer_.data(), buffer_.size());
    return {read.data(), read.size()};
  }

private:
  json::serializer serializer_;
  std::array<char, 4096> buffer_{};
};

void add_serialized(text_pieces& out, const json::value& value, bool is_escaped) {
  const auto written = std::make_shared<serialized_value>(value);
  if (!is_escaped)
    return out.add_source([written](text_pieces& to) {
      const auto read = written->next();
      to.end() += read;
      return !read.empty();
    });
  out.add_source([written, cut = std::string{}](text_pieces& to) mutable {
    const auto read = written->next();
    cut += read;
    // The last bytes may be the beginning of a character, which is escaped as a whole.
    const auto size = read.empty()
                          ? cut.size()
                          : cut_utf8(cut, cut.size() - std::min<std::size_t>(3, cut.size()));
    append_escaped(to.end(), std::string_view{cut}.substr(0, size));
    cut.erase(0, size);
    return !read.empty();
  });
}

void add_plain(text_pieces& out, std::string_view text, bool is_escaped) {
  if (is_escaped)
    add_escaped(out, text);
  else
    out.add_borrowed(text);
}

void add_segment(text_pieces& out, const string_replacement::text_segment& segment,
                 bool is_escaped) {
  if (const auto* text = std::get_if<std::string_view>(&segment))
    return add_plain(out, *text, is_escaped);
  if (const auto* value = std::get_if<const json::value*>(&segment)) {
    if (const auto* text = (*value)->if_string())
      return add_plain(out, *text, is_escaped);
    if ((*value)->is_structured())
      return add_serialized(out, **value, is_escaped);
    out.end() += json_text(**value); // A number, true, false or null: nothing is escaped.
    return;
  }
  // One part in each call: an output that came in chunks has very many.
  out.add_source([parts = std::get<std::span<const part>>(segment), is_escaped,
                  has_text = false](text_pieces& to) mutable {
    if (parts.empty())
      return false;
    if (const auto* text = std::get_if<text_content>(&parts.front().content)) {
      if (has_text)
        to.end() += is_escaped ? "\\n" : "\n";
      add_plain(to, text->text, is_escaped);
      has_text = has_text || !text->text.empty();
    }
    parts = parts.subspan(1);
    return true;
  });
}

void add_quoted(text_pieces& out, std::string_view text) {
  out.end() += '"';
  add_escaped(out, text);
  out.end() += '"';
}

void add_replacement(text_pieces& out, const string_replacement& other) {
  if (other.value != nullptr)
    return add_json(out, *other.value);
  out.end() += '"';
  for (const auto& segment : other.text)
    add_segment(out, segment, true);
  out.end() += '"';
}

// Walks a tree from one token to the next.
class tree_source {
public:
  tree_source(const json::object& root, const string_replacements* replaced)
      : replaced_(replaced), open_{{&root, nullptr}} {}
  tree_source(const json::array& root, const string_replacements* replaced)
      : replaced_(replaced), open_{{nullptr, &root}} {}

  bool operator()(text_pieces& out) {
    while (!open_.empty() && out.end().size() < 4 * written_at_once_bytes_max && step(out)) {
    }
    return !open_.empty();
  }

private:
  struct level {
    const json::object* object;
    const json::array* array;
    std::size_t next = 0;
    bool is_begun = false;
  };

  // False after something long: the rest follows in the next call.
  bool step(text_pieces& out) {
    auto& at = open_.back();
    if (!std::exchange(at.is_begun, true)) {
      out.end() += at.object != nullptr ? '{' : '[';
      return true;
    }
    if (at.next == (at.object != nullptr ? at.object->size() : at.array->size())) {
      out.end() += at.object != nullptr ? '}' : ']';
      open_.pop_back();
      return true;
    }
    const auto index = at.next++;
    if (index > 0)
      out.end() += ',';
    if (at.array != nullptr)
      return add(out, (*at.array)[index]);
    const auto& member = *(at.object->begin() + static_cast<std::ptrdiff_t>(index));
    add_quoted(out, member.key());
    out.end() += ':';
    return add(out, member.value()) && member.key().size() <= written_at_once_bytes_max;
  }

  bool add(text_pieces& out, const json::value& value) {
    if (const auto* object = value.if_object()) {
      open_.push_back({object, nullptr});
      return true;
    }
    if (const auto* array = value.if_array()) {
      open_.push_back({nullptr, array});
      return true;
    }
    add_json(out, value, replaced_);
    const auto* text = value.if_string();
    return text == nullptr
           || (text->size() <= written_at_once_bytes_max && (!replaced_ || !replaced_->of(value)));
  }

  const string_replacements* replaced_;
  std::vector<level> open_;
};

bool take(std::size_t& budget, std::size_t bytes) {
  const bool is_enough = bytes <= budget;
  budget -= is_enough ? bytes : budget;
  return is_enough;
}

bool fits(const json::value& tree, std::size_t& budget);

bool fits(const json::object& tree, std::size_t& budget) {
  return std::all_of(tree.begin(), tree.end(), [&](const auto& member) {
    return take(budget, member.key().size()) && fits(member.value(), budget);
  });
}

bool fits(const json::value& tree, std::size_t& budget) {
  if (!take(budget, sizeof(json::value)))
    return false;
  if (const auto* text = tree.if_string())
    return take(budget, text->size());
  if (const auto* object = tree.if_object())
    return fits(*object, budget);
  const auto* array = tree.if_array();
  return array == nullptr || std::all_of(array->begin(), array->end(), [&](const json::value& one) {
           return fits(one, budget);
         });
}

} // namespace

std::size_t inserted_bytes(const json::value& value) {
  if (const auto* text = value.if_string())
    return text->size();
  if (!value.is_structured())
    return json_text(value).size();
  std::size_t sum = 0;
  serialized_value written(value);
  for (auto piece = written.next(); !piece.empty(); piece = written.next())
    sum += piece.size();
  return sum;
}

std::size_t inserted_bytes(const string_replacement::text_segment& segment) {
  if (const auto* text = std::get_if<std::string_view>(&segment))
    return text->size();
  if (const auto* value = std::get_if<const json::value*>(&segment))
    return inserted_bytes(**value);
  std::size_t sum = 0;
  for (const auto& one : std::get<std::span<const part>>(segment))
    if (const auto* text = std::get_if<text_content>(&one.content))
      sum += text->text.size() + (sum > 0 ? 1 : 0);
  return sum;
}

std::string text_of(const string_replacement& replacement) {
  text_pieces out;
  add_text(out, replacement);
  return out.rest();
}

void add_text(text_pieces& out, const string_replacement& replacement) {
  for (const auto& segment : replacement.text)
    add_segment(out, segment, false);
}

void add_escaped(text_pieces& out, std::string_view text) {
  if (text.size() <= written_at_once_bytes_max)
    return append_escaped(out.end(), text);
  out.add_source([text](text_pieces& to) mutable {
    const auto size = cut_utf8(text, slice_bytes);
    append_escaped(to.end(), text.substr(0, size));
    text.remove_prefix(size);
    return !text.empty();
  });
}

void add_base64(text_pieces& out, std::string_view bytes) {
  if (bytes.empty())
    return;
  out.add_source([bytes](text_pieces& to) mutable {
    append_base64(to.end(), bytes.substr(0, slice_bytes));
    bytes.remove_prefix(std::min(bytes.size(), slice_bytes));
    return !bytes.empty();
  });
}

void add_json(text_pieces& out, const json::value& tree, const string_replacements* replaced) {
  if (const auto* object = tree.if_object())
    return add_json(out, *object, replaced);
  if (const auto* array = tree.if_array())
    return out.add_source(tree_source(*array, replaced));
  const auto* text = tree.if_string();
  if (text == nullptr) {
    json_writer(out.end()).value(tree);
    return;
  }
  if (const auto* other = replaced != nullptr ? replaced->of(tree) : nullptr)
    return add_replacement(out, *other);
  add_quoted(out, *text);
}

void add_json(text_pieces& out, const json::object& tree, const string_replacements* replaced) {
  out.add_source(tree_source(tree, replaced));
}

bool is_long(const json::value& tree) {
  auto budget = written_at_once_bytes_max;
  return !fits(tree, budget);
}

bool is_long(const json::object& tree) {
  auto budget = written_at_once_bytes_max;
  return !fits(tree, budget);
}

} // namespace troupe
