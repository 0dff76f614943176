// The official SDK 1.x against the real binary: every client method, over JSON-RPC and REST; then the same client in its
// compatibility mode, which speaks 0.3.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { all, authentication, idFor, opt, progress, startReceiver, startServer, saysNoTask, token, watchedFetch } from './support.mjs';

const { SendMessageRequest, TaskState, Role, verifyAgentCardSignature } = await import('@a2a-js/sdk');
const { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory, ServiceParameters,
        createAuthenticatingFetchWithRetry, withA2AExtensions } = await import('@a2a-js/sdk/client');
const errors = await import('@a2a-js/sdk/errors');

const modes = [
  { version: '1.0', transport: 'JSONRPC' },
  { version: '1.0', transport: 'HTTP+JSON' },
  { version: '0.3', transport: 'JSONRPC' },
  { version: '0.3', transport: 'HTTP+JSON' },
];

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

/// A request whose message id begins with `behaviour`; `message` and `configuration` as JSON of A2A 1.0.
function request(behaviour, { message = {}, configuration, text = 'please', metadata } = {}) {
  return SendMessageRequest.fromJSON({
    message: { messageId: idFor(behaviour), role: 'ROLE_USER', parts: [{ text }], ...message },
    ...(configuration && { configuration }),
    ...(metadata && { metadata }),
  });
}

const isMessage = (result) => 'messageId' in result;
const stateOf = (task) => TaskState[task.status.state];
const textOf = (parts) => parts.map((part) => (part.content.$case === 'text' ? part.content.value : '')).join('');
/// What an event says, in one word.
const wordOf = ({ payload: { $case, value } }) =>
  $case === 'statusUpdate' ? stateOf(value).slice('TASK_STATE_'.length)
    : $case === 'task' ? `task:${stateOf(value).slice('TASK_STATE_'.length)}` : $case;

for (const { version, transport } of modes) {
  const is10 = version === '1.0';
  const isOldRest = !is10 && transport === 'HTTP+JSON'; // there this client forgets `append` and names of files

  describe(`SDK 1.x, A2A ${version}, ${transport}`, { concurrency: true }, () => {
    const web = watchedFetch();
    let client;
    before(async () => {
      const options = { fetchImpl: createAuthenticatingFetchWithRetry(web.fetchImpl, authentication), legacyCompat: { enabled: true } };
      const factory = new ClientFactory({
        transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
        preferredTransports: [transport],
        cardResolver: new DefaultAgentCardResolver(options),
      });
      if (is10) {
        client = await factory.createFromUrl(server.url);
        return;
      }
      const card = await new DefaultAgentCardResolver(options).resolve(server.url);
      const ofVersion = card.supportedInterfaces.filter((one) => one.protocolVersion.startsWith('0.3'));
      client = await factory.createFromAgentCard({ ...card, supportedInterfaces: ofVersion });
    });

    const send = (behaviour, more) => client.sendMessage(request(behaviour, more));
    const begin = (behaviour) => send(behaviour, { configuration: { returnImmediately: true } });

    test('the card leads to this transport', async () => {
      assert.equal(client.transport.protocolName, transport);
      assert.equal(client.protocolVersion, version);
      const card = await new DefaultAgentCardResolver().resolve(server.url);
      assert.equal(card.name, 'Troupe');
      assert.ok(card.capabilities.extensions.some(({ uri }) => uri === opt));
      assert.ok(card.skills.length > 0);
    });

    test('the card, public and extended, holds its signature', { skip: !is10 && '0.3 cards have none' }, async () => {
      const verify = verifyAgentCardSignature(async (kid) => {
        assert.equal(kid, 'a-key');
        return server.publicKey;
      });
      // Not the card its client has read: this SDK loses the security schemes of that one on its way to the verifier.
      const fetched = async (path, headers) => (await fetch(server.url + path, { headers: { 'A2A-Version': '1.0', ...headers } })).json();
      await verify(await fetched('/.well-known/agent-card.json'));
      const extended = await fetched('/extendedAgentCard', { Authorization: `Bearer ${token}` });
      await verify(extended);
      await assert.rejects(verify({ ...extended, name: 'Somebody else' }));
    });

    test('the extended card is shown to who has the token', async () => {
      const card = await client.getAgentCard();
      assert.equal(card.description, 'Knows more than it says.');
      assert.ok(card.skills.some(({ id }) => id === 'secret'));
      const open = await new DefaultAgentCardResolver().resolve(server.url);
      assert.ok(!open.skills.some(({ id }) => id === 'secret'));
    });

    test('a blocking send returns the ended task', async () => {
      const task = await send('tck-complete-task');
      assert.equal(stateOf(task), 'TASK_STATE_COMPLETED');
      assert.equal(textOf(task.status.message.parts), 'Hello from TCK');
      assert.equal(task.status.message.role, Role.ROLE_AGENT);
      assert.equal(textOf(task.history[0].parts), 'please');
      assert.ok(task.contextId);
    });

    test('a send that does not wait returns a task at work, which can be got and canceled', async () => {
      const task = await begin('slow');
      assert.match(stateOf(task), /SUBMITTED|WORKING/);
      assert.equal((await client.getTask({ tenant: '', id: task.id })).id, task.id);
      const canceled = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
      assert.equal(stateOf(canceled), 'TASK_STATE_CANCELED');
      assert.equal(stateOf(await client.getTask({ tenant: '', id: task.id })), 'TASK_STATE_CANCELED');
      const again = client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
      if (is10) assert.equal(stateOf(await again), 'TASK_STATE_CANCELED'); // idempotent there, an error in 0.3
      else await assert.rejects(again, errors.TaskNotCancelableError);
    });

    test('historyLength is kept to', async () => {
      const task = await send('tck-complete-task', { configuration: { historyLength: 0 } });
      // 0.3's REST has no way to say none.
      if (!isOldRest) assert.equal(task.history.length, 0);
      const one = await client.getTask({ tenant: '', id: task.id, historyLength: 1 });
      assert.equal(one.history.length, 1);
    });

    test('an agent may answer with a message, to a send and to a stream', async () => {
      const answer = await send('tck-message-response');
      assert.ok(isMessage(answer));
      assert.equal(textOf(answer.parts), 'Direct message response');
      assert.equal(answer.role, Role.ROLE_AGENT);
      assert.ok(answer.contextId);
      const events = await all(client.sendMessageStream(request('tck-message-response')));
      assert.deepEqual(events.map(wordOf), ['message']);
      assert.equal(textOf(events[0].payload.value.parts), 'Direct message response');
    });

    test('artifacts of every kind arrive', async () => {
      const partOf = async (behaviour) => (await send(behaviour)).artifacts[0].parts[0];
      assert.deepEqual((await partOf('tck-artifact-text')).content, { $case: 'text', value: 'Generated text content' });
      const file = await partOf('tck-artifact-file');
      assert.equal(file.content.$case, 'raw');
      assert.equal(Buffer.from(file.content.value).toString(), 'tck');
      assert.equal(file.mediaType, 'text/plain');
      if (!isOldRest)
        assert.equal(file.filename, 'output.txt');
      const link = await partOf('tck-artifact-file-url');
      assert.deepEqual(link.content, { $case: 'url', value: 'https://example.com/output.txt' });
      assert.equal(link.mediaType, 'text/plain');
      assert.deepEqual((await partOf('tck-artifact-data')).content.value, { key: 'value', count: 42 });
    });

    test('a stream begins with the task and ends with its end', async () => {
      const events = await all(client.sendMessageStream(request('tck-stream-001')));
      assert.deepEqual(events.map(wordOf), ['task:SUBMITTED', 'WORKING', 'artifactUpdate', 'COMPLETED']);
      assert.equal(textOf(events[2].payload.value.artifact.parts), 'Stream hello from TCK');
      const id = events[0].payload.value.id;
      assert.ok(events.slice(1).every(({ payload }) => payload.value.taskId === id));
    });

    test('the chunks of an artifact add up, in the stream and in the task', async () => {
      const events = await all(client.sendMessageStream(request('tck-stream-artifact-chunked')));
      const chunks = events.filter(({ payload }) => payload.$case === 'artifactUpdate').map(({ payload }) => payload.value);
      if (!isOldRest)
        assert.deepEqual(chunks.map(({ append }) => append), [false, true]);
      assert.deepEqual(chunks.map(({ lastChunk }) => lastChunk), [false, true]);
      assert.equal(new Set(chunks.map(({ artifact }) => artifact.artifactId)).size, 1);
      assert.equal(chunks.map(({ artifact }) => textOf(artifact.parts)).join(''), 'chunk-1 chunk-2');
      const { artifacts } = await client.getTask({ tenant: '', id: chunks[0].taskId });
      assert.equal(artifacts.length, 1);
      assert.equal(textOf(artifacts[0].parts), 'chunk-1 chunk-2');
    });

    test('a task asks, takes further messages and comes to its end', async () => {
      const asked = await send('hello');
      assert.equal(stateOf(asked), 'TASK_STATE_INPUT_REQUIRED');
      const message = { taskId: asked.id, contextId: asked.contextId };
      const again = await send('more', { message });
      assert.equal(again.id, asked.id);
      assert.equal(stateOf(again), 'TASK_STATE_INPUT_REQUIRED');
      const events = await all(client.sendMessageStream(request('tck-complete-task', { message })));
      assert.match(wordOf(events.at(-1)), /COMPLETED$/); // it may be over before the stream begins
      await assert.rejects(send('late', { message }), errors.UnsupportedOperationError);
      const newer = await send('tck-complete-task', { message: { contextId: asked.contextId, referenceTaskIds: [asked.id] } });
      assert.equal(newer.contextId, asked.contextId);
      assert.notEqual(newer.id, asked.id);
    });

    test('a stream ends at a question', async () => {
      const events = await all(client.sendMessageStream(request('tck-input-required')));
      assert.deepEqual(events.map(wordOf), ['task:SUBMITTED', 'WORKING', 'INPUT_REQUIRED']);
    });

    test('a task that needs a sign-in says so and goes on after it', async () => {
      const asked = await send('auth-required');
      assert.equal(stateOf(asked), 'TASK_STATE_AUTH_REQUIRED');
      const done = await send('tck-complete-task', { message: { taskId: asked.id } });
      assert.equal(stateOf(done), 'TASK_STATE_COMPLETED');
    });

    test('refused, failed and crashed tasks end as what they are', async () => {
      assert.equal(stateOf(await send('tck-reject-task')), 'TASK_STATE_REJECTED');
      assert.equal(stateOf(await send('failure')), 'TASK_STATE_FAILED');
      const crashed = await send('crash');
      assert.equal(stateOf(crashed), 'TASK_STATE_FAILED');
      assert.match(textOf(crashed.status.message.parts), /crashed on purpose/);
    });

    test('a client that subscribes sees the task and then its end, as often as it likes', async () => {
      const { id } = await begin('test-resubscribe-message-id');
      const subscribe = () => all(client.resubscribeTask({ tenant: '', id }));
      const [first, second] = await Promise.all([subscribe(), subscribe()]);
      assert.equal(first[0].payload.$case, 'task');
      assert.equal(wordOf(first.at(-1)), 'COMPLETED');
      assert.deepEqual(second.map(wordOf).at(-1), 'COMPLETED');
      if (is10) await assert.rejects(subscribe(), errors.UnsupportedOperationError);
      else assert.deepEqual((await subscribe()).map(wordOf), ['task:COMPLETED']);
    });

    test('a subscription to a task that asks stays open until the task ends', async () => {
      const { id, contextId } = await send('tck-input-required');
      const stream = client.resubscribeTask({ tenant: '', id });
      assert.equal(wordOf((await stream.next()).value), 'task:INPUT_REQUIRED');
      await send('tck-complete-task', { message: { taskId: id, contextId } });
      assert.equal(wordOf((await all(stream)).at(-1)), 'COMPLETED');
    });

    test('a client that leaves its stream leaves the task alone', async () => {
      const leave = new AbortController();
      const stream = client.sendMessageStream(request('test-resubscribe-message-id'), { signal: leave.signal });
      const { value } = await stream.next();
      leave.abort();
      await assert.rejects(all(stream));
      const rest = await all(client.resubscribeTask({ tenant: '', id: value.payload.value.id }));
      assert.equal(wordOf(rest.at(-1)), 'COMPLETED');
    });

    test('tasks are listed by context and state, in pages', { skip: !is10 && '0.3 has no list' }, async () => {
      const { contextId } = await send('tck-artifact-text');
      await send('failure', { message: { contextId } });
      await send('tck-complete-task', { message: { contextId } });
      const list = (more) => client.listTasks({ tenant: '', contextId, status: 0, pageToken: '', statusTimestampAfter: undefined, ...more });
      const everything = await list({});
      assert.equal(everything.totalSize, 3);
      assert.equal(everything.tasks.length, 3);
      assert.equal(everything.nextPageToken, '');
      assert.ok(everything.tasks.every(({ artifacts }) => artifacts.length === 0));
      const failed = await list({ status: TaskState.TASK_STATE_FAILED });
      assert.deepEqual(failed.tasks.map(stateOf), ['TASK_STATE_FAILED']);
      const seen = [];
      let pageToken = '';
      do {
        const page = await list({ pageSize: 1, pageToken, includeArtifacts: true });
        assert.equal(page.tasks.length, 1);
        seen.push(page.tasks[0]);
        pageToken = page.nextPageToken;
      } while (pageToken);
      assert.deepEqual(seen.map(({ id }) => id), everything.tasks.map(({ id }) => id));
      assert.equal(textOf(seen.at(-1).artifacts[0].parts), 'Generated text content');
      await assert.rejects(list({ pageSize: 101 }), errors.RequestMalformedError);
    });

    test('errors arrive as the errors they are', async () => {
      const id = 'no-such-task';
      await assert.rejects(client.getTask({ tenant: '', id }), errors.TaskNotFoundError);
      await assert.rejects(client.cancelTask({ tenant: '', id, metadata: undefined }), errors.TaskNotFoundError);
      await assert.rejects(all(client.resubscribeTask({ tenant: '', id })), saysNoTask);
      await assert.rejects(all(client.sendMessageStream(request('hello', { message: { taskId: id } }))), saysNoTask);
      await assert.rejects(send('hello', { message: { taskId: id } }), errors.TaskNotFoundError);
      const done = await send('tck-complete-task');
      await assert.rejects(client.cancelTask({ tenant: '', id: done.id, metadata: undefined }), errors.TaskNotCancelableError);
      const asked = await send('hello');
      await assert.rejects(send('more', { message: { taskId: asked.id, contextId: 'elsewhere' } }),
                           (why) => !is10 || why instanceof errors.RequestMalformedError);
      await assert.rejects(send('hello', { message: { parts: [] } }), (why) => !is10 || why instanceof errors.RequestMalformedError);
    });

    test('extensions are active where they are asked for, and only there', async () => {
      const asking = { serviceParameters: ServiceParameters.create(withA2AExtensions(opt, progress)) };
      const watched = await all(client.sendMessageStream(request('progress'), asking));
      const echoed = web.calls.map(({ answer }) => answer.get(is10 ? 'a2a-extensions' : 'x-a2a-extensions')).filter(Boolean);
      assert.ok(echoed.some((uris) => uris.includes(opt) && uris.includes(progress)));
      const told = watched.filter(({ payload }) => payload.value.metadata?.[progress]);
      assert.ok(told.length > 0);
      assert.equal(told.at(-1).payload.value.metadata[progress].trackers[0].id, 'pages');
      const plain = await all(client.sendMessageStream(request('progress')));
      assert.ok(plain.every(({ payload }) => !payload.value.metadata?.[progress]));

      const plan = { name: 'Trip', plans: [{ name: 'main', tasks: [{ name: 'pack', agent: 'echo', input: { text: 'socks' } }] }] };
      const task = await client.sendMessage(request('plan', { message: { metadata: { 'opt/v1/objective': plan } } }), asking);
      assert.equal(stateOf(task), 'TASK_STATE_COMPLETED');
      assert.equal(task.metadata['opt/v1/objective'].name, 'Trip');
    });

    test('push configurations are kept, listed and deleted', async () => {
      const { id: taskId } = await send('hello');
      const config = { tenant: '', id: 'mine', taskId, url: `${receiver.url}/kept`, token: 'secret', authentication: undefined };
      const made = await client.createTaskPushNotificationConfig(config);
      assert.equal(made.id, 'mine');
      assert.equal(made.taskId, taskId);
      const another = await client.createTaskPushNotificationConfig({ ...config, id: '' });
      assert.ok(another.id);
      assert.equal((await client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' })).url, config.url);
      const list = async () => (await client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' })).configs;
      assert.deepEqual((await list()).map(({ id }) => id).sort(), [another.id, 'mine'].sort());
      await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' });
      await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' });
      assert.deepEqual((await list()).map(({ id }) => id), [another.id]);
      await assert.rejects(client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' }), errors.TaskNotFoundError);
      await assert.rejects(client.createTaskPushNotificationConfig({ ...config, taskId: 'no-such-task' }), errors.TaskNotFoundError);
    });

    test('notifications arrive, with token and credentials', async () => {
      const path = `/${version}-${encodeURIComponent(transport)}`;
      const authentication = { scheme: 'Bearer', credentials: 'let-me-in' };
      const task = await send('tck-artifact-text', {
        configuration: { taskPushNotificationConfig: { url: receiver.url + path, token: 'secret', authentication } },
      });
      const stateIn = (body) => (is10 ? body.statusUpdate?.status.state : body.status?.state);
      const last = await receiver.next(
        (one) => one.path === path && [`TASK_STATE_COMPLETED`, 'completed'].includes(stateIn(one.body)));
      assert.equal(is10 ? last.body.statusUpdate.taskId : last.body.id, task.id);
      assert.equal(last.headers['x-a2a-notification-token'], 'secret');
      assert.equal(last.headers.authorization, 'Bearer let-me-in');
      if (is10)
        assert.ok(receiver.seen.some((one) => one.path === path && one.body.artifactUpdate));
      else
        assert.equal(last.body.kind, 'task');
    });
  });
}
