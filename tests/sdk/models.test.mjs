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

const client = (maxRetries = 0) => new OpenAI({ baseURL, apiKey: "sk-test", maxRetries, timeout: 10_000 });
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

for (const model of ["429-ms", "429-none", "408", "409", "500-once"])
  test(`${model}: the client tries again and has its answer`, async () => {
    assert.equal((await whole(model, {}, 2)).finish_reason, "stop");
  });

test("openai: the client is told which parameter is refused", async () => {
  await assert.rejects(whole("openai", { max_tokens: 5 }), (error) => error.param === "max_tokens");
  assert.equal((await whole("openai", { max_completion_tokens: 5 })).finish_reason, "stop");
});

test("error-event: the client raises an error within the stream", async () => {
  await assert.rejects(streamed("error-event"));
});

test("cut: the client ends without a reason, which is how a cut is known", async () => {
  const stream = await streamed("cut");
  assert.equal(stream.finish, null);
});

test("no-json: the client makes no answer of it", async () => {
  assert.equal(typeof (await client().chat.completions.create({ model: "no-json", messages })), "string");
});
