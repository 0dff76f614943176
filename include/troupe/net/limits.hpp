// Every limit of the HTTP side, with its unit, its reason, and what happens at the limit. They are
// the defaults of `server_options`, which can change most of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace troupe::net {

using namespace std::chrono_literals;

// -- one request ----------------------------------------------------------------------------------

/// Bytes of a request's body. Above: 413, before the body is read if Content-Length says it, else
/// while reading.
inline constexpr std::uint64_t body_bytes_max = 10 * 1024 * 1024;
/// Bytes of request line and headers together; the same for a chunk's line, and for all chunk
/// extensions and the trailer together. Above: 431.
inline constexpr std::uint32_t header_bytes_max = 32 * 1024;
/// Nesting of arrays and objects in a body. Above: JSON-RPC -32700. Deeper trees would cost stack
/// when copied.
inline constexpr std::size_t json_depth_max = 100;
/// Bytes of a JSON-RPC `id`, as JSON. It is repeated in every event of a stream. Above: -32600.
inline constexpr std::size_t rpc_id_bytes_max = 1024;
/// Bytes of a client's text repeated in an error message; the rest is cut.
inline constexpr std::size_t echoed_bytes_max = 128;

// -- the agent card -------------------------------------------------------------------------------

/// How long caches may keep the card (`Cache-Control: max-age`), and what an operator may choose
/// (A2A 1.0 section 8.6.1).
inline constexpr std::chrono::seconds card_max_age = 5min;
inline constexpr std::chrono::seconds card_max_age_min = 60s;
inline constexpr std::chrono::seconds card_max_age_max = 3600s;
/// Signatures of a card that are checked; further ones are ignored, so that a card costs a bounded
/// time.
inline constexpr std::size_t card_signatures_max = 16;

// -- time -----------------------------------------------------------------------------------------

/// From a request's first byte to the end of its headers (a slow sender must not hold a
/// connection). Then: 408 and close.
inline constexpr std::chrono::milliseconds header_timeout = 10s;
/// From the end of the headers to the end of the body. Then: 408 and close.
inline constexpr std::chrono::milliseconds body_timeout = 60s;
/// Without a byte between two requests, or before the first. Then: close without an answer.
inline constexpr std::chrono::milliseconds idle_timeout = 75s;
/// A write that makes no progress: the reader is gone. Then: close.
inline constexpr std::chrono::milliseconds write_timeout = 30s;
/// An answer that is no stream is taken at this rate at least, on the average and after a
/// `write_timeout`: one that is read in drops would hold its bytes for ever. Below: close.
inline constexpr std::size_t answer_bytes_per_second_min = 16 * 1024;
/// The same for each text of a stream: an event, a piece of a long one, or what happened meanwhile.
/// Only while a text waits: a stream that is silent needs no speed. Below: close.
inline constexpr std::size_t stream_bytes_per_second_min = 1024;
/// After so long the long answer that began first gives way to another for which there is no room
/// (`answer_bytes_total_max`, or the account `answers`): its connection is closed. The other one is
/// refused, and finds room when it comes again.
inline constexpr std::chrono::milliseconds answer_grace = 10s;
/// How long a blocking SendMessage (A2A 1.0 section 3.2.2) may wait for its task. Then: the task as
/// it is.
inline constexpr std::chrono::milliseconds blocking_wait_max = 10min;
/// How long the answer to a message that answers a question through the root task waits for the
/// next status of that task. Then: the task as it is.
inline constexpr std::chrono::milliseconds next_status_wait_max = 1s;
/// How long a command may wait for a disk that takes nothing. Then: 503, and the command may still
/// be done. A blocking SendMessage whose task was taken gets the task as it is.
inline constexpr std::chrono::milliseconds disk_wait_max = 5s;
/// While a command waits for longer than that because of something else, the disk is looked at
/// again after this time.
inline constexpr std::chrono::milliseconds disk_look_interval = 1s;
/// Between two comments on a silent stream; the Python SDK's client gives up after 5 s without a
/// byte.
inline constexpr std::chrono::milliseconds keep_alive_interval = 3s;
/// After the last answer on a connection: for this time, input from the client is read and dropped,
/// so that a TCP reset does not destroy the answer.
inline constexpr std::chrono::milliseconds linger_timeout = 2s;
/// The same in bytes, per connection.
inline constexpr std::uint64_t linger_bytes_max = 256 * 1024 * 1024;
/// While draining: how long an idle connection is kept for a request that the client may already
/// have sent (it gets a 503).
inline constexpr std::chrono::milliseconds drain_idle_grace = 250ms;
/// The longest step in which deadlines are checked; short timeouts make it shorter.
inline constexpr std::chrono::milliseconds sweep_interval_max = 250ms;
inline constexpr std::chrono::milliseconds sweep_interval_min = 2ms;

// -- the whole process ----------------------------------------------------------------------------

/// Open connections. Above: accepted, answered 503 with Retry-After, closed.
inline constexpr std::size_t connections_max = 20'000;
/// Connections above `connections_max` that are being answered with 503. Above that: closed without
/// an answer.
inline constexpr std::size_t refusals_max = 1'000;
/// Open event streams. Above: 429 with Retry-After.
inline constexpr std::size_t streams_max = 10'000;
/// Requests being worked on, blocking sends included. Above: 429 with Retry-After.
inline constexpr std::size_t requests_in_flight_max = 10'000;
/// Percent of `connections_max`, `streams_max` and `requests_in_flight_max` that one client address
/// may have; of IPv6 its network of 64 bits. Above: as above. A quarter stays for others, whatever
/// one address does. 0: one address may have all, for a server behind a proxy, whose clients have
/// its address.
inline constexpr std::uint32_t client_share_percent = 75;
/// Bytes of request bodies longer than `kept_bytes_max`, on all connections, from when they are
/// read until they are parsed. Above: 429 with Retry-After.
inline constexpr std::size_t body_bytes_total_max = std::size_t{512} << 20;
/// Bytes of answers longer than `kept_bytes_max` that wait for their readers, on all connections;
/// without streams.
/// Above: 429 with Retry-After; or 500, if the command is done and must not be sent again; and see
/// `answer_grace`.
inline constexpr std::size_t answer_bytes_total_max = std::size_t{512} << 20;
// Long requests and answers (net/a2a/answer_maker.hpp). Threads of their own read and write them.
/// Bytes of a body above which a request is a long one; a shorter one costs its loop less than a
/// millisecond.
inline constexpr std::size_t long_request_bytes = 64 * 1024;
/// About this many bytes make an answer a long one; a shorter one costs its loop less than a
/// millisecond.
inline constexpr std::size_t long_answer_bytes = 64 * 1024;
/// Long requests that wait to be read and long answers that wait to be written, together. Above:
/// 429 with Retry-After.
inline constexpr std::size_t long_answers_max = 10'000;
/// The same for one client.
inline constexpr std::size_t long_answers_per_client_max = 1'000;
/// Clients that are remembered for what their answers cost, about 200 bytes each.
inline constexpr std::size_t long_answer_clients_max = 4096;
/// Bytes that count as much as one answer when clients take turns.
inline constexpr std::size_t long_answer_turn_bytes = 4096;
/// Bytes of an answer that a loop writes to a socket before it looks after its other connections.
inline constexpr std::size_t written_at_once_max = 256 * 1024;
/// Retry-After of a refused request, in seconds.
inline constexpr std::uint32_t retry_after_seconds = 1;

// -- one stream -----------------------------------------------------------------------------------

/// Changes waiting for a slow reader. Progress is merged (the latest per task), chunks of an
/// artifact are joined; state changes and artifacts are never dropped: above the limit they are
/// read from the history when the reader gets there. If the store no longer keeps them, the stream
/// ends with an error event and the client subscribes again.
inline constexpr std::size_t stream_events_max = 1'000;
/// The same in (estimated) bytes.
inline constexpr std::size_t stream_bytes_max = 16 * 1024 * 1024;
/// Bytes that wait for the readers of all streams together: changes in their feeds, texts on their
/// way, and long snapshots, each counted once for all its readers. Above: a feed takes no more in
/// and reads from the history later; for a text or a snapshot the stream is cut whose reader has
/// taken nothing for the longest time; new streams are refused with 429.
inline constexpr std::size_t stream_bytes_total_max = std::size_t{512} << 20;
/// Bytes of a long event that are made and written at once: what a reader that has stopped holds.
inline constexpr std::size_t stream_piece_bytes = 64 * 1024;
/// Bytes of changes that are made into events and written at once: the window of a socket that
/// takes everything. One change may be larger. Many streams at once have smaller ones
/// (stream_budget::window).
inline constexpr std::size_t stream_window_bytes = 256 * 1024;

// -- headers --------------------------------------------------------------------------------------

/// Bytes of an `Idempotency-Key`, without its quotes. A longer one is refused.
inline constexpr std::size_t idempotency_key_bytes_max = 255;

// -- one configuration of notifications -----------------------------------------------------------

/// Bytes of changes waiting for a slow receiver; above, they are read from the history again.
/// `push_options::queue_changes_max` bounds their number.
inline constexpr std::size_t push_queue_bytes_max = 16 * 1024 * 1024;
/// Bytes of changes that are taken for notifications at once. One change may be larger.
inline constexpr std::size_t push_window_bytes = 64 * 1024;
/// Bytes of a notification, and of the past of which 0.3 makes the task that it posts, that find
/// room in any case: no more than `push.parallel` notifications are posted at once. Longer ones
/// need room for the streams (`limits.stream-bytes-total`, `feeds` of `limits.memory`), and wait
/// for it.
inline constexpr std::size_t push_assured_bytes = 64 * 1024;

/// Bytes written to a socket that the kernel has not sent yet. Above: it takes no more for now.
/// Else a reader that has stopped costs the kernel up to 4 MiB.
inline constexpr int unsent_bytes_max = 128 * 1024;

// -- memory a connection keeps between requests ---------------------------------------------------

/// Bytes read from a socket at once.
inline constexpr std::size_t read_bytes = 4 * 1024;
/// The same inside a long body.
inline constexpr std::size_t read_bytes_long = 64 * 1024;
/// Larger buffers are freed after the request.
inline constexpr std::size_t kept_bytes_max = 32 * 1024;
/// The same for the text of one header, of the few that are kept with a request: enough for a token
/// of some size, so that usual requests allocate nothing.
inline constexpr std::size_t kept_header_bytes_max = 1024;
/// What a connection counts for in `limits.memory` without its buffers, and the steps in which
/// these count.
inline constexpr std::size_t connection_bytes = 4 * 1024;

static_assert(header_bytes_max < body_bytes_max && body_bytes_max < body_bytes_total_max);
static_assert(drain_idle_grace < linger_timeout,
              "a drained connection is not kept longer than a closing one");
static_assert(keep_alive_interval < 5s, "Python's client gives up after 5 s");
static_assert(streams_max <= connections_max && requests_in_flight_max <= connections_max);

} // namespace troupe::net
