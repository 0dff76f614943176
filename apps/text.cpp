#include "apps/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

namespace troupe {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd"; // U+FFFD

struct decoded {
  char32_t code;
  std::size_t bytes;
  bool valid;
};

/// The first character of `text` (not empty); Unicode 15 table 3-7 for what is well-formed.
decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80)
    return {lead, 1, true};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length)
    return {0, 1, false};
  char32_t code = static_cast<char32_t>(lead & (0xff >> (length + 1)));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80)
      return {0, 1, false};
    code = (code << 6) | (byte(i) & 0x3f);
  }
  const bool too_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (too_long || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    return {0, 1, false};
  return {code, length, true};
}

struct range {
  char32_t first;
  char32_t last;
};

template<std::size_t N>
bool within(const std::array<range, N>& table, char32_t code) {
  const auto next = std::upper_bound(table.begin(), table.end(), code,
                                     [](char32_t value, const range& row) { return value < row.first; });
  return next != table.begin() && code <= std::prev(next)->last;
}

// Characters of general category Mn, Me and Cf that people meet (Unicode 15 DerivedGeneralCategory), coarsely.
constexpr auto zero_width = std::to_array<range>({
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x05bf, 0x05bf}, {0x05c1, 0x05c2}, {0x05c4, 0x05c5},
    {0x0610, 0x061a}, {0x064b, 0x065f}, {0x0670, 0x0670}, {0x06d6, 0x06dc}, {0x06df, 0x06e4}, {0x0900, 0x0902},
    {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d}, {0x20d0, 0x20f0}, {0x302a, 0x302d}, {0x3099, 0x309a},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0x1f3fb, 0x1f3ff}, {0xe0100, 0xe01ef},
});

// East Asian Width W and F (Unicode 15 EastAsianWidth.txt), neighbouring ranges joined.
constexpr auto double_width = std::to_array<range>({
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x23f0, 0x23f0},
    {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267f, 0x267f},
    {0x2693, 0x2693},   {0x26a1, 0x26a1},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},
    {0x26ce, 0x26ce},   {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},   {0x2728, 0x2728},
    {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27b0, 0x27b0},   {0x27bf, 0x27bf},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},
    {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97f},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
    {0xffe0, 0xffe6},   {0x16fe0, 0x18aff}, {0x1b000, 0x1b2fb}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
    {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c},
    {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4},
    {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e},
    {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f},
    {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6d7}, {0x1f6dc, 0x1f6df},
    {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7eb}, {0x1f7f0, 0x1f7f0}, {0x1f90c, 0x1f93a},
    {0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
});

std::size_t width_of(char32_t code) {
  if (code < 0x300)
    return 1;
  if (within(zero_width, code))
    return 0;
  return within(double_width, code) ? 2 : 1;
}

/// C0, DEL and C1 controls, bidirectional embeddings, overrides and isolates, line and paragraph separators.
bool is_unprintable(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || code == 0x200e || code == 0x200f
         || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

} // namespace

std::string clean_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [code, bytes, valid] = decode(text);
    if (!valid)
      out += replacement;
    else if (code == '\n' || code == '\t')
      out += ' ';
    else if (!is_unprintable(code))
      out.append(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [code, bytes, valid] = decode(text);
    out += valid ? text.substr(0, bytes) : replacement;
    text.remove_prefix(bytes);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const auto [code, bytes, valid] = decode(text);
    columns += valid ? width_of(code) : 1;
    text.remove_prefix(bytes);
  }
  return columns;
}

std::string cut_to(std::string_view text, std::size_t columns, std::string_view ellipsis) {
  if (display_width(text) <= columns)
    return std::string(text);
  if (display_width(ellipsis) > columns)
    ellipsis = {};
  const std::size_t room = columns - display_width(ellipsis);
  std::size_t used = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const auto [code, bytes, valid] = decode(text.substr(end));
    const std::size_t width = valid ? width_of(code) : 1;
    if (used + width > room)
      break;
    used += width;
    end += bytes;
  }
  return std::string(text.substr(0, end)).append(ellipsis);
}

std::string fit_to(std::string_view text, std::size_t columns, std::string_view ellipsis) {
  std::string out = cut_to(text, columns, ellipsis);
  out.append(columns - display_width(out), ' ');
  return out;
}

std::string to_ascii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [code, bytes, valid] = decode(text);
    if (valid && code < 0x80)
      out += text.front();
    else if (!valid || width_of(code) > 0)
      out += '?';
    text.remove_prefix(bytes);
  }
  return out;
}

std::string format_duration(std::chrono::milliseconds span) {
  const long long ms = std::max<long long>(0, span.count());
  const long long s = ms / 1000;
  std::array<char, 48> buffer{};
  if (ms < 9'995)
    std::snprintf(buffer.data(), buffer.size(), "%.2fs", static_cast<double>(ms) / 1000.0);
  else if (ms < 59'950)
    std::snprintf(buffer.data(), buffer.size(), "%.1fs", static_cast<double>(ms) / 1000.0);
  else if (s < 60)
    return "1m00s";
  else if (s < 3600)
    std::snprintf(buffer.data(), buffer.size(), "%lldm%02llds", s / 60, s % 60);
  else if (s < 86'400)
    std::snprintf(buffer.data(), buffer.size(), "%lldh%02lldm", s / 3600, s / 60 % 60);
  else
    std::snprintf(buffer.data(), buffer.size(), "%lldd%02lldh", s / 86'400, s / 3600 % 24);
  return buffer.data();
}

bool is_utf8_locale(const char* lc_all, const char* lc_ctype, const char* lang) {
  // POSIX XBD 8.2: the first of the three that is set and not empty decides.
  for (const char* value : {lc_all, lc_ctype, lang}) {
    if (value == nullptr || *value == '\0')
      continue;
    std::string name(value);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name.find("utf-8") != std::string::npos || name.find("utf8") != std::string::npos;
  }
  return false;
}

namespace {

std::string_view sgr(style look) {
  switch (look) {
    case style::plain: return "";
    case style::bold: return "\x1b[1m";
    case style::dim: return "\x1b[2m";
    case style::red: return "\x1b[31m";
    case style::green: return "\x1b[32m";
    case style::yellow: return "\x1b[33m";
    case style::blue: return "\x1b[34m";
    case style::cyan: return "\x1b[36m";
  }
  return "";
}

} // namespace

std::string render_line(const std::vector<span>& spans, std::size_t columns, bool colour, std::string_view ellipsis) {
  std::size_t total = 0;
  for (const auto& each : spans)
    total += display_width(each.text);
  const bool cut = total > columns;
  const std::size_t mark = cut && display_width(ellipsis) <= columns ? display_width(ellipsis) : 0;
  std::size_t left = columns - (cut ? mark : 0);
  std::string out;
  for (const auto& each : spans) {
    const std::string text = cut_to(each.text, left, {});
    left -= display_width(text);
    const bool styled = colour && each.look != style::plain && !text.empty();
    out.append(styled ? sgr(each.look) : "").append(text).append(styled ? "\x1b[0m" : "");
    if (text.size() < each.text.size())
      break;
  }
  if (mark > 0)
    out.append(ellipsis);
  while (!out.empty() && out.back() == ' ')
    out.pop_back();
  return out;
}

bool can_draw(const char* term) {
  return term != nullptr && std::string_view(term) != "dumb";
}

bool use_colour(colour_choice choice, bool is_terminal, const char* no_color, const char* term) {
  if (choice != colour_choice::automatic)
    return choice == colour_choice::always;
  const bool refused = no_color != nullptr && *no_color != '\0';
  return is_terminal && !refused && can_draw(term);
}

} // namespace troupe
