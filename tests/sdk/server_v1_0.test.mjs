// The binary as a client of a server that is made of the official SDK of A2A 1.0, over JSON-RPC.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';

const { AgentCard, Artifact, Part, Role, TaskState } = await import('@a2a-js/sdk');
const { AgentEvent, DefaultRequestHandler, InMemoryTaskStore, JsonRpcTransportHandler, ServerCallContext } =
  await import('@a2a-js/sdk/server');

/// Says back what it is told, in two pieces; asks about a text that ends with a question mark.
const executor = {
  async execute(context, bus) {
    const { taskId, contextId, userMessage } = context;
    const now = () => new Date().toISOString();
    const status = (state, text) => bus.publish(AgentEvent.statusUpdate({
      taskId, contextId, metadata: undefined,
      status: { state, timestamp: now(),
                message: text && { messageId: `m-${state}`, role: Role.ROLE_AGENT, taskId, contextId, parts: [Part.fromJSON({ text })],
                                   extensions: [], referenceTaskIds: [], metadata: undefined } } }));
    const text = userMessage.parts[0].content.value;
    // The first event of each turn is the task.
    bus.publish(AgentEvent.task({
      ...(context.task ?? { id: taskId, contextId, history: [userMessage], artifacts: [], metadata: undefined }),
      status: { state: TaskState.TASK_STATE_SUBMITTED, timestamp: now(), message: undefined } }));
    status(TaskState.TASK_STATE_WORKING);
    if (text.endsWith('?')) {
      status(TaskState.TASK_STATE_INPUT_REQUIRED, 'You tell me');
    } else {
      for (const piece of ['you said ', text])
        bus.publish(AgentEvent.artifactUpdate({
          taskId, contextId, append: piece === text, lastChunk: piece === text, metadata: undefined,
          artifact: Artifact.fromJSON({ artifactId: 'a', parts: [{ text: piece }] }) }));
      status(TaskState.TASK_STATE_COMPLETED);
    }
    bus.finished();
  },
  async cancelTask() {},
};

let web;
let url;
before(async () => {
  let card;
  let handler;
  web = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (more) => (body += more)).on('end', async () => {
      if (request.method === 'GET') {
        const isCard = request.url === '/.well-known/agent-card.json';
        response.writeHead(isCard ? 200 : 404, { 'Content-Type': 'application/json' })
          .end(isCard ? JSON.stringify(AgentCard.toJSON(card)) : '');
        return;
      }
      const answer = await handler.handle(JSON.parse(body),
                                          new ServerCallContext({ requestedVersion: request.headers['a2a-version'] }));
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
  card = AgentCard.fromJSON({
    name: 'Parrot', description: 'Says it again.', version: '1',
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true }, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
    skills: [{ id: 'say', name: 'Say', description: 'Says it again.', tags: ['echo'] }],
  });
  handler = new JsonRpcTransportHandler(new DefaultRequestHandler(card, new InMemoryTaskStore(), executor));
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
  assert.match(card.out, /Parrot[^]*A2A 1\.0 over JSONRPC/);
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

test('troupe lists the tasks of an agent of the SDK', async () => {
  const lists = await troupe('tasks', '--json');
  assert.equal(lists.code, 0, lists.err);
  const states = lists.out.trim().split('\n').map((line) => JSON.parse(line).status.state);
  assert.ok(states.length >= 2);
  assert.ok(states.every((state) => state === 'TASK_STATE_COMPLETED'), states.join());
});

test('what an agent of the SDK lacks is said', async () => {
  assert.match((await troupe('ls')).err, /has no objectives, only tasks/);
  assert.match((await troupe('task', 'nothing')).err, /not found/i);
});
