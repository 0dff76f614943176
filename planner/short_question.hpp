// Whether a text is a question that has a short answer.
#pragma once

#include <cstddef>
#include <string_view>

namespace troupe::planner {

/// One sentence of at most question_characters_max that ends with a question mark, or has no comma
/// and begins like a question ("who", "is it"), or is arithmetic ("2 + 2"). Linear.
[[nodiscard]] bool is_short_question(std::string_view text);

/// Characters, not bytes.
inline constexpr std::size_t question_characters_max = 280;

} // namespace troupe::planner
