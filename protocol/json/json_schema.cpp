#include "protocol/json/json_schema.hpp"

#include "protocol/json/canonical_json.hpp"
#include "protocol/json/json_pointer.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/serialize.hpp>
#include <boost/url/parse.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

namespace {

namespace json = boost::json;

constexpr std::size_t shown_value_bytes = 60;

std::string shown_json(const json::value& value) {
  auto text = json_text(value);
  if (text.size() > shown_value_bytes) {
    text.resize(cut_utf8(text, shown_value_bytes));
    text += "...";
  }
  return text;
}

// -- numbers, which JSON does not divide into kinds -----------------------------------------------

/// Exact for every number that Boost.JSON reads: a long double has the bits of all three kinds.
std::optional<long double> number_in(const json::value& value) {
  if (const auto* whole = value.if_int64())
    return static_cast<long double>(*whole);
  if (const auto* whole = value.if_uint64())
    return static_cast<long double>(*whole);
  if (const auto* real = value.if_double())
    return static_cast<long double>(*real);
  return std::nullopt;
}

bool is_whole(const json::value& value) {
  const auto number = number_in(value);
  return number && std::isfinite(*number) && std::trunc(*number) == *number;
}

/// 0.0075 is a multiple of 0.0001, though neither is a double exactly.
bool is_multiple(long double value, long double of) {
  const auto rest = std::abs(std::remainder(value, of));
  return rest <= std::abs(of) * 1e-9L;
}

/// Equal values have equal texts, 1 and 1.0 too. Empty: it has a number beyond all bounds.
std::string canonical_text(const json::value& value) {
  auto text = canonical_json(value);
  return text ? std::move(*text) : std::string{};
}

bool is_same(const json::value& a, const json::value& b) {
  const auto one = number_in(a);
  const auto other = number_in(b);
  if (one && other)
    return *one == *other;
  return a.kind() == b.kind() && canonical_text(a) == canonical_text(b);
}

std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return !continues_utf8(byte); }));
}

// -- formats --------------------------------------------------------------------------------------

/// Takes `digits` decimal digits off the front.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits || !std::ranges::all_of(text.substr(0, digits), [](char each) {
        return each >= '0' && each <= '9';
      }))
    return std::nullopt;
  int out = 0;
  std::from_chars(text.data(), text.data() + digits, out);
  text.remove_prefix(digits);
  return out;
}

bool take_char(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected)
    return false;
  text.remove_prefix(1);
  return true;
}

bool take_date(std::string_view& text) {
  const auto year = take_number(text, 4);
  const auto month = year && take_char(text, '-') ? take_number(text, 2) : std::nullopt;
  const auto day = month && take_char(text, '-') ? take_number(text, 2) : std::nullopt;
  if (!day || *month < 1 || *month > 12 || *day < 1)
    return false;
  const bool leaps = *year % 4 == 0 && (*year % 100 != 0 || *year % 400 == 0);
  constexpr std::array days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return *day <= days[static_cast<std::size_t>(*month - 1)] + (leaps && *month == 2 ? 1 : 0);
}

bool is_date(std::string_view text) {
  return take_date(text) && text.empty();
}

/// RFC 3339 section 5.6, with the leap seconds of its section 5.7.
bool is_date_time(std::string_view text) {
  if (!take_date(text) || (!take_char(text, 'T') && !take_char(text, 't')))
    return false;
  const auto hour = take_number(text, 2);
  const auto minute = hour && take_char(text, ':') ? take_number(text, 2) : std::nullopt;
  const auto second = minute && take_char(text, ':') ? take_number(text, 2) : std::nullopt;
  if (!second || *hour > 23 || *minute > 59 || *second > 60)
    return false;
  if (take_char(text, '.')) {
    if (!take_number(text, 1))
      return false;
    while (take_number(text, 1))
      continue;
  }
  int offset = 0;
  if (!take_char(text, 'Z') && !take_char(text, 'z')) {
    const int sign = take_char(text, '+') ? 1 : take_char(text, '-') ? -1 : 0;
    const auto hours = sign != 0 ? take_number(text, 2) : std::nullopt;
    const auto minutes = hours && take_char(text, ':') ? take_number(text, 2) : std::nullopt;
    if (!minutes || *hours > 23 || *minutes > 59)
      return false;
    offset = sign * (*hours * 60 + *minutes);
  }
  constexpr int day = 24 * 60;
  const int minute_of_day = ((*hour * 60 + *minute - offset) % day + day) % day;
  return text.empty() && (*second < 60 || minute_of_day == day - 1);
}

/// `local@domain` as clients of mail take it; no comments, no quoted local part.
bool is_email(std::string_view text) {
  const auto at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at + 1 == text.size())
    return false;
  const auto has_empty_label = [](std::string_view part) {
    return part.front() == '.' || part.back() == '.' || part.find("..") != std::string_view::npos;
  };
  const auto local = text.substr(0, at);
  const auto domain = text.substr(at + 1);
  const auto in_local = [](char each) {
    return static_cast<unsigned char>(each) > ' ' && each != '@' && each != '"' && each != 0x7f;
  };
  const auto in_domain = [](char each) {
    const bool is_letter = (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z');
    return is_letter || (each >= '0' && each <= '9') || each == '-' || each == '.'
           || static_cast<signed char>(each) < 0;
  };
  return !has_empty_label(local) && !has_empty_label(domain) && std::ranges::all_of(local, in_local)
         && std::ranges::all_of(domain, in_domain);
}

bool is_uri(std::string_view text) {
  return boost::urls::parse_uri(text).has_value();
}

struct format_row {
  std::string_view name;
  bool (*fits)(std::string_view);
};
constexpr auto formats = std::to_array<format_row>(
    {{"email", is_email}, {"uri", is_uri}, {"date", is_date}, {"date-time", is_date_time}});

const format_row* find_format(std::string_view name) {
  const auto found = std::ranges::find(formats, name, &format_row::name);
  return found == formats.end() ? nullptr : &*found;
}

// -- the schema -----------------------------------------------------------------------------------

/// Where a schema stands; each level nests in the one before.
enum class schema_level { top, property, item };

constexpr auto scalar_types =
    std::to_array<std::string_view>({"string", "number", "integer", "boolean"});

bool is_size(const json::value& value) {
  return is_whole(value) && *number_in(value) >= 0;
}

class schema_checker {
public:
  std::optional<schema_fault> take() { return std::move(fault_); }

  void check(const json::object& schema, const std::string& pointer, schema_level at) {
    for (const auto& [name, value] : schema)
      if (!fault_)
        check_keyword({name.data(), name.size()}, value, schema, pointer, at);
  }

private:
  void fail(std::string pointer, std::string message) {
    if (!fault_)
      fault_ = schema_fault{std::move(pointer), std::move(message)};
  }

  void check_keyword(std::string_view name, const json::value& value, const json::object& schema,
                     const std::string& above, schema_level at) {
    auto pointer = above;
    append_pointer(pointer, name);
    const auto expect = [&](bool is_right, std::string_view expected) {
      if (!is_right)
        fail(pointer, "must be " + std::string(expected) + ", found " + shown_json(value));
    };
    if (name == "type") {
      check_type(value, pointer, at);
    } else if (name == "title" || name == "description" || name == "$schema") {
      expect(value.is_string(), "a text");
    } else if (name == "minimum" || name == "maximum" || name == "exclusiveMinimum"
               || name == "exclusiveMaximum") {
      expect(value.is_number(), "a number");
    } else if (name == "multipleOf") {
      const auto number = number_in(value);
      expect(number && *number > 0, "a number above 0");
    } else if (name == "minLength" || name == "maxLength" || name == "minItems"
               || name == "maxItems") {
      expect(is_size(value), "a whole number from 0 on");
    } else if (name == "uniqueItems") {
      expect(value.is_bool(), "true or false");
    } else if (name == "enum") {
      expect(value.is_array() && !value.get_array().empty(), "an array of at least one value");
    } else if (name == "format") {
      const auto* text = value.if_string();
      expect(text && find_format({text->data(), text->size()}),
             "one of email, uri, date, date-time");
    } else if (name == "enumNames") {
      check_names(value, schema, pointer);
    } else if (name == "oneOf" || name == "anyOf") {
      check_choices(value, pointer);
    } else if (name == "items" && at != schema_level::item) {
      check_below(value, pointer, schema_level::item);
    } else if (at == schema_level::top && name == "properties") {
      check_properties(value, pointer);
    } else if (at == schema_level::top && name == "required") {
      expect(value.is_array()
                 && std::ranges::all_of(value.get_array(),
                                        [](const json::value& each) { return each.is_string(); }),
             "an array of names");
    } else if (at == schema_level::top && name == "additionalProperties") {
      expect(value.is_bool(), "true or false");
    } else if (name != "const" && name != "default") {
      fail(pointer, troupe::quoted(name, shown_value_bytes) + " cannot be checked here");
    }
  }

  void check_type(const json::value& value, const std::string& pointer, schema_level at) {
    const auto* text = value.if_string();
    const auto named = text ? std::string_view(text->data(), text->size()) : std::string_view{};
    const bool is_scalar = std::ranges::find(scalar_types, named) != scalar_types.end();
    if (!is_scalar && (named != "array" || at == schema_level::item)
        && (named != "object" || at != schema_level::top))
      fail(pointer, "must be one of string, number, integer, boolean"
                        + std::string(at == schema_level::item ? "" : ", array")
                        + (at == schema_level::top ? ", object" : "") + "; found "
                        + shown_json(value));
  }

  void check_below(const json::value& value, const std::string& pointer, schema_level at) {
    if (const auto* schema = value.if_object())
      check(*schema, pointer, at);
    else
      fail(pointer, "must be a schema, found " + shown_json(value));
  }

  void check_properties(const json::value& value, const std::string& pointer) {
    const auto* all = value.if_object();
    if (!all)
      return fail(pointer, "must be an object, found " + shown_json(value));
    if (all->size() > schema_properties_max)
      return fail(pointer, "has " + std::to_string(all->size()) + " properties; the limit is "
                               + std::to_string(schema_properties_max));
    for (const auto& [name, schema] : *all) {
      auto below = pointer;
      append_pointer(below, {name.data(), name.size()});
      check_below(schema, below, schema_level::property);
    }
  }

  /// Of MCP's forms: a title for each value of `enum`.
  void check_names(const json::value& value, const json::object& schema,
                   const std::string& pointer) {
    const auto* names = value.if_array();
    const auto* values = schema.if_contains("enum");
    const auto* of = values ? values->if_array() : nullptr;
    if (!names || !of || names->size() != of->size()
        || !std::ranges::all_of(*names, [](const json::value& each) { return each.is_string(); }))
      fail(pointer,
           "must be an array of texts, one for each value of \"enum\", found " + shown_json(value));
  }

  void check_choices(const json::value& value, const std::string& pointer) {
    const auto* all = value.if_array();
    if (!all || all->empty())
      return fail(pointer, "must be an array of choices, found " + shown_json(value));
    for (std::size_t i = 0; i < all->size(); ++i) {
      const auto* choice = (*all)[i].if_object();
      const bool is_right =
          choice && choice->contains("const")
          && std::ranges::all_of(*choice, [](const json::key_value_pair& member) {
               return member.key() == "const"
                      || ((member.key() == "title" || member.key() == "description")
                          && member.value().is_string());
             });
      auto below = pointer;
      append_pointer(below, i);
      if (!is_right)
        fail(below,
             "must have a \"const\" and may have a \"title\", found " + shown_json((*all)[i]));
    }
  }

  std::optional<schema_fault> fault_;
};

// -- the value ------------------------------------------------------------------------------------

bool has_type(const json::value& value, std::string_view type) {
  if (type == "string")
    return value.is_string();
  if (type == "number")
    return value.is_number();
  if (type == "integer")
    return is_whole(value);
  if (type == "boolean")
    return value.is_bool();
  return type == "array" ? value.is_array() : value.is_object();
}

class value_checker {
public:
  std::optional<schema_fault> take() { return std::move(fault_); }

  void check(const json::value& value, const json::object& schema, const std::string& pointer) {
    for (const auto& [name, keyword] : schema)
      if (!fault_)
        check_keyword(value, schema, {name.data(), name.size()}, keyword, pointer);
  }

private:
  void fail(const std::string& pointer, std::string message) {
    if (!fault_)
      fault_ = schema_fault{pointer, std::move(message)};
  }

  void must(bool fits, const std::string& pointer, const std::string& expected,
            const json::value& found) {
    if (!fits)
      fail(pointer, "must " + expected + ", found " + shown_json(found));
  }

  void check_keyword(const json::value& value, const json::object& schema, std::string_view name,
                     const json::value& keyword, const std::string& pointer) {
    if (name == "type") {
      const std::string_view type{keyword.get_string()};
      must(has_type(value, type), pointer, "be of type " + std::string(type), value);
    } else if (name == "const") {
      must(is_same(value, keyword), pointer, "be " + shown_json(keyword), value);
    } else if (name == "enum") {
      must(std::ranges::any_of(keyword.get_array(),
                               [&](const json::value& each) { return is_same(value, each); }),
           pointer, "be one of " + shown_json(keyword), value);
    } else if (name == "oneOf" || name == "anyOf") {
      check_choices(value, keyword.get_array(), name == "oneOf", pointer);
    } else if (const auto number = number_in(value)) {
      check_number(value, *number, name, keyword, pointer);
    } else if (const auto* text = value.if_string()) {
      check_text({text->data(), text->size()}, value, name, keyword, pointer);
    } else if (const auto* items = value.if_array()) {
      check_items(*items, name, keyword, pointer);
    } else if (const auto* members = value.if_object()) {
      check_members(*members, schema, name, keyword, pointer);
    }
  }

  void check_choices(const json::value& value, const json::array& choices, bool only_one,
                     const std::string& pointer) {
    std::string known;
    std::size_t count = 0;
    for (const auto& choice : choices) {
      const auto& each = choice.get_object().at("const");
      known += (known.empty() ? "" : ", ") + shown_json(each);
      count += is_same(value, each) ? 1U : 0U;
    }
    must(only_one ? count == 1 : count > 0, pointer, "be one of " + known, value);
  }

  void check_number(const json::value& value, long double number, std::string_view name,
                    const json::value& keyword, const std::string& pointer) {
    const auto bound = number_in(keyword);
    if (!bound)
      return;
    if (name == "minimum")
      must(number >= *bound, pointer, "be at least " + shown_json(keyword), value);
    else if (name == "maximum")
      must(number <= *bound, pointer, "be at most " + shown_json(keyword), value);
    else if (name == "exclusiveMinimum")
      must(number > *bound, pointer, "be above " + shown_json(keyword), value);
    else if (name == "exclusiveMaximum")
      must(number < *bound, pointer, "be below " + shown_json(keyword), value);
    else if (name == "multipleOf")
      must(is_multiple(number, *bound), pointer, "be a multiple of " + shown_json(keyword), value);
  }

  void check_text(std::string_view text, const json::value& value, std::string_view name,
                  const json::value& keyword, const std::string& pointer) {
    const auto bound = number_in(keyword).value_or(0);
    if (name == "minLength")
      must(static_cast<long double>(characters_in(text)) >= bound, pointer,
           "have at least " + shown_json(keyword) + " characters", value);
    else if (name == "maxLength")
      must(static_cast<long double>(characters_in(text)) <= bound, pointer,
           "have at most " + shown_json(keyword) + " characters", value);
    else if (name == "format")
      must(find_format(std::string_view{keyword.get_string()})->fits(text), pointer,
           "be of the format " + std::string(keyword.get_string()), value);
  }

  void check_items(const json::array& items, std::string_view name, const json::value& keyword,
                   const std::string& pointer) {
    const auto count = static_cast<long double>(items.size());
    const auto fail_count = [&](std::string_view bound) {
      fail(pointer, "must have " + std::string(bound) + " " + shown_json(keyword) + " items, found "
                        + std::to_string(items.size()));
    };
    if (name == "minItems" && count < *number_in(keyword))
      fail_count("at least");
    else if (name == "maxItems" && count > *number_in(keyword))
      fail_count("at most");
    else if (name == "uniqueItems" && keyword.get_bool())
      check_unique(items, pointer);
    else if (name == "items")
      for (std::size_t i = 0; i < items.size() && !fault_; ++i) {
        auto below = pointer;
        append_pointer(below, i);
        check(items[i], keyword.get_object(), below);
      }
  }

  void check_unique(const json::array& items, const std::string& pointer) {
    std::vector<std::string> texts;
    texts.reserve(items.size());
    for (const auto& each : items)
      texts.push_back(canonical_text(each));
    std::ranges::sort(texts);
    if (std::ranges::adjacent_find(texts) != texts.end())
      fail(pointer, "must not have the same item twice");
  }

  void check_members(const json::object& members, const json::object& schema, std::string_view name,
                     const json::value& keyword, const std::string& pointer) {
    if (name == "required") {
      for (const auto& each : keyword.get_array())
        if (!members.contains(each.get_string()))
          fail(pointer, "must have a member " + shown_json(each));
    } else if (name == "properties") {
      for (const auto& [member, below_schema] : keyword.get_object())
        if (const auto* found = members.if_contains(member)) {
          auto below = pointer;
          append_pointer(below, {member.data(), member.size()});
          check(*found, below_schema.get_object(), below);
        }
    } else if (name == "additionalProperties" && !keyword.get_bool()) {
      const auto* known = schema.if_contains("properties");
      for (const auto& member : members)
        if (known == nullptr || !known->get_object().contains(member.key())) {
          auto below = pointer;
          append_pointer(below, {member.key().data(), member.key().size()});
          fail(below, "is not asked for");
        }
    }
  }

  std::optional<schema_fault> fault_;
};

} // namespace

std::optional<schema_fault> check_schema(const json::object& schema) {
  const auto bytes = json::serialize(schema).size();
  if (bytes > schema_bytes_max)
    return schema_fault{"", "has " + std::to_string(bytes) + " bytes; the limit is "
                                + std::to_string(schema_bytes_max)};
  schema_checker checker;
  checker.check(schema, "", schema_level::top);
  return checker.take();
}

std::optional<schema_fault> find_misfit(const json::value& value, const json::object& schema) {
  value_checker checker;
  checker.check(value, schema, "");
  return checker.take();
}

} // namespace troupe
