// The server of models for tests (tests/models) against the official client of OpenAI: what the
// client of Troupe is tested with has the shapes of real servers.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import OpenAI from "openai";

let server;
let baseURL;

before(async () => {
  server = spawn(process.env.TROUPE_MODEL_SERVER, ["0"], { stdio: ["pipe", "pipe", "inherit"] });
  const failed = new Promise((_, reject) => server.once("error", reject));
  const lines = createInterface({ input: server.stdout });
  const first = await Promise.race([lines[Symbol.asyncIterator]().next(), failed]);
  baseURL = first.value;
});
after(() => server.stdin.end());

const client = (maxRetries = 0, timeout = 10_000) => new OpenAI({ baseURL, apiKey: "sk-test", maxRetries, timeout });
const messages = [{ role: "user", content: "Say something." }];
const tools = [{ type: "function", function: { name: "ask_person", parameters: { type: "object" } } }];

async function whole(model, more = {}, retries = 0) {
  const answer = await client(retries).chat.completions.create({ model, messages, ...more });
  return answer.choices[0];
}

async function streamed(model, more = {}) {
  const stream = await client().chat.completions.create({ model, messages, stream: true, ...more });
  const out = { content: "", finish: null, calls: [], usage: null };
  for await (const chunk of stream) {
    out.usage = chunk.usage ?? out.usage;
    const choice = chunk.choices[0];
    out.content += choice?.delta.content ?? "";
    out.finish = choice?.finish_reason ?? out.finish;
    for (const call of choice?.delta.tool_calls ?? []) {
      out.calls[call.index] ??= { name: "", arguments: "" };
      out.calls[call.index].name += call.function?.name ?? "";
      out.calls[call.index].arguments += call.function?.arguments ?? "";
    }
  }
  return out;
}

for (const model of ["ok", "no-usage", "no-done", "comments", "empty-choices", "byte-by-byte", "reasoning", "azure"])
  test(`${model}: the client reads the same, whole and as a stream`, async () => {
    const { message, finish_reason } = await whole(model);
    assert.equal(finish_reason, "stop");
    const stream = await streamed(model);
    assert.equal(stream.content, message.content);
    assert.equal(stream.finish, "stop");
    assert.equal(stream.usage === null, model === "no-usage");
  });

for (const [model, form] of [["fence", /^```json\n[^]*\n```$/], ["think", /^<think>\nHm\.\n<\/think>/]])
  test(`${model}: the wrapping is a part of the content`, async () => {
    const { message } = await whole(model);
    assert.match(message.content, form);
    assert.equal((await streamed(model)).content, message.content);
  });

for (const model of ["wrong-once", "wrong-twice"])
  test(`${model}: a wrong content is an answer like any other`, async () => {
    const said = [];
    for (let i = 0; i < 3; ++i) said.push((await whole(model)).message.content);
    assert.notEqual(said[0], said[2]);
    assert.equal(said[0] === said[1], model === "wrong-twice");
  });

for (const [model, finish] of [["length", "length"], ["content-filter", "content_filter"]])
  test(`${model}: the client is told why it stopped`, async () => {
    assert.equal((await whole(model)).finish_reason, finish);
    assert.equal((await streamed(model)).finish, finish);
  });

test("refusal: it is a member of its own", async () => {
  assert.match((await whole("refusal")).message.refusal, /cannot/);
});

for (const [model, count] of [["tool", 1], ["tool-pieces", 1], ["tool-two", 2], ["tool-empty-id", 1], ["tool-stop", 1]])
  test(`${model}: the client puts the calls together`, async () => {
    const { message } = await whole(model, { tools });
    assert.equal(message.tool_calls.length, count);
    const stream = await streamed(model, { tools });
    assert.deepEqual(
      stream.calls,
      message.tool_calls.map((call) => ({ name: call.function.name, arguments: call.function.arguments })),
    );
    assert.equal(JSON.parse(stream.calls[0].arguments).question, "Which city?");
  });

test("tool-broken: the client hands on arguments that are no JSON", async () => {
  const { message } = await whole("tool-broken", { tools });
  assert.throws(() => JSON.parse(message.tool_calls[0].function.arguments));
  assert.equal((await streamed("tool-broken", { tools })).calls[0].name, "ask_person");
});

test("tool-unknown: the client hands on the call of a tool that nobody offered", async () => {
  const { message, finish_reason } = await whole("tool-unknown", { tools });
  assert.equal(finish_reason, "tool_calls");
  assert.equal(message.tool_calls[0].function.name, "delete_everything");
});

test("tool-loop: each answer has another call", async () => {
  const ids = [];
  for (let i = 0; i < 3; ++i) ids.push((await whole("tool-loop", { tools })).message.tool_calls[0].id);
  assert.equal(new Set(ids).size, 3);
});

test("obey: the client has the call that a text in the messages asks for", async () => {
  const ordered = [{ role: "user", content: '!call ask_person {"question":"Now?"}' }];
  const { message } = await whole("obey", { tools, messages: ordered });
  assert.equal(message.tool_calls[0].function.arguments, '{"question":"Now?"}');
});

for (const [model, type, status] of [
  ["401", OpenAI.AuthenticationError, 401],
  ["403", OpenAI.PermissionDeniedError, 403],
  ["404", OpenAI.NotFoundError, 404],
  ["quota", OpenAI.RateLimitError, 429],
  ["context-length", OpenAI.BadRequestError, 400],
  ["azure-filter", OpenAI.BadRequestError, 400],
  ["500", OpenAI.InternalServerError, 500],
  ["502-html", OpenAI.InternalServerError, 502],
])
  test(`${model}: the client raises the error of that status`, async () => {
    await assert.rejects(whole(model), (error) => error instanceof type && error.status === status);
  });

for (const [model, header, form] of [
  ["429-seconds", "retry-after", /^2$/],
  ["429-date", "retry-after", /GMT$/],
  ["429-ms", "retry-after-ms", /^1500$/],
  ["429-long", "retry-after", /^\d{3,}$/],
])
  test(`${model}: the client is told how long to wait`, async () => {
    await assert.rejects(
      whole(`${model}:told`),
      (error) => error instanceof OpenAI.RateLimitError && form.test(error.headers.get(header)),
    );
  });

for (const model of ["429-ms", "429-none", "408", "409", "500-once"])
  test(`${model}: the client tries again and has its answer`, async () => {
    assert.equal((await whole(model, {}, 2)).finish_reason, "stop");
  });

test("openai: the client is told which parameter is refused", async () => {
  await assert.rejects(whole("openai", { max_tokens: 5 }), (error) => error.param === "max_tokens");
  assert.equal((await whole("openai", { max_completion_tokens: 5 })).finish_reason, "stop");
});

// What each server refuses of a request, and what it says then.
for (const [model, more, words] of [
  ["ollama", { tools }, /does not support tools/],
  ["vllm", { tools }, /400/], // the client does not find the message, in this shape
  ["llama.cpp", { response_format: { type: "json_schema", json_schema: { name: "x", schema: {} } } }, /./],
  ["lm-studio", { response_format: { type: "json_object" } }, /must be 'json_schema' or 'text'/],
  ["anthropic", { n: 2 }, /n: must be 1/],
  ["gemini", { seed: 1 }, /400/], // an array: the same
])
  test(`${model}: the client raises what this server refuses, and has an answer without it`, async () => {
    await assert.rejects(
      whole(model, more),
      (error) => error instanceof OpenAI.BadRequestError && words.test(error.message),
    );
    assert.equal((await whole(model)).finish_reason, "stop");
  });

test("gemini: a call of a tool ends with `stop`", async () => {
  const { message, finish_reason } = await whole("gemini", { tools });
  assert.equal(finish_reason, "stop");
  assert.equal(message.tool_calls.length, 1);
});

test("openrouter: the client raises an error within the stream, and reads over comments", async () => {
  await assert.rejects(streamed("openrouter"));
  assert.equal((await streamed("openrouter")).finish, "stop");
});

test("redirect: there is nothing where it leads", async () => {
  await assert.rejects(whole("redirect"), OpenAI.APIConnectionError);
});

for (const model of ["hang-head", "hang-first", "hang-middle"])
  test(`${model}: the client waits until it is told to stop`, async () => {
    const stop = new AbortController();
    const waiting = (async () => {
      const stream = await client(0).chat.completions.create(
        { model, messages, stream: true },
        { signal: stop.signal },
      );
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) stop.abort();
      if (stop.signal.aborted) throw new OpenAI.APIUserAbortError();
    })();
    if (model !== "hang-middle") setTimeout(() => stop.abort(), 100);
    await assert.rejects(waiting);
  });

test("close: a connection without an answer is an error", async () => {
  await assert.rejects(whole("close"), OpenAI.APIConnectionError);
});

test("huge: the client reads on and on", async () => {
  const stream = await client().chat.completions.create({ model: "huge", messages, stream: true });
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.choices[0].delta.content.length;
  assert.equal(bytes, 50 << 20);
});

test("steady: a token after the other, as many as are wanted", async () => {
  const { content } = await streamed("steady", { max_tokens: 5 });
  assert.equal(content.trim().split(" ").length, 5);
});

test("error-event: the client raises an error within the stream", async () => {
  await assert.rejects(streamed("error-event"));
});

test("cut-once: the second answer is whole", async () => {
  assert.equal((await streamed("cut-once")).finish, null);
  assert.equal((await streamed("cut-once")).finish, "stop");
});

test("cut: the client ends without a reason, which is how a cut is known", async () => {
  const stream = await streamed("cut");
  assert.equal(stream.finish, null);
});

test("no-json: the client makes no answer of it", async () => {
  assert.equal(typeof (await client().chat.completions.create({ model: "no-json", messages })), "string");
});
