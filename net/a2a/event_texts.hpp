// The texts of events that several streams of one task will show. The first stream that needs a
// text encodes it, once for each version. A text is held only while other streams may still need
// it.
#pragma once

#include "net/a2a/wire_codec.hpp"
#include <troupe/protocol/event.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace troupe::net {

/// Thread-safe.
class event_texts {
public:
  /// Which text: of one event of a change, in the words of a version.
  struct key {
    const wire_codec* codec = nullptr;
    std::size_t event = 0;
    bool last = false;
    bool has_cursor = false;
    std::uint8_t detail = 0;    ///< Of an objective's stream: how much it shows, from 1 on.
    std::uint64_t revision = 0; ///< Of an objective's stream, after the change.
    bool hitl = false;          ///< As in stream_mark.

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

  struct entry {
    std::weak_ptr<const change> where; ///< Keeps its address from being used again.
    key which;
    text_ptr text;
  };

  static constexpr std::size_t shard_count = 16;
  static constexpr std::size_t shard_entries = 16;

  struct shard {
    std::mutex lock;
    std::array<entry, shard_entries> entries;
    std::size_t next = 0; ///< The one to be replaced: the oldest.
  };

  [[nodiscard]] shard& shard_of(const change_ptr& where) noexcept;
  [[nodiscard]] static text_ptr find(shard& in, const change_ptr& where, const key& which);

  std::array<shard, shard_count> shards_;
};

} // namespace troupe::net
