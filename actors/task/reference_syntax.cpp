#include "actors/task/reference_syntax.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace troupe {

namespace {

namespace json = boost::json;

// Reads one string; positions in messages count bytes from 1.
class template_parser {
public:
  explicit template_parser(std::string_view text) : text_(text) {}

  result<std::vector<template_segment>> parse() {
    std::vector<template_segment> out;
    std::size_t begin = 0; // of the text before `at_`
    const auto add_text = [&](std::size_t next) {
      if (at_ > begin)
        out.emplace_back(text_.substr(begin, at_ - begin));
      begin = next;
    };
    while (at_ < text_.size()) {
      if (text_.substr(at_, 3) == "$${") {
        add_text(at_ + 1); // the text goes on with `${`
        at_ += 3;
      } else if (text_.substr(at_, 2) == "${") {
        add_text(at_);
        auto found = read_reference();
        if (!found)
          return found.error();
        out.emplace_back(std::move(*found));
        begin = at_;
      } else {
        ++at_;
      }
    }
    if (at_ > begin || out.empty())
      out.emplace_back(text_.substr(begin));
    return out;
  }

private:
  result<artifact_reference> read_reference() {
    const auto begin = at_;
    at_ += 2;
    if (!take("tasks"))
      return wrong("a reference begins with `${tasks`; write `$${` for a literal `${`");
    artifact_reference out;
    if (auto task = read_task(); task)
      out.task = std::move(*task);
    else
      return task.error();
    if (!take(".artifacts["))
      return wrong("expected `.artifacts[` after the task (a name with dots or blanks is written "
                   "[\"...\"])");
    if (auto which = read_index("an artifact's number or name", true); which)
      out.artifact = std::move(*which);
    else
      return which.error();
    if (take(".parts[")) {
      auto which = read_index("a part's number", false);
      if (!which)
        return which.error();
      out.part = std::get<std::size_t>(*which);
    }
    if (auto kind = read_kind(); kind)
      out.kind = *kind;
    else
      return kind.error();
    if (out.kind == reference_kind::data) {
      auto path = read_path();
      if (!path)
        return path.error();
      out.path = std::move(*path);
    }
    if (!take("}"))
      return wrong("expected `}`");
    out.written = text_.substr(begin, at_ - begin);
    return out;
  }

  result<std::string> read_task() {
    if (take("[")) {
      auto name = read_quoted();
      if (name && !take("]"))
        return wrong("expected `]`");
      return name;
    }
    if (!take("."))
      return wrong("expected `.` and a task's id or name");
    auto name = read_bare();
    if (name.empty())
      return wrong("expected a task's id or name");
    return name;
  }

  result<reference_kind> read_kind() {
    const auto before = at_;
    if (take(".")) {
      const auto word = read_bare();
      if (word == "text")
        return reference_kind::text;
      if (word == "data")
        return reference_kind::data;
      if (word == "url")
        return reference_kind::url;
      at_ = before;
    }
    return wrong("expected `.text`, `.data`, `.url` or `.parts[n]`");
  }

  result<std::vector<reference_step>> read_path() {
    std::vector<reference_step> path;
    for (;;) {
      if (take(".")) {
        auto name = read_bare();
        if (name.empty())
          return wrong("expected a member's name");
        path.emplace_back(std::move(name));
      } else if (take("[")) {
        auto which = read_index("a number or a quoted name", false, true);
        if (!which)
          return which.error();
        path.push_back(std::move(*which));
      } else {
        return path;
      }
    }
  }

  // What stands between `[` and `]`, the latter included.
  result<reference_step> read_index(std::string_view expected, bool bare_names,
                                    bool quoted_names = false) {
    reference_step out;
    if (next() == '"' && (bare_names || quoted_names)) {
      auto name = read_quoted();
      if (!name)
        return name.error();
      out = std::move(*name);
    } else {
      const auto end = std::min(text_.find_first_of("]}\"", at_), text_.size());
      const auto word = text_.substr(at_, end - at_);
      std::size_t number = 0;
      const auto [stop, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
      if (!word.empty() && failed == std::errc{} && stop == word.data() + word.size())
        out = number;
      else if (!word.empty() && bare_names)
        out = std::string(word);
      else
        return wrong("expected " + std::string(expected));
      at_ = end;
    }
    if (!take("]"))
      return wrong("expected `]`");
    return out;
  }

  std::string read_bare() {
    const auto end = std::min(text_.find_first_of(".[]{}\"$ \t\r\n", at_), text_.size());
    std::string out(text_.substr(at_, end - at_));
    at_ = end;
    return out;
  }

  result<std::string> read_quoted() {
    if (next() != '"')
      return wrong("expected a name in double quotes");
    auto end = at_ + 1;
    while (end < text_.size() && text_[end] != '"')
      end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size())
      return wrong("this quote is never closed");
    boost::system::error_code failed;
    const auto parsed = json::parse(text_.substr(at_, end + 1 - at_), failed);
    if (failed)
      return wrong("this is not a JSON string");
    at_ = end + 1;
    return std::string(parsed.get_string());
  }

  bool take(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected)
      return false;
    at_ += expected.size();
    return true;
  }

  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  [[nodiscard]] error wrong(const std::string& text) const {
    const auto where =
        at_ < text_.size() ? "at character " + std::to_string(at_ + 1) : std::string("at its end");
    auto shown = std::string(text_.substr(0, 80));
    while (shown.size() < text_.size() && !shown.empty() && (shown.back() & 0x80) != 0)
      shown.pop_back(); // never half a UTF-8 sequence
    if (shown.size() < text_.size())
      shown += "...";
    return make_error(errc::invalid_reference, "wrong reference in "
                                                   + json::serialize(json::string(shown)) + " "
                                                   + where + ": " + text);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace

result<std::vector<template_segment>> parse_template(std::string_view text) {
  return template_parser(text).parse();
}

} // namespace troupe
