// An artifact that comes in chunks: how a chunk joins what is there. Used by the record of a task
// and by whatever holds chunks back for a reader. Plain functions.
#pragma once

#include <troupe/protocol/event.hpp>
#include <troupe/protocol/message.hpp>

namespace troupe {

/// Adds the chunk's parts, extensions and metadata (A2A 1.0 section 4.2.2, `append`). A text that
/// follows a text of the same media type, file name and metadata continues it: however many chunks
/// a text came in, it is one part.
void append_chunk(artifact& to, const artifact& chunk);

/// Whether `next` means only that the last event of `before` goes on: both are one appended
/// chunk of the same artifact, alike in all but their parts. That `before` says it is the last one
/// does not count, because `next` follows: agents that say nothing about it say so of every chunk.
[[nodiscard]] bool continues_chunk(const change& before, const change& next) noexcept;

/// A chunk that `next` can be added to: a copy of `before`, with an artifact of its own.
/// `continues_chunk(before, next)` holds.
[[nodiscard]] change growing_chunk(const change& before);

/// Adds `next`; `grown` was made by growing_chunk and has no other owner. It has the sequence and
/// the time of `next`.
void join_chunk(change& grown, const change& next);

} // namespace troupe
