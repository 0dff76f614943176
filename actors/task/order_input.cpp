#include "protocol/json/json_pieces.hpp"
#include <troupe/actors/order_input.hpp>

#include <boost/json/array.hpp>
#include <boost/json/string.hpp>

#include <utility>

namespace troupe {

namespace json = boost::json;

// -- a value --------------------------------------------------------------------------------------

input_value::input_value(const json::value& written, const string_replacements* replaced)
    : value_(&written), replaced_(replaced) {
  const auto* other = replaced && written.is_string() ? replaced->of(written) : nullptr;
  if (other == nullptr)
    return;
  replaced_ = nullptr; // what was inserted is not read again
  if (other->value != nullptr)
    value_ = other->value;
  else
    text_ = other;
}

json::kind input_value::kind() const noexcept {
  return value_->kind();
}

std::size_t input_value::size() const noexcept {
  if (const auto* array = value_->if_array())
    return array->size();
  const auto* object = value_->if_object();
  return object != nullptr ? object->size() : 0;
}

input_value input_value::at(std::size_t index) const {
  return {value_->as_array().at(index), replaced_};
}

std::optional<input_value> input_value::find(std::string_view name) const {
  const auto* object = value_->if_object();
  const auto* found = object != nullptr ? object->if_contains(name) : nullptr;
  return found != nullptr ? std::optional{input_value{*found, replaced_}} : std::nullopt;
}

json::value input_value::resolve() const {
  if (text_ != nullptr)
    return json::value(text_of(*text_));
  if (replaced_ == nullptr)
    return *value_;
  if (const auto* array = value_->if_array()) {
    json::array out;
    out.reserve(array->size());
    for (const auto& one : *array)
      out.push_back(input_value{one, replaced_}.resolve());
    return out;
  }
  if (const auto* object = value_->if_object()) {
    json::object out;
    out.reserve(object->size());
    for (const auto& member : *object)
      out.emplace(member.key(), input_value{member.value(), replaced_}.resolve());
    return out;
  }
  return *value_;
}

text_pieces input_value::text() const {
  text_pieces out;
  if (text_ != nullptr)
    add_text(out, *text_);
  else if (const auto* text = value_->if_string())
    out.add_borrowed(*text);
  else
    add_json(out, *value_, replaced_);
  return out;
}

// -- the whole ------------------------------------------------------------------------------------

order_input::order_input(json::object literal)
    : written_(std::make_shared<const json::object>(std::move(literal))) {}

order_input::order_input(std::shared_ptr<const json::object> literal)
    : written_(std::move(literal)) {}

order_input::order_input(std::shared_ptr<const json::object> written,
                         std::shared_ptr<const string_replacements> replaced)
    : written_(std::move(written)), replaced_(std::move(replaced)) {}

const json::object& order_input::written() const noexcept {
  static const json::object none;
  return written_ ? *written_ : none;
}

std::optional<input_value> order_input::find(std::string_view name) const {
  const auto* found = written().if_contains(name);
  return found != nullptr ? std::optional{input_value{*found, replaced_.get()}} : std::nullopt;
}

json::object order_input::resolve() const {
  if (!replaced_)
    return written();
  json::object out;
  out.reserve(written().size());
  for (const auto& member : written())
    out.emplace(member.key(), input_value{member.value(), replaced_.get()}.resolve());
  return out;
}

text_pieces order_input::json() const {
  text_pieces out;
  out.keep(written_);
  out.keep(replaced_);
  add_json(out, written(), replaced_.get());
  return out;
}

} // namespace troupe
