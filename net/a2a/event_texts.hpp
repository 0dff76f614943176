// The texts of events that several streams of one task or objective will show. The first stream
// that needs a text encodes it, once for each version. The texts that are kept have a bound in
// bytes; the oldest ones go first.
#pragma once

#include "net/a2a/wire_codec.hpp"
#include <troupe/protocol/event.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace troupe::net {

/// Thread-safe.
class event_texts {
public:
  /// Which text: of one event of a change, or of what was folded up to it, in the words of a
  /// version.
  struct key {
    const wire_codec* codec = nullptr;
    std::size_t event = 0;
    bool last = false;
    bool has_cursor = false;
    std::uint8_t detail = 0;    ///< Of an objective's stream: how much it shows, from 1 on.
    std::uint64_t revision = 0; ///< Of an objective's stream, after the change.
    /// Of a folded event of an objective's stream: the sequence of its first change. The change
    /// that the text belongs to is its last one. 0: the event is one change.
    std::uint64_t first = 0;
    bool hitl = false; ///< As in stream_mark.
    bool opt = false;  ///< As in stream_mark.

    friend bool operator==(const key&, const key&) = default;
  };

  /// Appends the event as JSON; false, and nothing appended, for what a stream does not show.
  [[nodiscard]] bool append(std::string& out, const change_ptr& where, const key& which);
  /// The same with the text that `write` writes.
  [[nodiscard]] bool append(std::string& out, const change_ptr& where, const key& which,
                            const std::function<bool(json_writer&)>& write);
  /// The same for one stream, kept for no other.
  [[nodiscard]] static bool write(json_writer& out, const change& where, const key& which);

private:
  using text_ptr = std::shared_ptr<const std::string>;

  static constexpr std::size_t shard_count = 16;
  /// Of the texts of a shard: 8 MiB in all. A burst of some thousand events fits, so that each
  /// reader of many finds what the others have encoded.
  static constexpr std::size_t shard_bytes_max = std::size_t{512} << 10;

  struct place {
    const change* where;
    key which;

    friend bool operator==(const place&, const place&) = default;
  };
  struct place_hash {
    [[nodiscard]] std::size_t operator()(const place& one) const noexcept;
  };
  struct entry {
    std::weak_ptr<const change> where; ///< Of another change that has its address it is no text.
    text_ptr text;
  };
  struct shard {
    std::mutex lock;
    std::unordered_map<place, entry, place_hash> texts;
    std::deque<place> order; ///< The oldest is the first.
    std::size_t bytes = 0;
  };

  [[nodiscard]] shard& shard_of(const change_ptr& where) noexcept;
  [[nodiscard]] static text_ptr find(shard& in, const change_ptr& where, const key& which);
  static void keep(shard& in, const change_ptr& where, const key& which, text_ptr text);

  std::array<shard, shard_count> shards_;
};

} // namespace troupe::net
