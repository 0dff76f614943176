#include "store/page.hpp"

#include "protocol/limits.hpp"
#include "protocol/text/hex.hpp"

#include <algorithm>
#include <array>

namespace troupe {

namespace {

/// FNV-1a, 64 bits. Guards against mix-ups, not against forgery: a token grants nothing that the
/// query does not.
class fnv {
public:
  fnv& add(std::string_view text) noexcept {
    for (const char c : text)
      step(static_cast<unsigned char>(c));
    step(0xff); // Not in UTF-8: "a" "b" differs from "ab".
    return *this;
  }
  fnv& add(std::uint64_t word) noexcept {
    for (int shift = 0; shift < 64; shift += 8)
      step((word >> shift) & 0xff);
    return *this;
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

private:
  void step(std::uint64_t byte) noexcept { value_ = (value_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

constexpr std::size_t word_chars = 16;

std::uint64_t check_of(std::uint64_t at, std::string_view id, std::uint64_t question) noexcept {
  return fnv{}.add(at).add(id).add(question).value();
}

error bad_token() {
  return make_error(
      errc::invalid_params,
      "the page token is not one of this list; use nextPageToken of the page before with the same "
      "filters, or omit it to begin with the first page",
      "pageToken");
}

std::uint64_t millis(timestamp at) noexcept {
  return static_cast<std::uint64_t>(at.time_since_epoch().count());
}

/// One bit for each state.
template<class State>
std::uint64_t bits_of(const std::vector<State>& states) noexcept {
  std::uint64_t bits = 0;
  for (const auto state : states)
    bits |= std::uint64_t{1} << static_cast<unsigned>(state);
  return bits;
}

} // namespace

std::size_t messages_shown(const task& task, const task_view_options& view) noexcept {
  return std::min<std::size_t>(task.history.size(),
                               view.history_length.value_or(list_history_default));
}

std::size_t bytes_shown(const task& task, const task_view_options& view) noexcept {
  std::size_t sum = sizeof(task) + bytes_of(task.metadata);
  if (task.origin)
    sum += bytes_of(task.origin.spec().input) + bytes_of(task.origin.spec().metadata);
  if (task.status.message)
    sum += bytes_of(*task.status.message);
  for (std::size_t i = task.history.size() - messages_shown(task, view); i < task.history.size();
       ++i)
    sum += bytes_of(*task.history[i]);
  if (view.include_artifacts)
    for (const auto& made : task.artifacts)
      sum += bytes_of(*made);
  return sum;
}

std::size_t bytes_shown(const objective_view& objective_view) noexcept {
  std::size_t sum = sizeof(objective_view) + objective_view.name.size()
                    + objective_view.description.size() + bytes_of(objective_view.metadata);
  for (const auto& plan : objective_view.plans)
    sum += bytes_of(*plan.spec);
  for (const auto& input : objective_view.pending_inputs)
    sum += input.prompt.size();
  return sum;
}

std::uint64_t fingerprint(const list_tasks& query) {
  return fnv{}
      .add("tasks")
      .add(query.who.id)
      .add(query.who.tenant)
      .add(query.context)
      .add(query.state ? static_cast<std::uint64_t>(*query.state) : ~std::uint64_t{0})
      .add(query.status_after ? millis(*query.status_after) : ~std::uint64_t{0})
      .value();
}

std::uint64_t fingerprint(const list_objectives& query) {
  return fnv{}
      .add("objectives")
      .add(query.who.id)
      .add(query.who.tenant)
      .add(bits_of(query.states))
      .add(query.text)
      .add(query.updated_after ? millis(*query.updated_after) : ~std::uint64_t{0})
      .add(static_cast<std::uint64_t>(query.order))
      .value();
}

std::uint64_t fingerprint(const list_inputs& query) {
  return fnv{}
      .add("inputs")
      .add(query.who.id)
      .add(query.who.tenant)
      .add(query.objective.str())
      .add(query.plan.str())
      .add(query.task.str())
      .value();
}

std::uint64_t fingerprint(const list_plans& query) {
  return fnv{}
      .add("plans")
      .add(query.who.id)
      .add(query.who.tenant)
      .add(query.objective.str())
      .add(bits_of(query.states))
      .add(query.text)
      .add(query.updated_after ? millis(*query.updated_after) : ~std::uint64_t{0})
      .add(query.order ? static_cast<std::uint64_t>(*query.order) : ~std::uint64_t{0})
      .value();
}

// Places are compared by time and id. A list by names has no time; the name comes before the id and
// ends with a byte that is in neither.
position place_in_list(const objective_view& row, objective_order order) {
  switch (order) {
    case objective_order::updated: break;
    case objective_order::created: return {row.created, row.id.str()};
    case objective_order::name: return {timestamp{}, row.name + '\0' + row.id.str()};
  }
  return {row.updated, row.id.str()};
}

// <time, 16 hex digits><check, 16 hex digits><id, two hex digits a byte>
std::string write_page_token(const position& last, std::uint64_t question) {
  std::string out;
  out.reserve(2 * word_chars + 2 * last.id.size());
  append_hex(out, millis(last.at), word_chars);
  append_hex(out, check_of(millis(last.at), last.id, question), word_chars);
  out += to_hex(last.id);
  return out;
}

result<std::optional<position>> read_page_token(const std::string& token, std::uint64_t question) {
  if (token.empty())
    return std::optional<position>{};
  const std::string_view text{token};
  if (text.size() < 2 * word_chars || text.size() % 2 != 0)
    return bad_token();
  const auto at = from_hex(text.substr(0, word_chars));
  const auto check = from_hex(text.substr(word_chars, word_chars));
  std::string id;
  for (std::size_t i = 2 * word_chars; i < text.size(); i += 2) {
    const auto byte = from_hex(text.substr(i, 2));
    if (!byte)
      return bad_token();
    id.push_back(static_cast<char>(*byte));
  }
  if (!at || !check || *check != check_of(*at, id, question))
    return bad_token();
  const timestamp when{std::chrono::milliseconds{static_cast<std::int64_t>(*at)}};
  return std::optional<position>{position{when, std::move(id)}};
}

} // namespace troupe
