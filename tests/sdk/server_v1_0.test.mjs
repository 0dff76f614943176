// The binary as a client of servers that are made of the official SDK 1.x: of A2A 1.0, and of 0.3 in the SDK's compatibility
// mode; over JSON-RPC and REST, by the SDK's own handlers.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { delegatesTo, startAgent, survivesKills, takesMessage, troupeAt } from './support.mjs';

const { AgentCard, Artifact, Part, Role, TaskState } = await import('@a2a-js/sdk');
const { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } = await import('@a2a-js/sdk/server');
const { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } = await import('@a2a-js/sdk/server/express');

const modes = [
  { version: '1.0', binding: 'JSONRPC' },
  { version: '1.0', binding: 'HTTP+JSON' },
  { version: '0.3', binding: 'JSONRPC' },
  { version: '0.3', binding: 'HTTP+JSON' },
];

/// The tasks that wait, or have waited: their context, and what ends the wait.
const waiting = new Map();

/// The ids of all tasks.
const tasks = new Set();

/// Says back what it is told, in two pieces; asks about a text that ends with a question mark; waits for its cancel if it is told to.
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
    if (text === 'no task') {
      bus.publish(AgentEvent.message({ messageId: 'm', role: Role.ROLE_AGENT, taskId: '', contextId, parts: [Part.fromJSON({ text: 'just this' })],
                                       extensions: [], referenceTaskIds: [], metadata: undefined }));
      bus.finished();
      return;
    }
    tasks.add(taskId);
    // The first event of each turn is the task.
    bus.publish(AgentEvent.task({
      ...(context.task ?? { id: taskId, contextId, history: [userMessage], artifacts: [], metadata: undefined }),
      status: { state: TaskState.TASK_STATE_SUBMITTED, timestamp: now(), message: undefined } }));
    status(TaskState.TASK_STATE_WORKING);
    if (text === 'wait') {
      status(TaskState.TASK_STATE_WORKING, 'I wait');
      await new Promise((end) => waiting.set(taskId, { contextId, end }));
      return;
    }
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
  async cancelTask(taskId, bus) {
    const { contextId, end } = waiting.get(taskId);
    bus.publish(AgentEvent.statusUpdate({
      taskId, contextId, metadata: undefined,
      status: { state: TaskState.TASK_STATE_CANCELED, timestamp: new Date().toISOString(), message: undefined } }));
    bus.finished();
    end();
  },
};

/// An agent that speaks this version over this binding, and nothing else; `told`: the version that its card says.
const startParrot = (version, binding, told = version) => startAgent((url) => {
  const cardOf = (protocolVersion) => AgentCard.fromJSON({
    name: 'Parrot', description: 'Says it again.', version: '1',
    supportedInterfaces: [{ url: `${url}/a2a`, protocolBinding: binding, protocolVersion }],
    capabilities: { streaming: true }, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
    skills: [{ id: 'say', name: 'Say', description: 'Says it again.', tags: ['echo'] }],
  });
  const requestHandler = new DefaultRequestHandler(cardOf(version), new InMemoryTaskStore(), executor);
  const legacyCompat = { enabled: version === '0.3' };
  const handler = binding === 'JSONRPC' ? jsonRpcHandler : restHandler;
  const agentCardProvider = told === version ? requestHandler : { getAgentCard: async () => cardOf(told) };
  return [['/.well-known/agent-card.json', agentCardHandler({ agentCardProvider, legacyCompat: { enabled: told === '0.3' } })],
          ['/a2a', handler({ requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat })]];
});

for (const { version, binding } of modes) {
  describe(`a server of SDK 1.x, A2A ${version}, ${binding}`, () => {
    let agent;
    let troupe;
    before(async () => {
      agent = await startParrot(version, binding);
      troupe = troupeAt(agent.url);
    });
    after(() => agent?.stop());

    test('troupe sends to it, prints its answer, and shows its card', async () => {
      assert.deepEqual(await troupe('send', 'hello'), { code: 0, out: 'you said hello\n', err: '' });
      const card = await troupe('agent');
      assert.equal(card.code, 0, card.err);
      assert.ok(card.out.includes('Parrot'), card.out);
      assert.ok(card.out.includes(`A2A ${version} over ${binding}`), card.out);
    });

    test('troupe answers its question, in the same task', async () => {
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
      assert.match((await troupe('task', id)).out, /--- made: a\nyou said \nbecause\n/); // a part is a line
    });

    test('troupe lists its tasks, where the version has that', async () => {
      assert.equal((await troupe('send', 'one more')).code, 0);
      const lists = await troupe('tasks', '--json');
      if (version === '0.3' && binding === 'JSONRPC') {
        assert.equal(lists.code, 1);
        assert.match(lists.err, /does not list its tasks/);
        return;
      }
      assert.equal(lists.code, 0, lists.err);
      if (version === '0.3') return; // over REST the SDK takes the v1 of the path for a tenant, who has no tasks
      const states = lists.out.trim().split('\n').map((line) => JSON.parse(line).status.state);
      assert.ok(states.length >= 1);
      assert.ok(states.every((state) => state === 'TASK_STATE_COMPLETED'), states.join());
    });

    test('a plan has its tasks done there, with a question and a cancel', () => delegatesTo(agent.url, waiting));

    test('a task there is found again whenever its server is killed', () => survivesKills(agent.url, tasks));

    test('a message in place of a task completes ours', () => takesMessage(agent.url));

    test('what it lacks is said', async () => {
      assert.match((await troupe('ls')).err, /has no objectives, only tasks/);
      const nothing = await troupe('task', 'nothing');
      assert.equal(nothing.code, 1);
      assert.match(nothing.err, /not found/i);
    });
  });
}

for (const [version, told] of [['1.0', '0.3'], ['0.3', '1.0']])
  test(`a server of SDK 1.x whose card says ${told}, and that speaks ${version}, has its tasks done`, async () => {
    const agent = await startParrot(version, 'JSONRPC', told);
    try {
      await delegatesTo(agent.url, waiting);
    } finally {
      await agent.stop();
    }
  });
