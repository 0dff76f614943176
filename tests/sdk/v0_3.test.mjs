// The official SDK 0.3 against the real binary: every method of its client over JSON-RPC and REST, and its older A2AClient.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { all, authentication, idFor, opt, progress, startReceiver, startServer, saysNoTask, watchedFetch } from './support.mjs';

const { A2AClient, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory, ServiceParameters,
        TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError, createAuthenticatingFetchWithRetry, withA2AExtensions } = await import('a2a-0.3/client');

let server;
let receiver;
before(async () => {
  receiver = await startReceiver();
  server = await startServer();
});
after(async () => {
  await server?.stop();
  await receiver?.stop();
});

/// Params whose message id begins with `behaviour`.
function params(behaviour, { message = {}, configuration, text = 'please' } = {}) {
  return {
    message: { kind: 'message', messageId: idFor(behaviour), role: 'user', parts: [{ kind: 'text', text }], ...message },
    ...(configuration && { configuration }),
  };
}

const textOf = (parts) => parts.map(({ text }) => text ?? '').join('');
const wordOf = (event) => (event.kind === 'status-update' ? event.status.state : event.kind === 'task' ? `task:${event.status.state}` : event.kind);

for (const transport of ['JSONRPC', 'HTTP+JSON']) {
  const isRest = transport === 'HTTP+JSON';

  describe(`SDK 0.3, ${transport}`, { concurrency: true }, () => {
    const web = watchedFetch();
    let client;
    before(async () => {
      const options = { fetchImpl: createAuthenticatingFetchWithRetry(web.fetchImpl, authentication) };
      const factory = new ClientFactory({
        transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
        preferredTransports: [transport],
        cardResolver: new DefaultAgentCardResolver(options),
      });
      client = await factory.createFromUrl(server.url);
    });

    const send = (behaviour, more) => client.sendMessage(params(behaviour, more));
    const begin = (behaviour) => send(behaviour, { configuration: { blocking: false } });

    test('the card is one this client understands', async () => {
      const card = await new DefaultAgentCardResolver().resolve(server.url);
      assert.match(card.protocolVersion, /^0\.3/);
      assert.ok(card.url);
      assert.ok(card.additionalInterfaces.some((one) => one.transport === transport));
      assert.ok(card.capabilities.streaming);
      assert.ok(card.capabilities.extensions.some(({ uri }) => uri === opt));
    });

    test('the extended card is shown to who has the token', async () => {
      const card = await client.getAgentCard();
      assert.equal(card.description, 'Knows more than it says.');
      assert.ok(card.skills.some(({ id }) => id === 'secret'));
    });

    test('a blocking send returns the ended task', async () => {
      const task = await send('tck-complete-task');
      assert.equal(task.kind, 'task');
      assert.equal(task.status.state, 'completed');
      assert.equal(textOf(task.status.message.parts), 'Hello from TCK');
      assert.equal(task.status.message.role, 'agent');
      assert.equal(textOf(task.history[0].parts), 'please');
    });

    test('a send that does not wait returns a task at work, which can be got and canceled once', async () => {
      const task = await begin('slow');
      assert.match(task.status.state, /submitted|working/);
      assert.equal((await client.getTask({ id: task.id })).id, task.id);
      assert.equal((await client.cancelTask({ id: task.id })).status.state, 'canceled');
      assert.equal((await client.getTask({ id: task.id, historyLength: 1 })).status.state, 'canceled');
      await assert.rejects(client.cancelTask({ id: task.id }), TaskNotCancelableError);
    });

    test('an agent may answer with a message, to a send and to a stream', async () => {
      const answer = await send('tck-message-response');
      assert.equal(answer.kind, 'message');
      assert.equal(textOf(answer.parts), 'Direct message response');
      assert.equal(answer.role, 'agent');
      const events = await all(client.sendMessageStream(params('tck-message-response')));
      assert.deepEqual(events.map(wordOf), ['message']);
    });

    test('artifacts of every kind arrive', async () => {
      const partOf = async (behaviour) => (await send(behaviour)).artifacts[0].parts[0];
      assert.equal((await partOf('tck-artifact-text')).text, 'Generated text content');
      const file = await partOf('tck-artifact-file');
      assert.equal(file.kind, 'file');
      assert.equal(Buffer.from(file.file.bytes, 'base64').toString(), 'tck');
      assert.equal(file.file.mimeType, 'text/plain');
      const link = await partOf('tck-artifact-file-url');
      assert.equal(link.file.uri, 'https://example.com/output.txt');
      assert.deepEqual((await partOf('tck-artifact-data')).data, { key: 'value', count: 42 });
    });

    test('a stream begins with the task and ends with what is final', async () => {
      const events = await all(client.sendMessageStream(params('tck-stream-001')));
      assert.deepEqual(events.map(wordOf), ['task:submitted', 'working', 'artifact-update', 'completed']);
      assert.deepEqual(events.filter(({ kind }) => kind === 'status-update').map(({ final }) => final), [false, true]);
      assert.equal(textOf(events[2].artifact.parts), 'Stream hello from TCK');
    });

    test('the chunks of an artifact add up, in the stream and in the task', async () => {
      const events = await all(client.sendMessageStream(params('tck-stream-artifact-chunked')));
      const chunks = events.filter(({ kind }) => kind === 'artifact-update');
      if (!isRest) // there this client forgets `append`
        assert.deepEqual(chunks.map(({ append }) => !!append), [false, true]);
      assert.deepEqual(chunks.map(({ lastChunk }) => !!lastChunk), [false, true]);
      assert.equal(chunks.map(({ artifact }) => textOf(artifact.parts)).join(''), 'chunk-1 chunk-2');
      const { artifacts } = await client.getTask({ id: chunks[0].taskId });
      assert.deepEqual(artifacts.map(({ parts }) => textOf(parts)), ['chunk-1 chunk-2']);
    });

    test('a task asks, takes further messages and comes to its end', async () => {
      const asked = await send('hello');
      assert.equal(asked.status.state, 'input-required');
      const message = { taskId: asked.id, contextId: asked.contextId };
      assert.equal((await send('more', { message })).status.state, 'input-required');
      const events = await all(client.sendMessageStream(params('tck-complete-task', { message })));
      assert.match(wordOf(events.at(-1)), /completed$/); // it may be over before the stream begins
      await assert.rejects(send('late', { message }), UnsupportedOperationError);
    });

    test('a stream ends at a question, and says that this is final', async () => {
      const events = await all(client.sendMessageStream(params('tck-input-required')));
      assert.deepEqual(events.map(wordOf), ['task:submitted', 'working', 'input-required']);
      assert.equal(events.at(-1).final, true);
    });

    test('tasks end as what they are, or wait for a sign-in', async () => {
      assert.equal((await send('tck-reject-task')).status.state, 'rejected');
      assert.equal((await send('failure')).status.state, 'failed');
      assert.equal((await send('crash')).status.state, 'failed');
      assert.equal((await send('auth-required')).status.state, 'auth-required');
    });

    test('a client that resubscribes sees the task and then its end, and an ended one as it is', async () => {
      const { id } = await begin('test-resubscribe-message-id');
      const events = await all(client.resubscribeTask({ id }));
      assert.equal(events[0].kind, 'task');
      assert.equal(wordOf(events.at(-1)), 'completed');
      assert.deepEqual((await all(client.resubscribeTask({ id }))).map(wordOf), ['task:completed']);
    });

    test('errors arrive as the errors they are', async () => {
      const id = 'no-such-task';
      await assert.rejects(client.getTask({ id }), TaskNotFoundError);
      await assert.rejects(client.cancelTask({ id }), TaskNotFoundError);
      await assert.rejects(all(client.resubscribeTask({ id })), saysNoTask);
      await assert.rejects(all(client.sendMessageStream(params('hello', { message: { taskId: id } }))), saysNoTask);
      await assert.rejects(send('hello', { message: { taskId: id } }), TaskNotFoundError);
      const done = await send('tck-complete-task');
      await assert.rejects(client.cancelTask({ id: done.id }), TaskNotCancelableError);
      await assert.rejects(send('hello', { message: { parts: [] } }));
    });

    test('extensions are active where they are asked for, and only there', async () => {
      const asking = { serviceParameters: ServiceParameters.create(withA2AExtensions(opt, progress)) };
      const told = (await all(client.sendMessageStream(params('progress'), asking))).filter(({ metadata }) => metadata?.[progress]);
      assert.equal(told.at(-1).metadata[progress].trackers[0].id, 'pages');
      assert.ok(web.calls.some(({ answer }) => answer.get('x-a2a-extensions')?.includes(progress)));
      const plain = await all(client.sendMessageStream(params('progress')));
      assert.ok(plain.every(({ metadata }) => !metadata?.[progress]));

      const plan = { name: 'Trip', plans: [{ name: 'main', tasks: [{ name: 'pack', agent: 'echo', input: { text: 'socks' } }] }] };
      const task = await client.sendMessage(params('plan', { message: { metadata: { 'opt/v1/objective': plan } } }), asking);
      assert.equal(task.status.state, 'completed');
      assert.equal(task.metadata['opt/v1/objective'].name, 'Trip');
    });

    test('push configurations are kept, listed and deleted', async () => {
      const { id: taskId } = await send('hello');
      const pushNotificationConfig = { id: 'mine', url: `${receiver.url}/kept`, token: 'secret' };
      const made = await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig });
      assert.equal(made.taskId, taskId);
      assert.equal(made.pushNotificationConfig.id, 'mine');
      const ids = { id: taskId, pushNotificationConfigId: 'mine' };
      assert.equal((await client.getTaskPushNotificationConfig(ids)).pushNotificationConfig.url, pushNotificationConfig.url);
      const list = async () => (await client.listTaskPushNotificationConfig({ id: taskId })).map((one) => one.pushNotificationConfig.id);
      assert.deepEqual(await list(), ['mine']);
      await client.deleteTaskPushNotificationConfig(ids);
      assert.deepEqual(await list(), []);
      await assert.rejects(client.getTaskPushNotificationConfig(ids), TaskNotFoundError);
    });

    test('notifications arrive as whole tasks, with token and credentials', async () => {
      const path = `/sdk03-${isRest ? 'rest' : 'rpc'}`;
      const authentication = { schemes: ['Bearer'], credentials: 'let-me-in' };
      const task = await send('tck-artifact-text', {
        configuration: { pushNotificationConfig: { url: receiver.url + path, token: 'secret', authentication } },
      });
      const last = await receiver.next((one) => one.path === path && one.body.status?.state === 'completed');
      assert.equal(last.body.kind, 'task');
      assert.equal(last.body.id, task.id);
      assert.equal(textOf(last.body.artifacts[0].parts), 'Generated text content');
      assert.equal(last.headers['x-a2a-notification-token'], 'secret');
      assert.equal(last.headers.authorization, 'Bearer let-me-in');
    });
  });
}

describe('SDK 0.3, A2AClient', { concurrency: true }, () => {
  let client;
  before(async () => {
    client = await A2AClient.fromCardUrl(`${server.url}/.well-known/agent-card.json`);
  });

  /// The result of an answer of this client, which throws nothing for errors of the server.
  const resultOf = (answer) => {
    assert.equal(answer.error, undefined, JSON.stringify(answer.error));
    return answer.result;
  };

  test('sends, gets, cancels and reports errors by code', async () => {
    const done = resultOf(await client.sendMessage(params('tck-complete-task')));
    assert.equal(done.status.state, 'completed');
    assert.equal(resultOf(await client.getTask({ id: done.id })).id, done.id);
    const asked = resultOf(await client.sendMessage(params('hello')));
    assert.equal(resultOf(await client.cancelTask({ id: asked.id })).status.state, 'canceled');
    assert.equal((await client.cancelTask({ id: asked.id })).error.code, -32002);
    assert.equal((await client.getTask({ id: 'no-such-task' })).error.code, -32001);
    assert.equal((await client.getAgentCard()).url.replace(/\/$/, ''), server.url);
  });

  test('streams and resubscribes', async () => {
    const events = await all(client.sendMessageStream(params('tck-stream-003')));
    assert.equal(wordOf(events.at(-1)), 'completed');
    const { id } = resultOf(await client.sendMessage(params('test-resubscribe-message-id', { configuration: { blocking: false } })));
    assert.equal(wordOf((await all(client.resubscribeTask({ id }))).at(-1)), 'completed');
  });

  test('keeps, gets, lists and deletes push configurations', async () => {
    const { id } = resultOf(await client.sendMessage(params('hello')));
    const config = { taskId: id, pushNotificationConfig: { id: 'mine', url: `${receiver.url}/kept` } };
    assert.equal(resultOf(await client.setTaskPushNotificationConfig(config)).pushNotificationConfig.id, 'mine');
    assert.equal(resultOf(await client.getTaskPushNotificationConfig({ id })).pushNotificationConfig.id, 'mine');
    assert.equal(resultOf(await client.listTaskPushNotificationConfig({ id })).length, 1);
    assert.equal(resultOf(await client.deleteTaskPushNotificationConfig({ id, pushNotificationConfigId: 'mine' })), null);
    assert.equal(resultOf(await client.listTaskPushNotificationConfig({ id })).length, 0);
  });

  test('calls the methods of the plan extension', async () => {
    const call = async (method, more) => resultOf(await client.callExtensionMethod(method, more));
    const made = await call('objectives/create', { name: 'Trip' });
    const id = made.id ?? made.objective.id;
    const plan = await call('plans/create', { objectiveId: id, name: 'main', tasks: [{ name: 'pack', agent: 'echo', input: { text: 'socks' } }] });
    assert.ok(plan.id ?? plan.plan.id);
    const got = await call('objectives/get', { id, includePlans: true, includeTasks: true });
    assert.equal((got.objective ?? got).plans.length, 1);
    assert.ok((await call('objectives/list', {})).objectives.length >= 1);
  });
});
