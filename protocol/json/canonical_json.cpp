#include "protocol/json/canonical_json.hpp"

#include "protocol/text/hex.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace troupe {

namespace json = boost::json;

namespace {

unsigned byte_of(char c) noexcept {
  return static_cast<unsigned char>(c);
}

void append_unit(std::string& out, std::uint32_t unit) {
  out += "\\u";
  append_hex(out, unit, 4);
}

/// What both spellings escape alike; false if `c` is not among it.
bool append_common_escape(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return true;
    case '\\': out += "\\\\"; return true;
    case '\b': out += "\\b"; return true;
    case '\t': out += "\\t"; return true;
    case '\n': out += "\\n"; return true;
    case '\f': out += "\\f"; return true;
    case '\r': out += "\\r"; return true;
    default: break;
  }
  if (byte_of(c) >= 0x20)
    return false;
  append_unit(out, byte_of(c));
  return true;
}

/// A finite double as the shortest digits that read back the same, and the place of its decimal
/// point: `0.DIGITS * 10^point`.
struct decimal {
  bool negative = false;
  std::string digits;
  int point = 0;
};

decimal decimal_of(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), std::abs(value),
                                 std::chars_format::scientific)
                       .ptr;
  const std::string_view all(text.data(), static_cast<std::size_t>(end - text.data()));
  const auto e = all.find('e');
  decimal out;
  out.negative = std::signbit(value);
  for (const char c : all.substr(0, e))
    if (c != '.')
      out.digits += c;
  const auto sign = all[e + 1];
  std::from_chars(all.data() + e + 2, all.data() + all.size(), out.point);
  out.point = (sign == '-' ? -out.point : out.point) + 1;
  return out;
}

void append_int(std::string& out, int value) {
  out += std::to_string(value);
}

std::size_t zeros(int count) noexcept {
  return static_cast<std::size_t>(std::max(count, 0));
}

/// `1.5e+300`; `exponent_digits_min`: Python pads to two.
void append_scientific(std::string& out, const decimal& of, int exponent_digits_min) {
  out += of.digits[0];
  if (of.digits.size() > 1)
    out.append(1, '.').append(of.digits, 1);
  const int exponent = of.point - 1;
  out += exponent < 0 ? "e-" : "e+";
  if (exponent_digits_min == 2 && std::abs(exponent) < 10)
    out += '0';
  append_int(out, std::abs(exponent));
}

void append_plain(std::string& out, const decimal& of) {
  const int count = static_cast<int>(of.digits.size());
  if (of.point <= 0)
    out.append("0.").append(zeros(-of.point), '0').append(of.digits);
  else if (count <= of.point)
    out.append(of.digits).append(zeros(of.point - count), '0');
  else
    out.append(of.digits, 0, zeros(of.point)).append(1, '.').append(of.digits, zeros(of.point));
}

// -- the two spellings ----------------------------------------------------------------------------

/// RFC 8785.
struct jcs {
  /// UTF-16 order is that of code points, but for U+E000..U+FFFF, which come after everything that
  /// needs surrogates; in UTF-8 the lead byte tells them apart.
  static unsigned rank(char c) noexcept {
    return byte_of(c) == 0xee || byte_of(c) == 0xef ? byte_of(c) + 0x10 : byte_of(c);
  }

  static bool less(std::string_view a, std::string_view b) noexcept {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [](char x, char y) { return rank(x) < rank(y); });
  }

  /// ECMA-262, Number::toString.
  static void append_number(std::string& out, double value) {
    if (value == 0) {
      out += '0'; // also for -0
      return;
    }
    const auto of = decimal_of(value);
    if (of.negative)
      out += '-';
    if (of.point > 21 || of.point <= -6)
      append_scientific(out, of, 1);
    else
      append_plain(out, of);
  }

  static void append_text(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text)
      if (!append_common_escape(out, c))
        out += c;
    out += '"';
  }
};

struct python {
  static bool less(std::string_view a, std::string_view b) noexcept {
    return a < b;
  } // UTF-8 order is that of code points

  /// `repr(float)`.
  static void append_number(std::string& out, double value) {
    const auto of = decimal_of(value);
    if (of.negative)
      out += '-';
    if (value == 0) {
      out += "0.0";
    } else if (of.point > 16 || of.point <= -4) {
      append_scientific(out, of, 2);
    } else {
      append_plain(out, of);
      if (static_cast<int>(of.digits.size()) <= of.point)
        out += ".0";
    }
  }

  static void append_text(std::string& out, std::string_view text) {
    out += '"';
    for (std::size_t at = 0; at < text.size();) {
      const auto lead = byte_of(text[at]);
      if (lead < 0x7f) {
        if (!append_common_escape(out, text[at]))
          out += text[at];
        ++at;
        continue;
      }
      // Boost.JSON hands out valid UTF-8 only.
      const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
      std::uint32_t point = length == 1 ? lead : lead & (0x7fU >> length);
      for (std::size_t i = 1; i < length && at + i < text.size(); ++i)
        point = (point << 6) | (byte_of(text[at + i]) & 0x3fU);
      at += length;
      if (point >= 0x10000) {
        append_unit(out, 0xd800 + ((point - 0x10000) >> 10));
        point = 0xdc00 + ((point - 0x10000) & 0x3ff);
      }
      append_unit(out, point);
    }
    out += '"';
  }
};

template<class Spelling>
class printer {
public:
  void print(const json::value& tree) {
    switch (tree.kind()) {
      case json::kind::null: out_ += "null"; return;
      case json::kind::bool_: out_ += tree.get_bool() ? "true" : "false"; return;
      case json::kind::int64: print_number(static_cast<double>(tree.get_int64())); return;
      case json::kind::uint64: print_number(static_cast<double>(tree.get_uint64())); return;
      case json::kind::double_: print_number(tree.get_double()); return;
      case json::kind::string: Spelling::append_text(out_, view(tree.get_string())); return;
      case json::kind::array: print_array(tree.get_array()); return;
      case json::kind::object: print_object(tree.get_object()); return;
    }
  }

  result<std::string> take() {
    if (!finite_)
      return make_error(errc::invalid_params,
                        "a number is too large to be canonical JSON (RFC 8785 3.2.2.3)");
    return std::move(out_);
  }

private:
  template<class Text>
  static std::string_view view(const Text& text) noexcept {
    return {text.data(), text.size()};
  }

  void print_number(double value) {
    finite_ = finite_ && std::isfinite(value);
    if (finite_)
      Spelling::append_number(out_, value);
  }

  void print_array(const json::array& items) {
    out_ += '[';
    for (const auto& item : items) {
      if (&item != items.begin())
        out_ += ',';
      print(item);
    }
    out_ += ']';
  }

  void print_object(const json::object& members) {
    std::vector<const json::key_value_pair*> sorted;
    sorted.reserve(members.size());
    for (const auto& member : members)
      sorted.push_back(&member);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
      return Spelling::less(view(a->key()), view(b->key()));
    });
    out_ += '{';
    for (const auto* member : sorted) {
      if (member != sorted.front())
        out_ += ',';
      Spelling::append_text(out_, view(member->key()));
      out_ += ':';
      print(member->value());
    }
    out_ += '}';
  }

  std::string out_;
  bool finite_ = true;
};

template<class Spelling>
result<std::string> printed(const json::value& tree) {
  printer<Spelling> out;
  out.print(tree);
  return out.take();
}

} // namespace

result<std::string> canonical_json(const json::value& tree) {
  return printed<jcs>(tree);
}

result<std::string> python_json(const json::value& tree) {
  return printed<python>(tree);
}

} // namespace troupe
