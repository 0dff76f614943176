#include "planner/text_pattern.hpp"

#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <span>

#include "planner/limits.hpp"

namespace troupe::planner {

namespace {

error wrong_pattern(std::string_view pattern, const std::string& why) {
  return make_error(errc::invalid_document,
                    "the pattern " + quoted(shown(pattern)) + " has " + why);
}

bool may_end_placeholder(std::span<const token> words) {
  return std::ranges::none_of(words, [](const token& each) {
    return each.text == "." || each.text == "!" || each.text == "?" || each.text == ";"
           || each.text == ":" || each.text == "then";
  });
}

} // namespace

result<text_pattern> text_pattern::read(std::string_view text) {
  text_pattern out;
  out.text_ = text;
  const auto words = tokens_of(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].text != "{") {
      if (words[i].text == "}")
        return wrong_pattern(text, "a \"}\" without its \"{\"");
      out.pieces_.push_back({false, words[i].text});
      ++out.words_;
      continue;
    }
    if (i + 2 >= words.size() || words[i + 2].text != "}" || words[i + 1].text == "}")
      return wrong_pattern(text, "a placeholder that is not one name in braces");
    if (!out.pieces_.empty() && out.pieces_.back().is_placeholder)
      return wrong_pattern(text, "two placeholders without a word between them");
    const auto name = text.substr(words[i + 1].begin, words[i + 1].end - words[i + 1].begin);
    const auto placeholders = out.placeholders();
    if (std::ranges::find(placeholders, name) != placeholders.end())
      return wrong_pattern(text, "the placeholder " + quoted(shown(name)) + " twice");
    out.pieces_.push_back({true, std::string(name)});
    i += 2;
  }
  if (out.words_ == 0)
    return wrong_pattern(text, "no word");
  return out;
}

std::vector<std::string> text_pattern::placeholders() const {
  std::vector<std::string> out;
  for (const auto& each : pieces_)
    if (each.is_placeholder)
      out.push_back(each.text);
  return out;
}

matched_text::matched_text(std::string_view text)
    : text_(text), fits_none_(text.size() > text_bytes_max || text.find('\n') != text.npos) {
  if (fits_none_)
    return;
  words_ = tokens_of(text);
  while (!words_.empty() && (words_.back().text == "." || words_.back().text == "!"))
    words_.pop_back();
}

std::optional<placeholder_values> text_pattern::match(const matched_text& text) const {
  if (text.fits_none_)
    return std::nullopt;
  const std::span<const token> words(text.words_);
  placeholder_values out;
  std::size_t at = 0;
  for (std::size_t i = 0; i < pieces_.size();) {
    if (!pieces_[i].is_placeholder) {
      if (at == words.size() || words[at].text != pieces_[i].text)
        return std::nullopt;
      ++at;
      ++i;
      continue;
    }
    // The placeholder ends where the words up to the next placeholder are for the first time; the
    // last one at the end of the text.
    auto next_placeholder = i + 1;
    while (next_placeholder < pieces_.size() && !pieces_[next_placeholder].is_placeholder)
      ++next_placeholder;
    const auto behind = std::span(pieces_).subspan(i + 1, next_placeholder - i - 1);
    const bool is_last = next_placeholder == pieces_.size();
    const auto fits_at = [&](std::size_t end) {
      return end + behind.size() <= words.size()
             && std::ranges::equal(behind, words.subspan(end, behind.size()), {}, &piece::text,
                                   &token::text);
    };
    auto end = at + 1;
    if (is_last)
      end = words.size() < behind.size() ? 0 : words.size() - behind.size();
    else
      while (end < words.size() && !fits_at(end))
        ++end;
    if (end <= at || end > words.size() || !fits_at(end))
      return std::nullopt;
    const auto begin = words[at].begin;
    const auto value = text.text_.substr(begin, words[end - 1].end - begin);
    if (value.size() > placeholder_bytes_max || !may_end_placeholder(words.subspan(at, end - at)))
      return std::nullopt;
    out.emplace(pieces_[i].text, value);
    at = end + behind.size();
    i = next_placeholder;
  }
  return at == words.size() ? std::optional(out) : std::nullopt;
}

} // namespace troupe::planner
