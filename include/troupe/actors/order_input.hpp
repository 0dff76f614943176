// The `input` of an order. What its references find is shared with all others who refer to it: text
// is put together when an agent reads it, as a whole or in pieces.
#pragma once

#include <troupe/protocol/text_pieces.hpp>

#include <boost/json/kind.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace troupe {

struct string_replacement;
struct string_replacements;

/// A value within an input; its references are replaced. Good as long as the input.
class input_value {
public:
  [[nodiscard]] boost::json::kind kind() const noexcept;
  /// Of a list or an object; else 0.
  [[nodiscard]] std::size_t size() const noexcept;
  /// An element of a list; `index` is less than `size`.
  [[nodiscard]] input_value at(std::size_t index) const;
  /// A member of an object.
  [[nodiscard]] std::optional<input_value> find(std::string_view name) const;

  /// A copy of all of it.
  [[nodiscard]] boost::json::value resolve() const;
  /// A string without quotes, or JSON. The input outlives the pieces.
  [[nodiscard]] text_pieces text() const;

private:
  friend class order_input;
  input_value(const boost::json::value& written, const string_replacements* replaced);

  const boost::json::value* value_;
  const string_replacements* replaced_;      ///< Null: nothing within it is replaced.
  const string_replacement* text_ = nullptr; ///< If it is a string put together.
};

/// A value; copies share everything. May be read on any thread.
class order_input {
public:
  order_input() = default;
  /// Holds no references: `${` is text like any other.
  order_input(boost::json::object literal); // NOLINT(google-explicit-constructor)
  explicit order_input(std::shared_ptr<const boost::json::object> literal);
  /// With references: see follow_references in actors/task/input_references.hpp.
  order_input(std::shared_ptr<const boost::json::object> written,
              std::shared_ptr<const string_replacements> replaced);

  [[nodiscard]] bool empty() const noexcept { return written().empty(); }
  /// As it is written, with its references.
  [[nodiscard]] const boost::json::object& written() const noexcept;
  /// A member.
  [[nodiscard]] std::optional<input_value> find(std::string_view name) const;
  /// A copy of all of it.
  [[nodiscard]] boost::json::object resolve() const;
  /// All of it as JSON. The pieces keep what they need.
  [[nodiscard]] text_pieces json() const;

private:
  std::shared_ptr<const boost::json::object> written_;  ///< Null: empty.
  std::shared_ptr<const string_replacements> replaced_; ///< Null: no references.
};

} // namespace troupe
