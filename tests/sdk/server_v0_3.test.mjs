// The binary as a client of servers that are made of the official SDK of A2A 0.3, over JSON-RPC and REST, by the SDK's own handlers.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { delegatesTo, startAgent, survivesKills, takesMessage, troupeAt } from './support.mjs';

const { DefaultRequestHandler, InMemoryTaskStore } = await import('a2a-0.3/server');
const { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } = await import('a2a-0.3/server/express');

/// The tasks that wait, or have waited: their context, and what ends the wait.
const waiting = new Map();

/// The ids of all tasks.
const tasks = new Set();

/// Says back what it is told, in two pieces; asks about a text that ends with a question mark; waits for its cancel if it is told to.
const executor = {
  async execute(context, bus) {
    const { taskId, contextId, userMessage } = context;
    const status = (state, final, text) => bus.publish({
      kind: 'status-update', taskId, contextId, final,
      status: { state, timestamp: new Date().toISOString(),
                ...(text && { message: { kind: 'message', messageId: `m-${state}`, role: 'agent', parts: [{ kind: 'text', text }] } }) } });
    const text = userMessage.parts[0].text;
    if (text === 'no task') {
      bus.publish({ kind: 'message', messageId: 'm', role: 'agent', contextId, parts: [{ kind: 'text', text: 'just this' }] });
      bus.finished();
      return;
    }
    tasks.add(taskId);
    if (!context.task)
      bus.publish({ kind: 'task', id: taskId, contextId, history: [userMessage], status: { state: 'submitted', timestamp: new Date().toISOString() } });
    status('working', false);
    if (text === 'wait') {
      status('working', false, 'I wait');
      await new Promise((end) => waiting.set(taskId, { contextId, end }));
      return;
    }
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
  async cancelTask(taskId, bus) {
    const { contextId, end } = waiting.get(taskId);
    bus.publish({ kind: 'status-update', taskId, contextId, final: true,
                  status: { state: 'canceled', timestamp: new Date().toISOString() } });
    bus.finished();
    end();
  },
};

/// An agent that speaks over this binding, and no other.
const startParrot = (binding) => startAgent((url) => {
  const card = {
    name: 'Parrot', description: 'Says it again.', version: '1', protocolVersion: '0.3.0', url: `${url}/a2a`,
    preferredTransport: binding, capabilities: { streaming: true },
    defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
    skills: [{ id: 'say', name: 'Say', description: 'Says it again.', tags: ['echo'] }],
  };
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const handler = binding === 'JSONRPC' ? jsonRpcHandler : restHandler;
  return [['/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler })],
          ['/a2a', handler({ requestHandler, userBuilder: UserBuilder.noAuthentication })]];
});

for (const binding of ['JSONRPC', 'HTTP+JSON']) {
  describe(`a server of the SDK of 0.3, ${binding}`, () => {
    let agent;
    let troupe;
    before(async () => {
      agent = await startParrot(binding);
      troupe = troupeAt(agent.url);
    });
    after(() => agent?.stop());

    test('troupe sends to it, prints its answer, and shows its card', async () => {
      assert.deepEqual(await troupe('send', 'hello'), { code: 0, out: 'you said hello\n', err: '' });
      const card = await troupe('agent');
      assert.equal(card.code, 0, card.err);
      assert.ok(card.out.includes('Parrot'), card.out);
      assert.ok(card.out.includes(`A2A 0.3.0 over ${binding}`), card.out);
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

    test('a plan has its tasks done there, with a question and a cancel', () => delegatesTo(agent.url, waiting));

    test('a task there is found again whenever its server is killed', () => survivesKills(agent.url, tasks));

    test('a message in place of a task completes ours', () => takesMessage(agent.url));

    test('what it lacks is said', async () => {
      const lists = await troupe('tasks');
      assert.equal(lists.code, 1);
      assert.match(lists.err, /does not list its tasks/);
      assert.match((await troupe('ls')).err, /has no objectives, only tasks/);
      const nothing = await troupe('task', 'nothing');
      assert.equal(nothing.code, 1);
      assert.match(nothing.err, /not found/i);
    });
  });
}
