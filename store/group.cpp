#include "store/group.hpp"

#include <utility>

namespace troupe {

namespace {

constexpr char group_version = '\1';
constexpr char change_kind = 'c';
constexpr char once_entry_kind = 'o';
constexpr char push_kind = 'p';
constexpr char push_end_kind = 'd';
constexpr char part_kind = 'r';
constexpr char long_change_kind = 'l';
constexpr char parts_end_kind = 'e';

void append_number(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void append_text(std::string& out, std::string_view text) {
  append_number(out, text.size());
  out.append(text);
}

void append_id(std::string& out, const parts_id& id) {
  append_number(out, id.first);
  append_number(out, id.number);
}

/// Before the entry.
void begin_entry(std::string& group, char kind) {
  if (group.empty())
    group.push_back(group_version);
  group.push_back(kind);
}

/// Reads off the front of a group. A piece that is not there makes all that follow empty.
class group_reader {
public:
  explicit group_reader(std::string_view text) : text_(text) {}

  [[nodiscard]] bool is_good() const noexcept { return is_good_; }
  [[nodiscard]] bool is_over() const noexcept { return text_.empty() || !is_good_; }

  char letter() {
    if (text_.empty()) {
      is_good_ = false;
      return '\0';
    }
    const char out = text_.front();
    text_.remove_prefix(1);
    return out;
  }

  std::uint64_t number() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(letter());
      out |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80)
        return out;
    }
    is_good_ = false;
    return 0;
  }

  std::string_view text() {
    const auto size = number();
    if (!is_good_ || size > text_.size()) {
      is_good_ = false;
      return {};
    }
    const auto out = text_.substr(0, size);
    text_.remove_prefix(size);
    return out;
  }

  parts_id id() {
    const auto first = number();
    return {first, number()};
  }

private:
  std::string_view text_;
  bool is_good_ = true;
};

std::optional<group_item> read_item(group_reader& in) {
  const auto kind = in.letter();
  if (kind == part_kind) {
    const auto id = in.id();
    return group_part{id, in.text()};
  }
  if (kind == parts_end_kind)
    return group_parts_end{in.id()};
  const auto first = in.text();
  if (kind == change_kind) {
    const auto sequence = in.number();
    return group_change{first, sequence, in.text()};
  }
  if (kind == long_change_kind) {
    const auto sequence = in.number();
    const auto id = in.id();
    const auto parts_bytes = in.number();
    return group_long_change{first, sequence, id, parts_bytes, in.text()};
  }
  if (kind == once_entry_kind)
    return group_once{first, in.text()};
  if (kind == push_kind || kind == push_end_kind) {
    const auto config = in.text();
    return group_push{first, config, kind == push_kind ? std::optional{in.text()} : std::nullopt};
  }
  return std::nullopt;
}

} // namespace

void add_entry(std::string& group, const group_entry& entry) {
  if (const auto* change = std::get_if<group_change>(&entry)) {
    begin_entry(group, change_kind);
    append_text(group, change->stream);
    append_number(group, change->sequence);
    append_text(group, change->row);
    return;
  }
  if (const auto* came = std::get_if<group_once>(&entry)) {
    begin_entry(group, once_entry_kind);
    append_text(group, came->key);
    append_text(group, came->row);
    return;
  }
  const auto& push = std::get<group_push>(entry);
  begin_entry(group, push.row ? push_kind : push_end_kind);
  append_text(group, push.task);
  append_text(group, push.config);
  if (push.row)
    append_text(group, *push.row);
}

void add_entry(std::string& group, const group_part& part) {
  begin_entry(group, part_kind);
  append_id(group, part.id);
  append_text(group, part.bytes);
}

void add_entry(std::string& group, const group_long_change& change) {
  begin_entry(group, long_change_kind);
  append_text(group, change.stream);
  append_number(group, change.sequence);
  append_id(group, change.id);
  append_number(group, change.parts_bytes);
  append_text(group, change.head);
}

void add_entry(std::string& group, const group_parts_end& end) {
  begin_entry(group, parts_end_kind);
  append_id(group, end.id);
}

std::optional<std::vector<group_item>> read_group(std::string_view group) {
  group_reader in{group};
  if (in.letter() != group_version)
    return std::nullopt;
  std::vector<group_item> out;
  while (!in.is_over()) {
    auto item = read_item(in);
    if (!item)
      return std::nullopt;
    out.push_back(*item);
  }
  return in.is_good() ? std::optional{std::move(out)} : std::nullopt;
}

} // namespace troupe
