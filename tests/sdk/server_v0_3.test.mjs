// The binary as a client of a server that is made of the official SDK of A2A 0.3.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';

const { DefaultRequestHandler, InMemoryTaskStore, JsonRpcTransportHandler } = await import('a2a-0.3/server');

/// Says back what it is told, in two pieces; asks about a text that ends with a question mark.
const executor = {
  async execute(context, bus) {
    const { taskId, contextId, userMessage } = context;
    const status = (state, final, text) => bus.publish({
      kind: 'status-update', taskId, contextId, final,
      status: { state, timestamp: new Date().toISOString(),
                ...(text && { message: { kind: 'message', messageId: `m-${state}`, role: 'agent', parts: [{ kind: 'text', text }] } }) } });
    const text = userMessage.parts[0].text;
    if (!context.task)
      bus.publish({ kind: 'task', id: taskId, contextId, history: [userMessage], status: { state: 'submitted', timestamp: new Date().toISOString() } });
    status('working', false);
    if (text.endsWith('?')) {
      status('input-required', true, 'You tell me');
    } else {
      for (const piece of ['you said ', text])
        bus.publish({ kind: 'artifact-update', taskId, contextId, append: piece === text, lastChunk: piece === text,
                      artifact: { artifactId: 'a', parts: [{ kind: 'text', text: piece }] } });
      status('completed', true);
    }
    bus.finished();
  },
  async cancelTask() {},
};

let web;
let url;
before(async () => {
  const card = () => ({
    name: 'Parrot', description: 'Says it again.', version: '1', protocolVersion: '0.3.0', url, preferredTransport: 'JSONRPC',
    capabilities: { streaming: true }, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
    skills: [{ id: 'say', name: 'Say', description: 'Says it again.', tags: ['echo'] }],
  });
  let handler;
  web = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (more) => (body += more)).on('end', async () => {
      if (request.method === 'GET') {
        const isCard = request.url === '/.well-known/agent-card.json';
        response.writeHead(isCard ? 200 : 404, { 'Content-Type': 'application/json' }).end(isCard ? JSON.stringify(card()) : '');
        return;
      }
      const answer = await handler.handle(JSON.parse(body));
      if (typeof answer[Symbol.asyncIterator] !== 'function') {
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
        return;
      }
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for await (const event of answer) response.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  });
  await new Promise((resolve) => web.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${web.address().port}/`;
  handler = new JsonRpcTransportHandler(new DefaultRequestHandler(card(), new InMemoryTaskStore(), executor));
});
after(() => web?.close());

/// Runs `troupe` with these words against the server.
const troupe = (...words) => new Promise((resolve) => {
  const child = spawn(process.env.TROUPE_BINARY, words, { env: { ...process.env, TROUPE_SERVER: url }, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.on('data', (more) => (out += more));
  child.stderr.on('data', (more) => (err += more));
  child.once('exit', (code) => setImmediate(() => resolve({ code, out, err })));
});

test('troupe sends to an agent of the SDK, and prints its answer', async () => {
  assert.deepEqual(await troupe('send', 'hello'), { code: 0, out: 'you said hello\n', err: '' });
  const card = await troupe('agent');
  assert.match(card.out, /Parrot[^]*A2A 0\.3\.0 over JSONRPC/);
});

test('troupe answers the question of an agent of the SDK, in the same task', async () => {
  const asks = await troupe('send', 'why?');
  assert.equal(asks.code, 3, asks.err);
  assert.match(asks.err, /asks: You tell me/);
  const [, id] = /--task (\S+)/.exec(asks.err);
  const answered = await troupe('send', '--task', id, 'because');
  assert.equal(answered.code, 0, answered.err);
  assert.equal(answered.out, 'you said because\n');
  const shown = JSON.parse((await troupe('task', id, '--json')).out);
  assert.equal(shown.id, id);
  assert.equal(shown.status.state, 'TASK_STATE_COMPLETED');
});

test('what an agent of the SDK lacks is said', async () => {
  const lists = await troupe('tasks');
  assert.equal(lists.code, 1);
  assert.match(lists.err, /does not list its tasks/);
  const submits = await troupe('ls');
  assert.match(submits.err, /has no objectives, only tasks/);
  assert.match((await troupe('task', 'nothing')).err, /not found/i);
});
