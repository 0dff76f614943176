// Identifiers as distinct types, so that the id of a plan cannot be used as that of a task. Plain
// values.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

/// A string that names one kind of thing. Two kinds never compare or convert.
template<class Tag>
class basic_id {
public:
  basic_id() = default;
  explicit basic_id(std::string text) : text_(std::move(text)) {}
  explicit basic_id(std::string_view text) : text_(text) {}
  explicit basic_id(const char* text) : text_(text) {}

  [[nodiscard]] const std::string& str() const noexcept { return text_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

  friend auto operator<=>(const basic_id&, const basic_id&) = default;
  friend std::ostream& operator<<(std::ostream& out, const basic_id& id) { return out << id.text_; }

private:
  std::string text_;
};

/// A2A `Task.id`. Generated form: `task-<random>` for a lone task, `<plan id>.t<index>` for a
/// plan's task.
using task_id = basic_id<struct task_tag>;
/// OPT `Plan.id`. Generated form: `<objective id>.p<index>`.
using plan_id = basic_id<struct plan_tag>;
/// OPT `Objective.id`; equals the A2A `contextId` of all its tasks. Generated form: `obj-<random>`.
using objective_id = basic_id<struct objective_tag>;

/// Makes identifiers; the same seed gives the same ids. Codecs take a source as an argument.
/// Gateway, actors and sessions use the source of their thread (`thread_id_source`), which a test
/// on one thread may replace by a seeded one. Not thread-safe: each thread or actor that makes ids
/// owns one.
class id_source {
public:
  /// Random numbers of the operating system: who knows some ids cannot guess another one.
  id_source();
  /// A reproducible sequence, which can be guessed. For tests.
  explicit id_source(std::uint64_t seed);

  /// `<prefix>-` and 17 characters of `[0-9A-Za-z]`: 7 of the time, in order, 10 random (59 bits).
  [[nodiscard]] std::string next(std::string_view prefix);
  [[nodiscard]] std::uint64_t next_random();

private:
  std::uint64_t next_of_system();

  std::optional<std::array<std::uint64_t, 2>> state_; ///< Of a sequence; none: the system's.
  std::array<std::uint64_t, 32> taken_{};             ///< From the system; used from the end on.
  std::size_t left_ = 0;                              ///< Of `taken_`.
};

/// The calling thread's own source, of the operating system.
[[nodiscard]] id_source& thread_id_source();

/// The longest id a client may choose (docs/a2a.md, "Limits"), in bytes.
inline constexpr std::size_t id_bytes_max = 256;

/// Whether a client may choose `text` as an id: 1 to `id_bytes_max` bytes, no control characters,
/// no `/`.
[[nodiscard]] bool is_acceptable_id(std::string_view text) noexcept;

/// The generated id of a plan's task: `<plan>.t<index>`.
[[nodiscard]] task_id make_task_id(const plan_id& plan, std::size_t index);
/// The id of a task after a retry of its plan: `base` with `.r<generation>`; `base` itself for
/// generation 0.
[[nodiscard]] task_id renewed_id(const task_id& base, std::uint32_t generation);
[[nodiscard]] plan_id make_plan_id(const objective_id& objective, std::size_t index);
/// Whether `id` is the one that make_task_id or make_plan_id makes; makes no text to find it out.
[[nodiscard]] bool is_generated(const task_id& id, const plan_id& plan, std::size_t index) noexcept;
[[nodiscard]] bool is_generated(const plan_id& id, const objective_id& objective,
                                std::size_t index) noexcept;
/// Whether `id` ends like an id of these three functions: `.p`, `.t` or `.r` and digits.
[[nodiscard]] bool has_generated_form(std::string_view id) noexcept;

} // namespace troupe

template<class Tag>
struct std::hash<troupe::basic_id<Tag>> {
  std::size_t operator()(const troupe::basic_id<Tag>& id) const noexcept {
    return std::hash<std::string>{}(id.str());
  }
};
