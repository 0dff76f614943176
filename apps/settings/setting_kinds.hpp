// The kinds of settings there are: how each is read from a value of the configuration and shown
// again. Used where settings are listed (apps/settings/settings.cpp,
// apps/settings/push_settings.cpp).
#pragma once

#include "apps/settings/card_settings.hpp"
#include "apps/settings/settings.hpp"
#include <troupe/protocol/errc.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::setting_kinds {

inline error refusal(std::string message) {
  return make_error(errc::invalid_params, std::move(message));
}

/// Where a setting is kept, to be changed and to be read. Made from one generic accessor: `[](auto&
/// s) -> auto& { return s.agent; }`.
template<class T>
struct place {
  template<class Accessor>
  place(Accessor where) : to_change(where), to_read(where) {}

  T& (*to_change)(serve_settings&);
  const T& (*to_read)(const serve_settings&);
};

/// SIGHUP takes a new value of it.
inline setting reloadable(setting which) {
  which.is_reloadable = true;
  return which;
}

/// A setting of any kind. `take` makes a T of what was given, or says what would be right; `show`
/// turns it back.
template<class T, class Take, class Show>
setting kept(std::string_view key, std::string_view help, place<T> where, Take take, Show show) {
  return {key, help,
          [where, take](serve_settings& to, const setting_value& value) -> result<void> {
            auto taken = take(value);
            if (!taken)
              return taken.error();
            where.to_change(to) = std::move(*taken);
            return {};
          },
          [where, show](const serve_settings& from) -> setting_value {
            return show(where.to_read(from));
          }};
}

/// A setting that is kept as it is given; `kind`: what it must be, for who gives something else.
template<class T>
setting as_given(std::string_view key, std::string_view help, place<T> where,
                 std::string_view kind) {
  return kept<T>(
      key, help, where,
      [kind](const setting_value& value) -> result<T> {
        if (const auto* given = std::get_if<T>(&value))
          return *given;
        return refusal("must be " + std::string(kind));
      },
      [](const T& value) { return value; });
}

/// `is_secret`: it is not shown.
inline setting text(std::string_view key, std::string_view help, place<std::string> where,
                    bool is_secret = false) {
  auto out = as_given<std::string>(key, help, where, "a text");
  out.is_secret = is_secret;
  return out;
}

inline setting truth(std::string_view key, std::string_view help, place<bool> where) {
  return as_given<bool>(key, help, where, "true or false");
}

/// A list of texts. `is_secret`: they are never shown.
inline setting texts(std::string_view key, std::string_view help, place<text_list> where,
                     bool is_secret = false) {
  auto out = as_given<text_list>(key, help, where, "a list of texts");
  out.is_secret = is_secret;
  return out;
}

/// A setting that is a whole number of at least `least`, held in any unsigned type; at most `most`,
/// or what the type holds.
template<class T>
setting number(std::string_view key, std::string_view help, place<T> where, std::int64_t least,
               T most = std::numeric_limits<T>::max()) {
  auto out = kept<T>(
      key, help, where,
      [least, most](const setting_value& value) -> result<T> {
        const auto* given = std::get_if<std::int64_t>(&value);
        if (given == nullptr || *given < least || static_cast<std::uint64_t>(*given) > most)
          return refusal(most == std::numeric_limits<T>::max()
                             ? "must be a whole number of at least " + std::to_string(least)
                             : "must be a whole number from " + std::to_string(least) + " to "
                                   + std::to_string(most));
        return static_cast<T>(*given);
      },
      [](T value) { return static_cast<std::int64_t>(value); });
  if (key.find("-bytes") != std::string_view::npos || key == "limits.memory")
    out.unit = "bytes";
  else if (key.ends_with("-seconds"))
    out.unit = "seconds";
  return out;
}

/// A whole number or one with a fraction; NaN if `value` is neither.
inline double real_number(const setting_value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&value);
  return real != nullptr ? *real : std::numeric_limits<double>::quiet_NaN();
}

/// A time in seconds, above zero; a fraction is allowed down to milliseconds.
template<class Duration>
setting seconds(std::string_view key, std::string_view help, place<Duration> where) {
  constexpr double seconds_max = 315'360'000.0; // ten years
  auto out = kept<Duration>(
      key, help, where,
      [](const setting_value& value) -> result<Duration> {
        const double given = real_number(value);
        if (!(given > 0) || given > seconds_max)
          return refusal("must be a number of seconds above 0");
        return std::max(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(given)),
                        Duration{1});
      },
      [](Duration kept_value) -> setting_value {
        const double value = std::chrono::duration<double>(kept_value).count();
        if (value == std::floor(value))
          return static_cast<std::int64_t>(value);
        return value;
      });
  out.unit = "seconds";
  return out;
}

/// Seconds within bounds, whole.
inline setting whole_seconds(std::string_view key, std::string_view help,
                             place<std::chrono::seconds> where, std::chrono::seconds least,
                             std::chrono::seconds most) {
  auto out = kept<std::chrono::seconds>(
      key, help, where,
      [least, most](const setting_value& value) -> result<std::chrono::seconds> {
        const auto* given = std::get_if<std::int64_t>(&value);
        if (given == nullptr || *given < least.count() || *given > most.count())
          return refusal("must be a whole number of seconds from " + std::to_string(least.count())
                         + " to " + std::to_string(most.count()));
        return std::chrono::seconds{*given};
      },
      [](std::chrono::seconds value) { return static_cast<std::int64_t>(value.count()); });
  out.unit = "seconds";
  return out;
}

/// One of some names.
template<class T, std::size_t N>
setting choice(std::string_view key, std::string_view help, place<T> where,
               std::array<std::pair<std::string_view, T>, N> names) {
  auto out = kept<T>(
      key, help, where,
      [names](const setting_value& value) -> result<T> {
        std::string list;
        for (const auto& [name, meaning] : names) {
          if (const auto* given = std::get_if<std::string>(&value);
              given != nullptr && *given == name)
            return meaning;
          list += (list.empty() ? "" : ", ") + std::string(name);
        }
        return refusal("must be one of " + list);
      },
      [names](const T& value) {
        const auto found = std::ranges::find(names, value, &std::pair<std::string_view, T>::second);
        return found == names.end() ? std::string{} : std::string(found->first);
      });
  for (const auto& [name, meaning] : names)
    out.unit += (out.unit.empty() ? "" : "|") + std::string(name);
  return out;
}

inline setting skills(std::string_view key, std::string_view help,
                      place<std::vector<agent_skill>> where) {
  return kept<std::vector<agent_skill>>(
      key, help, where, [](const setting_value& value) { return skills_from(value); },
      [](const std::vector<agent_skill>& value) { return to_rows(value); });
}

} // namespace troupe::setting_kinds
