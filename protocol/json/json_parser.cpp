#include "protocol/json/json_parser.hpp"

#include <boost/json/array.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value_stack.hpp>

#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

/// The parser's events onto a stack of values. The texts of numbers come as they stand, in parts if
/// the parser stopped inside one.
struct tree_builder {
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  using text = json::string_view;
  using error = boost::system::error_code;

  explicit tree_builder(std::span<unsigned char> scratch, json::storage_ptr more = {})
      : stack(std::move(more), scratch.data(), scratch.size()) {}

  bool on_document_begin(error&) { return true; }
  bool on_document_end(error&) { return true; }
  bool on_object_begin(error&) { return true; }
  bool on_array_begin(error&) { return true; }
  bool on_comment_part(text, error&) { return true; }
  bool on_comment(text, error&) { return true; }

  bool on_object_end(std::size_t members, error&) {
    stack.push_object(members);
    return true;
  }
  bool on_array_end(std::size_t elements, error&) {
    stack.push_array(elements);
    return true;
  }
  bool on_key_part(text part, std::size_t, error&) {
    stack.push_chars(part);
    return true;
  }
  bool on_key(text rest, std::size_t, error&) {
    stack.push_key(rest);
    return true;
  }
  bool on_string_part(text part, std::size_t, error&) {
    stack.push_chars(part);
    return true;
  }
  bool on_string(text rest, std::size_t, error&) {
    stack.push_string(rest);
    return true;
  }
  bool on_number_part(text part, error&) {
    number.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t value, text, error&) {
    number.clear();
    stack.push_int64(value);
    return true;
  }
  bool on_uint64(std::uint64_t value, text, error&) {
    number.clear();
    stack.push_uint64(value);
    return true;
  }
  bool on_double(double value, text rest, error& failed_with) {
    number.append(rest.data(), rest.size());
    double nearest = 0;
    const auto [end, failed] =
        std::from_chars(number.data(), number.data() + number.size(), nearest);
    number.clear();
    const bool is_beyond = failed != std::errc{} && std::abs(value) > 1; // else it is next to 0
    if (is_beyond) {
      failed_with = json::make_error_code(json::error::exponent_overflow);
      return false;
    }
    stack.push_double(failed == std::errc{} ? nearest : value);
    return true;
  }
  bool on_bool(bool value, error&) {
    stack.push_bool(value);
    return true;
  }
  bool on_null(error&) {
    stack.push_null();
    return true;
  }

  json::value_stack stack;
  std::string number;
};

using tree_parser = json::basic_parser<tree_builder>;

json::value parse_with(tree_parser& parser, std::string_view text, json::storage_ptr memory,
                       boost::system::error_code& failed, std::size_t& offset) {
  parser.reset();
  parser.handler().number.clear();
  parser.handler().stack.reset(std::move(memory));
  offset = parser.write_some(false, text.data(), text.size(), failed);
  if (!failed && offset < text.size())
    failed = json::make_error_code(json::error::extra_data);
  return failed ? json::value{} : parser.handler().stack.release();
}

} // namespace

class json_parser::impl : public tree_parser {
public:
  using tree_parser::tree_parser;
};

json_parser::json_parser(const json::parse_options& options, std::span<unsigned char> scratch,
                         json::storage_ptr more)
    : impl_(std::make_unique<impl>(options, scratch, std::move(more))) {}

json_parser::~json_parser() = default;

json::value json_parser::parse(std::string_view text, json::storage_ptr memory,
                               boost::system::error_code& failed, std::size_t& offset) {
  return parse_with(*impl_, text, std::move(memory), failed, offset);
}

std::string json_fault(const boost::system::error_code& failed) {
  if (failed == json::error::exponent_overflow)
    return "a number is out of range (the largest is 1.7976931348623157e308)";
  return failed.message();
}

json::value parse_json(std::string_view text, boost::system::error_code& failed,
                       json::storage_ptr memory, const json::parse_options& options) {
  tree_parser parser(options, std::span<unsigned char>{});
  std::size_t offset = 0;
  return parse_with(parser, text, std::move(memory), failed, offset);
}

} // namespace troupe
