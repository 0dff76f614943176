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

/// Starts `troupe serve` on a free port. Waiting agents wait a quarter of their time. `publicKey` is the one its card is signed for.
export async function startServer() {
  const binary = process.env.TROUPE_BINARY;
  assert.ok(binary, 'TROUPE_BINARY names the binary to test');
  const folder = await mkdtemp(join(tmpdir(), 'troupe-sdk-'));
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeFile(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await writeFile(join(folder, 'troupe.toml'), config.replace('key.pem', join(folder, 'key.pem')));
  const child = spawn(
    binary,
    ['serve', '--store', 'memory', '--agent', 'conformance', '--listen', '127.0.0.1:0', '--time-scale', '0.25',
     '--drain-seconds', '1', '--config', join(folder, 'troupe.toml')],
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
    publicKey,
    async stop() {
      const ended = child.exitCode === null ? once(child, 'exit') : [child.exitCode];
      child.kill('SIGTERM');
      const [code] = await ended;
      await rm(folder, { recursive: true });
      assert.equal(code, 0, log.join('\n'));
    },
  };
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
