// JSON text to a tree: Boost.JSON's parser, but every number becomes the double nearest to what was
// written. Boost 1.81 by itself is one unit in the last place off for about one in five numbers of
// 16 or 17 digits, which is what most languages print: what a client sent would come back changed,
// and change again with every restart. A number that no double can hold is refused
// (error::exponent_overflow): Boost would make it infinite, and JSON has no way to write that.
#pragma once

#include <boost/json/parse_options.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace troupe {

/// Reused from text to text. One thread at a time.
class json_parser {
public:
  /// `scratch`: temporary storage to begin with; it must outlive the parser. `more`: where it takes
  /// temporary storage beyond that.
  explicit json_parser(const boost::json::parse_options& options = {},
                       std::span<unsigned char> scratch = {}, boost::json::storage_ptr more = {});
  ~json_parser();
  json_parser(const json_parser&) = delete;
  json_parser& operator=(const json_parser&) = delete;

  /// The tree of `text` (RFC 8259), in `memory`; null, `failed` and where it went wrong in `offset`
  /// if it is not one JSON text.
  [[nodiscard]] boost::json::value parse(std::string_view text, boost::json::storage_ptr memory,
                                         boost::system::error_code& failed, std::size_t& offset);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

/// What is wrong with a text that was not parsed, for people.
[[nodiscard]] std::string json_fault(const boost::system::error_code& failed);

/// The same for one text. `failed` is one of boost::json::error.
[[nodiscard]] boost::json::value parse_json(std::string_view text,
                                            boost::system::error_code& failed,
                                            boost::json::storage_ptr memory = {},
                                            const boost::json::parse_options& options = {});

} // namespace troupe
