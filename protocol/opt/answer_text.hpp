// What a person who answers a question in words means.
#pragma once

#include <troupe/protocol/message.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace troupe {

/// Whether the words are the same, the case of ASCII letters apart.
[[nodiscard]] bool is_same_word(std::string_view a, std::string_view b) noexcept;

/// The value that `text` has under a schema of the subset of protocol/json/json_schema.hpp. Letter
/// case, and blanks around the text, do not count.
/// - Choices (protocol/json/schema_choices.hpp): the choice with that value or title.
/// - Boolean: true for `yes` and `true`, false for `no` and `false`.
/// - Number, array, object: the JSON that the text is. In an array of choices a title stands for
///   its value, and a text that is one choice is an array of that choice.
/// - All others, and a text that is none of these: the text itself.
[[nodiscard]] boost::json::value value_of_text(std::string_view text,
                                               const boost::json::object& schema);

/// The value of an answer to a question with that form: its first data part, else the value of its
/// text.
[[nodiscard]] boost::json::value value_of_answer(const message& answer,
                                                 const boost::json::object& form);

/// An answer in words, data as JSON; never empty.
[[nodiscard]] std::string words_of_answer(const message& answer);

} // namespace troupe
