#include "planner/tokens.hpp"

#include "protocol/text/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "planner/steps.hpp"

namespace troupe::planner {

namespace {

/// Characters that are written in more than one way, and how a token has them.
constexpr auto spellings = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"\u2192", "->"},
    {"\u21d2", "->"},
    {"=>", "->"},
    {"->", "->"},
    {"\u2190", "<-"},
    {"<-", "<-"},
    {"\u201c", "\""},
    {"\u201d", "\""},
    {"\u2013", "-"},
});

constexpr std::string_view marks = ",;.:!?()[]{}\"";

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

constexpr auto in_word = [] {
  std::array<bool, 256> out{};
  for (std::size_t c = 0; c < out.size(); ++c)
    out[c] = !is_blank(static_cast<char>(c))
             && marks.find(static_cast<char>(c)) == std::string_view::npos;
  return out;
}();

bool is_in_word(char c) {
  return in_word[static_cast<unsigned char>(c)];
}

/// Whether a spelling may begin with it: most characters of a text are none of these.
bool may_begin_spelling(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || c == '=' || c == '-' || c == '<';
}

/// The spelling that `text` begins with, or null. The text is not empty.
const std::pair<std::string_view, std::string_view>* spelling_at(std::string_view text) {
  if (!may_begin_spelling(text.front()))
    return nullptr;
  const auto* found = std::ranges::find_if(
      spellings, [text](const auto& each) { return text.starts_with(each.first); });
  return found == spellings.end() ? nullptr : found;
}

/// U+2019 is also the apostrophe of "don't".
std::size_t apostrophe_bytes(std::string_view text) {
  return text.front() == '\xe2' && text.starts_with("\u2019") ? std::string_view("\u2019").size()
                                                              : 0;
}

bool is_mark_within_word(std::string_view sentence, std::size_t at) {
  const auto c = sentence[at];
  return (c == '.' || c == ':') && at + 1 < sentence.size() && is_in_word(sentence[at + 1]);
}

token word_at(std::string_view sentence, std::size_t at) {
  token out{.text = {}, .begin = at, .end = at};
  while (out.end < sentence.size()) {
    const auto rest = sentence.substr(out.end);
    if (const auto bytes = apostrophe_bytes(rest)) {
      out.text += '\'';
      out.end += bytes;
    } else if (const auto* spelled = spelling_at(rest)) {
      if (spelled->second != "-")
        break;
      out.text += '-';
      out.end += spelled->first.size();
    } else if (is_in_word(rest.front()) || is_mark_within_word(sentence, out.end)) {
      out.text += ascii_lower(rest.front());
      ++out.end;
    } else {
      break;
    }
  }
  return out;
}

/// Whether the quote that opens at `at` is closed in the same line; then `end` is behind it.
bool skip_quoted(std::string_view text, std::size_t at, std::size_t& end) {
  const bool is_curly = text.substr(at).starts_with("\u201c");
  if (text[at] != '"' && !is_curly)
    return false;
  const std::string_view closing = is_curly ? std::string_view("\u201d") : std::string_view("\"");
  const auto found = text.find(closing, at + 1);
  count_steps(std::min(found, text.size()) - at);
  if (found == std::string_view::npos)
    return false;
  end = found + closing.size();
  return true;
}

} // namespace

std::vector<token> tokens_of(std::string_view sentence) {
  constexpr std::size_t usual_words_max = 32;
  count_steps(sentence.size());
  std::vector<token> out;
  out.reserve(std::min(sentence.size() / 5 + 1, usual_words_max));
  for (std::size_t at = 0; at < sentence.size();) {
    if (is_blank(sentence[at])) {
      ++at;
      continue;
    }
    if (const auto* spelled = spelling_at(sentence.substr(at)); spelled && spelled->second != "-") {
      out.push_back({std::string(spelled->second), at, at + spelled->first.size()});
    } else if (!is_in_word(sentence[at]) && spelled == nullptr) {
      out.push_back({std::string(1, sentence[at]), at, at + 1});
    } else {
      out.push_back(word_at(sentence, at));
    }
    at = out.back().end;
  }
  return out;
}

std::optional<std::uint32_t> number_of(std::string_view token) {
  if (token.starts_with('#'))
    token.remove_prefix(1);
  if (token.empty() || token.size() > 9)
    return std::nullopt;
  std::uint32_t out = 0;
  const auto* end = token.data() + token.size();
  const auto [read_to, failed] = std::from_chars(token.data(), end, out);
  if (failed != std::errc{} || read_to != end)
    return std::nullopt;
  return out;
}

std::optional<number_range> range_of(std::string_view token) {
  const auto dash = token.find('-');
  if (dash == std::string_view::npos)
    return std::nullopt;
  const auto first = number_of(token.substr(0, dash));
  const auto last = number_of(token.substr(dash + 1));
  if (!first || !last)
    return std::nullopt;
  return number_range{*first, *last};
}

std::string with_single_blanks(std::string_view text) {
  count_steps(text.size());
  std::string out;
  for (const char c : text) {
    if (!is_blank(c))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (!out.empty() && out.back() == ' ')
    out.pop_back();
  return out;
}

std::vector<std::string_view> sentences_of(std::string_view text) {
  count_steps(text.size());
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  const auto end_at = [&](std::size_t end) {
    auto sentence = text.substr(begin, end - begin);
    while (!sentence.empty() && is_blank(sentence.front()))
      sentence.remove_prefix(1);
    while (!sentence.empty() && is_blank(sentence.back()))
      sentence.remove_suffix(1);
    if (!sentence.empty())
      out.push_back(sentence);
    begin = end;
  };
  // Quotes that are not closed in their line are looked for once.
  auto line_end = std::min(text.find('\n'), text.size());
  bool may_quote = true;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\n') {
      end_at(at);
      line_end = std::min(text.find('\n', at + 1), text.size());
      may_quote = true;
      ++at;
      continue;
    }
    if (c == '"' || text.substr(at).starts_with("\u201c")) {
      std::size_t end = at;
      if (may_quote && skip_quoted(text.substr(0, line_end), at, end)) {
        at = end;
        continue;
      }
      may_quote = false;
    }
    const bool is_end = c == '.' || c == '!' || c == '?' || c == ';';
    ++at;
    if (is_end && (at == text.size() || is_blank(text[at])))
      end_at(at);
  }
  end_at(text.size());
  return out;
}

} // namespace troupe::planner
