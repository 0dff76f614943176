#include "tests/house/functions.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace troupe::house {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view without_blanks(std::string_view text) {
  const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

std::string_view first_word(std::string_view text) {
  return text.substr(
      0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin()));
}

/// The place of the first of `wanted` that is neither in angle brackets nor in parentheses. Of a
/// bracket that closes: the one for the first that opens. The end if there is none.
std::size_t find_outside(std::string_view text, char wanted) {
  int angles = 0;
  int parentheses = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == wanted && angles == 0 && parentheses == 0)
      return i;
    if (text[i] == '(' || text[i] == ')')
      parentheses += text[i] == '(' ? 1 : -1;
    else if (parentheses == 0 && text[i] == '<')
      ++angles;
    else if (parentheses == 0 && text[i] == '>' && (i == 0 || text[i - 1] != '-') && --angles == 0
             && wanted == '>')
      return i;
  }
  return text.size();
}

/// Without `[[...]]` and `template<...>` before it.
std::string_view declaration_in(std::string_view statement) {
  for (statement = without_blanks(statement);; statement = without_blanks(statement)) {
    if (statement.starts_with("[["))
      statement.remove_prefix(std::min(statement.find("]]"), statement.size() - 2) + 2);
    else if (first_word(statement) == "template" && statement.find('<') != std::string_view::npos)
      statement.remove_prefix(std::min(find_outside(statement, '>') + 1, statement.size()));
    else
      return statement;
  }
}

/// The name of the function that the statement declares; empty: it declares none.
std::string_view name_in(std::string_view declaration) {
  constexpr auto others = std::to_array<std::string_view>(
      {"using", "typedef", "class", "struct", "union", "enum", "static_assert", "namespace",
       "friend", "extern", "requires", "concept"});
  if (std::ranges::find(others, first_word(declaration)) != others.end())
    return {};
  const auto open = find_outside(declaration, '(');
  auto before = declaration.substr(0, open);
  if (open == declaration.size() || before.find('=') != std::string_view::npos)
    return {};
  before = without_blanks(before);
  auto begin = before.size();
  while (begin > 0 && is_word(before[begin - 1]))
    --begin;
  const auto name = before.substr(begin);
  before = without_blanks(before.substr(0, begin));
  // A constructor, a macro or an operator; a member.
  const bool is_other = name.empty() || before.empty() || name == "operator"
                        || before.ends_with("operator") || before.ends_with("::");
  return is_other ? std::string_view{} : name;
}

/// Goes through the text once, and knows in which braces it is.
class reader {
public:
  std::vector<named_function> read(std::string_view code) {
    bool is_directive = false;
    char before = '\n';
    for (const char c : code) {
      if (c == '\n')
        is_directive = is_directive && before == '\\';
      else if (c == '#' && without_blanks(statement_).empty())
        is_directive = true;
      if (!is_directive)
        take(c);
      line_ += c == '\n' ? 1 : 0;
      before = c;
    }
    return std::move(out_);
  }

private:
  struct braces {
    bool is_namespace;
    std::string name;
  };

  [[nodiscard]] bool is_outside() const {
    return parentheses_ == 0
           && std::ranges::all_of(open_, [](const braces& each) { return each.is_namespace; });
  }

  void take(char c) {
    if (c == '{' || c == '}')
      return c == '{' ? enter() : leave();
    if (!open_.empty() && !open_.back().is_namespace)
      return;
    if (c == ';' && parentheses_ == 0)
      return note();
    parentheses_ += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (without_blanks(statement_).empty())
      begins_ = line_;
    statement_.push_back(c);
  }

  void enter() {
    auto text = without_blanks(statement_);
    if (first_word(text) == "inline")
      text = without_blanks(text.substr(6));
    const bool is_namespace = is_outside() && first_word(text) == "namespace";
    if (is_namespace)
      open_.push_back({true, std::string(without_blanks(text.substr(9)))});
    else
      open_.push_back({false, {}});
    if (is_namespace)
      statement_.clear();
  }

  /// A body, or a list of values, is part of its statement. A body ends it.
  void leave() {
    if (open_.empty())
      return;
    const bool was_body = !open_.back().is_namespace;
    open_.pop_back();
    if (is_outside() && (!was_body || find_outside(statement_, '(') < statement_.size()))
      note();
  }

  void note() {
    const auto declaration = declaration_in(statement_);
    if (const auto name = name_in(declaration); !name.empty()) {
      named_function found{std::string(name), {}, first_word(declaration) == "static", begins_};
      for (const auto& each : open_) {
        found.is_local = found.is_local || each.name.empty();
        if (!each.name.empty())
          found.scope += (found.scope.empty() ? "" : "::") + each.name;
      }
      out_.push_back(std::move(found));
    }
    statement_.clear();
  }

  std::vector<named_function> out_;
  std::vector<braces> open_;
  std::string statement_;
  int parentheses_ = 0;
  std::size_t line_ = 1;
  std::size_t begins_ = 1;
};

} // namespace

std::vector<named_function> functions_of(std::string_view code) {
  return reader{}.read(code);
}

bool may_hide(const named_function& local, const named_function& shared) {
  return local.is_local && local.name == shared.name
         && (shared.scope.empty() || local.scope == shared.scope
             || local.scope.starts_with(shared.scope + "::"));
}

} // namespace troupe::house
