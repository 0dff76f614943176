// The kinds of settings there are: how each is read from a value of the configuration and shown again. Used where settings are listed
// (apps/settings.cpp, apps/push_settings.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/card_settings.hpp"
#include "apps/settings.hpp"
#include "protocol/errc.hpp"

namespace troupe::setting_kinds {

inline result<void> refuse(std::string message) {
  return make_error(errc::invalid_params, std::move(message));
}

/// A setting that is a text.
inline setting text(std::string_view key, std::string_view help, std::function<std::string&(serve_settings&)> where) {
  return {key, help,
          [where](serve_settings& to, const setting_value& value) -> result<void> {
            const auto* given = std::get_if<std::string>(&value);
            if (given == nullptr)
              return refuse("must be a text");
            where(to) = *given;
            return {};
          },
          [where](const serve_settings& from) -> setting_value {
            serve_settings copy = from;
            return where(copy);
          }};
}

/// A setting that is a whole number of at least `least`, held in any unsigned type.
template<class T>
setting number(std::string_view key, std::string_view help, T& (*where)(serve_settings&), std::int64_t least) {
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  return {key, help,
          [where, least, most](serve_settings& to, const setting_value& value) -> result<void> {
            const auto* given = std::get_if<std::int64_t>(&value);
            if (given == nullptr || *given < least || static_cast<std::uint64_t>(*given) > most)
              return refuse("must be a whole number of at least " + std::to_string(least));
            where(to) = static_cast<T>(*given);
            return {};
          },
          [where](const serve_settings& from) -> setting_value {
            serve_settings copy = from;
            return static_cast<std::int64_t>(where(copy));
          }};
}

/// A time in seconds, above zero; a fraction is allowed down to milliseconds.
template<class Duration>
setting seconds(std::string_view key, std::string_view help, Duration& (*where)(serve_settings&)) {
  constexpr double seconds_max = 315'360'000.0; // ten years
  return {key, help,
          [where](serve_settings& to, const setting_value& value) -> result<void> {
            double given = -1;
            if (const auto* whole = std::get_if<std::int64_t>(&value))
              given = static_cast<double>(*whole);
            else if (const auto* real = std::get_if<double>(&value))
              given = *real;
            if (!(given > 0) || given > seconds_max)
              return refuse("must be a number of seconds above 0");
            const auto converted = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(given));
            where(to) = std::max(converted, Duration{1});
            return {};
          },
          [where](const serve_settings& from) -> setting_value {
            serve_settings copy = from;
            const double value = std::chrono::duration<double>(where(copy)).count();
            if (value == std::floor(value))
              return static_cast<std::int64_t>(value);
            return value;
          }};
}

/// One of some names.
template<class T, std::size_t N>
setting choice(std::string_view key, std::string_view help, T& (*where)(serve_settings&),
               std::array<std::pair<std::string_view, T>, N> names) {
  return {key, help,
          [where, names](serve_settings& to, const setting_value& value) -> result<void> {
            std::string list;
            for (const auto& [name, meaning] : names) {
              if (const auto* given = std::get_if<std::string>(&value); given != nullptr && *given == name) {
                where(to) = meaning;
                return {};
              }
              list += (list.empty() ? "" : ", ") + std::string(name);
            }
            return refuse("must be one of " + list);
          },
          [where, names](const serve_settings& from) -> setting_value {
            serve_settings copy = from;
            for (const auto& [name, meaning] : names)
              if (meaning == where(copy))
                return std::string(name);
            return std::string{};
          }};
}

inline setting truth(std::string_view key, std::string_view help, bool& (*where)(serve_settings&)) {
  return {key, help,
          [where](serve_settings& to, const setting_value& value) -> result<void> {
            const auto* given = std::get_if<bool>(&value);
            if (given == nullptr)
              return refuse("must be true or false");
            where(to) = *given;
            return {};
          },
          [where](const serve_settings& from) -> setting_value {
            serve_settings copy = from;
            return where(copy);
          }};
}

/// Seconds within bounds, whole.
inline setting whole_seconds(std::string_view key, std::string_view help, std::chrono::seconds& (*where)(serve_settings&),
                      std::chrono::seconds least, std::chrono::seconds most) {
  return {key, help,
          [where, least, most](serve_settings& to, const setting_value& value) -> result<void> {
            const auto* given = std::get_if<std::int64_t>(&value);
            if (given == nullptr || *given < least.count() || *given > most.count())
              return refuse("must be a whole number of seconds from " + std::to_string(least.count()) + " to "
                            + std::to_string(most.count()));
            where(to) = std::chrono::seconds{*given};
            return {};
          },
          [where](const serve_settings& from) -> setting_value {
            serve_settings copy = from;
            return static_cast<std::int64_t>(where(copy).count());
          }};
}

/// A list of texts. `is_secret`: nobody is shown them.
inline setting texts(std::string_view key, std::string_view help, text_list& (*where)(serve_settings&), bool is_secret = false) {
  return {key, help,
          [where](serve_settings& to, const setting_value& value) -> result<void> {
            const auto* given = std::get_if<text_list>(&value);
            if (given == nullptr)
              return refuse("must be a list of texts");
            where(to) = *given;
            return {};
          },
          [where](const serve_settings& from) -> setting_value {
            serve_settings copy = from;
            return where(copy);
          },
          is_secret};
}

inline setting skills(std::string_view key, std::string_view help, std::vector<agent_skill>& (*where)(serve_settings&)) {
  return {key, help,
          [where](serve_settings& to, const setting_value& value) -> result<void> {
            auto given = skills_from(value);
            if (!given)
              return given.error();
            where(to) = std::move(*given);
            return {};
          },
          [where](const serve_settings& from) -> setting_value {
            serve_settings copy = from;
            return to_rows(where(copy));
          }};
}

} // namespace troupe::setting_kinds
