// What the tests share: the real binary, a receiver of push notifications, and small helpers for streams.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { generateKeyPairSync, webcrypto } from 'node:crypto';

globalThis.crypto ??= webcrypto; // the 1.x SDK expects it; node 18 keeps it in the module

export const opt = 'https://github.com/zeroasterisk/a2a-opt/v1';
export const progress = 'https://a2a-protocol.org/extensions/task-progress/v1';

let sent = 0;
/// A message id that begins with a behaviour of the conformance agent, and is new.
export const idFor = (behaviour) => `${behaviour}-${process.pid}-${++sent}`;

/// Opens the extended card.
export const token = 'open-sesame';

const config = `
[push]
allow-private = true
allow-http = true

[card.extended]
tokens = ["${token}"]
description = "Knows more than it says."

[[card.extended.skill]]
id = "secret"
name = "Secret"
description = "For friends."
tags = ["secret"] # verifiers of this SDK leave out what is empty

[card.signing]
key = "key.pem"
kid = "a-key"
`;

/// Starts `troupe serve` on a free port with the configuration in `folder`, which goes with it.
/// `options` say where it keeps its records.
async function startTroupe(folder, ...options) {
  const binary = process.env.TROUPE_BINARY;
  assert.ok(binary, 'TROUPE_BINARY names the binary to test');
  const child = spawn(
    binary,
    ['serve', '--listen', '127.0.0.1:0', '--drain-seconds', '1', '--config', join(folder, 'troupe.toml'),
     ...options],
    { stdio: ['ignore', 'ignore', 'pipe'] });
  const log = [];
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      log.push(line);
      const found = /listening on (http:\S+)/.exec(line);
      if (found) resolve(found[1].replace(/\/$/, ''));
    });
    child.once('exit', (code) => reject(new Error(`troupe serve ended with ${code}:\n${log.join('\n')}`)));
  });
  return {
    url,
    async stop() {
      const ended = child.exitCode === null ? once(child, 'exit') : [child.exitCode];
      child.kill('SIGTERM');
      const [code] = await ended;
      await rm(folder, { recursive: true });
      assert.equal(code, 0, log.join('\n'));
    },
    /// `kill -9`; the folder stays.
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/// A server for tests. Waiting agents wait a quarter of their time. `publicKey` is the one its card is signed for.
export async function startServer() {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-sdk-'));
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeFile(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await writeFile(join(folder, 'troupe.toml'), config.replace('key.pem', join(folder, 'key.pem')));
  return { publicKey, ...await startTroupe(folder, '--store', 'memory', '--agent', 'conformance', '--time-scale', '0.25') };
}

/// A `troupe serve` whose plans may have their tasks done by the agent at `target`, which is called `there`. `begin` starts a plan
/// with one task for each of these texts, in a chain, and returns the ids of the tasks; `reaches` waits for a state of a task;
/// `killAndStart` is `kill -9` and a new process.
export async function startDelegating(target) {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-sdk-'));
  await writeFile(join(folder, 'troupe.toml'), `[[targets]]\nalias = "there"\nurl = "${target}"\n`);
  const start = () => startTroupe(folder, '--data', join(folder, 'data'));
  let server = await start();
  const ask = async (method, params) => {
    const answer = await fetch(server.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0',
                 'A2A-Extensions': opt },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });
    const { result, error } = await answer.json();
    assert.ok(result, JSON.stringify(error));
    return result;
  };
  let begun = 0;
  return {
    ask,
    async begin(...texts) {
      const id = `trip${++begun}`;
      const tasks = texts.map((text, index) => ({
        name: `step${index}`, agent: 'a2a', input: { target: 'there', text }, dependencies: index > 0 ? [`step${index - 1}`] : [] }));
      await ask('objectives/create', { id, name: 'Trip', start: true, plans: [{ name: 'P', tasks }] });
      return texts.map((_text, index) => `${id}.p0.t${index}`);
    },
    async reaches(task, state) {
      for (const until = Date.now() + 60_000; ;) {
        const now = await ask('GetTask', { id: task });
        if (now.status.state === state) return now;
        assert.ok(Date.now() < until, `${task} is not ${state} after a minute: ${JSON.stringify(now.status)}`);
        assert.ok(!/COMPLETED|FAILED|CANCELED|REJECTED/.test(now.status.state), `${task}: ${JSON.stringify(now.status)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async killAndStart() {
      await server.kill();
      server = await start();
    },
    stop: () => server.stop(),
  };
}

/// What a plan has done at the agent at `url`: three tasks in a chain, the second of which asks, and then one that is canceled.
/// `waiting`: a map that grows when the agent has begun to wait.
export async function delegatesTo(url, waiting) {
  const here = await startDelegating(url);
  try {
    const [first, asks, last] = await here.begin('hello', 'why?', 'goodbye');
    await here.reaches(first, 'TASK_STATE_COMPLETED');
    const asking = await here.reaches(asks, 'TASK_STATE_INPUT_REQUIRED');
    assert.equal(asking.status.message.parts[0].text, 'You tell me');
    await here.ask('SendMessage', {
      message: { messageId: 'a1', role: 'ROLE_USER', taskId: asks, parts: [{ text: 'because' }] },
      configuration: { returnImmediately: true } });
    const made = (task) => task.artifacts[0].parts.map((part) => part.text).join('');
    assert.equal(made(await here.reaches(asks, 'TASK_STATE_COMPLETED')), 'you said because');
    assert.equal(made(await here.reaches(last, 'TASK_STATE_COMPLETED')), 'you said goodbye');
    assert.equal(made(await here.ask('GetTask', { id: first })), 'you said hello');

    const before = waiting.size;
    const [waits] = await here.begin('wait');
    while (waiting.size === before) await new Promise((resolve) => setTimeout(resolve, 20));
    const canceled = await here.ask('CancelTask', { id: waits });
    assert.equal(canceled.status.state, 'TASK_STATE_CANCELED');
    assert.deepEqual(canceled.metadata['troupe/v1/cancel'].map(({ target, outcome }) => ({ target, outcome })),
                     [{ target: 'there', outcome: 'acknowledged' }]);
  } finally {
    await here.stop();
  }
}

/// A plan whose server is killed while its task at the agent at `url` works, asks and has ended. `tasks`: the ids of the tasks that
/// the agent has made: each of ours has one, whatever happens.
export async function survivesKills(url, tasks) {
  const here = await startDelegating(url);
  try {
    const before = tasks.size;
    const [asks, last] = await here.begin('why?', 'goodbye');
    await here.reaches(asks, 'TASK_STATE_INPUT_REQUIRED');
    await here.killAndStart();
    await here.reaches(asks, 'TASK_STATE_INPUT_REQUIRED');
    await here.ask('SendMessage', {
      message: { messageId: 'a1', role: 'ROLE_USER', taskId: asks, parts: [{ text: 'because' }] },
      configuration: { returnImmediately: true } });
    const made = (task) => task.artifacts[0].parts.map((part) => part.text).join('');
    assert.equal(made(await here.reaches(asks, 'TASK_STATE_COMPLETED')), 'you said because');
    await here.reaches(last, 'TASK_STATE_COMPLETED');
    await here.killAndStart();
    assert.equal(made(await here.reaches(last, 'TASK_STATE_COMPLETED')), 'you said goodbye');

    const [works] = await here.begin('wait');
    const said = async () => JSON.stringify(await here.ask('GetTask', { id: works }));
    while (!(await said()).includes('I wait')) await new Promise((resolve) => setTimeout(resolve, 20)); // its id is known
    await here.killAndStart();
    await here.reaches(works, 'TASK_STATE_WORKING');
    const canceled = await here.ask('CancelTask', { id: works });
    assert.deepEqual(canceled.metadata['troupe/v1/cancel'].map(({ outcome }) => outcome), ['acknowledged']);
    assert.equal(tasks.size, before + 3);
  } finally {
    await here.stop();
  }
}

/// A plan whose task the agent at `url` answers with a message, and makes no task.
export async function takesMessage(url) {
  const here = await startDelegating(url);
  try {
    const [task] = await here.begin('no task');
    const [reply] = (await here.reaches(task, 'TASK_STATE_COMPLETED')).artifacts;
    assert.equal(reply.name, 'reply');
    assert.equal(reply.parts[0].text, 'just this');
  } finally {
    await here.stop();
  }
}

/// An HTTP server that keeps what is posted to it. `next(fits)` waits for the first notification that fits.
export async function startReceiver() {
  const seen = [];
  const waiting = [];
  const web = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (more) => (text += more)).on('end', () => {
      response.writeHead(200).end();
      seen.push({ path: request.url, headers: request.headers, body: JSON.parse(text) });
      for (const look of waiting.splice(0)) look();
    });
  });
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  return {
    url: `http://127.0.0.1:${web.address().port}`,
    seen,
    async next(fits) {
      for (;;) {
        const found = seen.find(fits);
        if (found) return found;
        await new Promise((resolve) => waiting.push(resolve));
      }
    },
    stop: () => new Promise((resolve) => { web.close(resolve); web.closeAllConnections(); }),
  };
}

export async function all(stream) {
  const out = [];
  for await (const one of stream) out.push(one);
  return out;
}

/// Of an SDK's client: shows the token when it is asked to.
export const authentication = {
  headers: async () => ({}),
  shouldRetryWithHeaders: async (_request, answer) => (answer.status === 401 ? { Authorization: `Bearer ${token}` } : undefined),
};

/// For assert.rejects: the text of the error says what was wrong, what to do, reason and code. The SDKs may turn an error that
/// is the first event of a stream into a plain Error, and then the text is all there is.
export const saysNoTask = (why) =>
  ['there is no task', 'check the id of the task', 'TASK_NOT_FOUND', '-32001'].every((part) => why.message.includes(part));

/// A fetch that notes the headers of requests and answers.
export function watchedFetch() {
  const calls = [];
  const watched = async (input, init) => {
    const answer = await fetch(input, init);
    calls.push({ url: String(input), request: new Headers(init?.headers), answer: answer.headers });
    return answer;
  };
  return { fetchImpl: watched, calls, last: () => calls.at(-1) };
}

/// An agent that listens on a free port. `make` is given its URL, and returns pairs of a path and what serves it (express).
export async function startAgent(make) {
  const { default: express } = await import('express');
  const app = express();
  const web = createServer(app);
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  const url = `http://127.0.0.1:${web.address().port}`;
  for (const [path, handler] of make(url)) app.use(path, handler);
  return { url, stop: () => new Promise((resolve) => { web.close(resolve); web.closeAllConnections(); }) };
}

/// Runs `troupe` with these words against the agent at `url`.
export const troupeAt = (url) => (...words) => new Promise((resolve) => {
  const child = spawn(process.env.TROUPE_BINARY, words, { env: { ...process.env, TROUPE_SERVER: url }, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.on('data', (more) => (out += more));
  child.stderr.on('data', (more) => (err += more));
  child.once('close', (code) => resolve({ code, out, err }));
});
