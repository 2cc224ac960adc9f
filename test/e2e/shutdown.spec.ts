import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { isAlive, postmasterPid } from '../postgres/spawn-embedded.js';
import { publish, postIdOf } from './client.js';
import { OPERATOR_KEY } from './manage.js';
import { manageOf, scene } from './e2e-harness.js';
import { until } from './until.js';

const run = promisify(execFile);

describe('SIGTERM', () => {
  scene('answers what is in flight, finishes what is being sent, and leaves nothing running', async (stage) => {
    const telegram = await stage.telegram();
    const settings = { DATA_DIR: await stage.dataDir(), TELEGRAM_API_URL: telegram.url };
    const gateway = await stage.gateway(settings);
    const { endpoints, channels } = await manageOf(gateway).seed(1, [[0]]);
    const [endpoint, postgres] = [endpoints[0]!, postmasterPid(settings.DATA_DIR)];

    await telegram.control.addFault({ mode: 'delay', delay_ms: 1_000 });
    const sending = await publish(gateway.url, endpoint, { text: 'being sent' });
    await until('the network has the call', async () => (await telegram.control.calls()).total > 0);
    // A request of which half is here when the signal comes.
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const [first, second] = ['{"text": "in ', 'flight"}'];
    const head = [
      `POST ${endpoint.path} HTTP/1.1`,
      'Host: gateway',
      `Authorization: Bearer ${endpoint.token}`,
      'Content-Type: application/json',
      `Content-Length: ${first.length + second.length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${first}`);
    await once(socket, 'connect');
    await until('the request has arrived', async () => (await fetch(`${gateway.url}/healthz`)).ok);

    const ended = gateway.program.terminate();
    await newConnectionsAreRefused(gateway);
    socket.write(second);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(isAlive(postgres)).toBe(false);

    // What the next start finds: the one that was being sent is known to be out, the other goes out now.
    const next = await stage.gateway(settings);
    const { publications } = await manageOf(next).findPost(postIdOf(sending));
    expect(publications[0]!.state).toBe('published');
    await until('the second is out too', async () => (await telegram.control.ledger()).length === 2);
    const wall = await telegram.control.ledger({ channel: channels[0]!.chatId });
    expect(wall.map((entry) => entry.text)).toEqual(['being sent', 'in flight']);
  });

  scene('does not wait for a network that never answers: the post is in doubt', async (stage) => {
    const telegram = await stage.telegram();
    const settings = { DATA_DIR: await stage.dataDir(), TELEGRAM_API_URL: telegram.url };
    const gateway = await stage.gateway(settings);
    const { endpoints } = await manageOf(gateway).seed(1, [[0]]);
    await telegram.control.addFault({ mode: 'accept_then_hang' });
    const sent = await publish(gateway.url, endpoints[0]!, { text: 'no answer' });
    await until('it is on the wall', async () => (await telegram.control.ledger()).length > 0);
    // 0: everything was put in order; the last resort, which comes after 9 s, ends with 1.
    expect(await gateway.program.terminate()).toEqual({ code: 0, signal: null });
    const next = await stage.gateway(settings);
    const { publications } = await manageOf(next).findPost(postIdOf(sent));
    expect(publications[0]!.state).toBe('in_doubt');
  });
});

scene('a request that comes over an open connection while it stops is answered like any other', async (stage) => {
  const gateway = await stage.gateway({ DATA_DIR: await stage.dataDir(), TELEGRAM_API_URL: 'http://127.0.0.1:9' });
  const asked = '/v1/webhooks/nobody/info';
  await until('the views are made', async () => (await fetch(gateway.url + asked)).status === 401);
  const { hostname, port } = new URL(gateway.url);
  const [unfinished, silent] = [connect(Number(port), hostname), connect(Number(port), hostname)];
  const head = ['POST /manage/v1/owners HTTP/1.1', 'Host: gateway', `Authorization: Bearer ${OPERATOR_KEY}`];
  unfinished.write(`${[...head, 'Content-Type: application/json', 'Content-Length: 50'].join('\r\n')}\r\n\r\n{`);
  await Promise.all([once(unfinished, 'connect'), once(silent, 'connect')]);
  await until('the request has arrived', async () => (await fetch(`${gateway.url}/healthz`)).ok);

  const ended = gateway.program.terminate();
  await newConnectionsAreRefused(gateway);
  silent.write(`GET ${asked} HTTP/1.1\r\nHost: gateway\r\n\r\n`);
  const answer = await text(silent);
  expect(answer).toMatch(/^HTTP\/1\.1 401 [^]*x-request-id: req_[^]*\{"ok":false,"errors":/);
  unfinished.destroy();
  expect(await ended).toEqual({ code: 0, signal: null });
});

scene('a second process on the same DATA_DIR is refused with a sentence', async (stage) => {
  const settings = { DATA_DIR: await stage.dataDir(), TELEGRAM_API_URL: 'http://127.0.0.1:9' };
  const first = await stage.gateway(settings);
  const refusal = await stage.gateway(settings).then(
    () => 'none',
    (error: Error) => error.message,
  );
  expect(refusal).toContain('"code":1');
  expect(refusal).toMatch(/DATA_DIR .* (in use|another process)/i);
  expect(refusal).not.toMatch(/^\s+at /m); // a sentence, no stack
  expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
});

describe('the first start', () => {
  scene('prints where it is, the operator key, a demo endpoint, and a curl line that posts', async (stage) => {
    const dataDir = await stage.dataDir();
    const { url, program } = await stage.gateway({ DATA_DIR: dataDir, DEMO: '', OPERATOR_KEY: '', LIMITS_PROFILE: '' });
    await until('everything is printed', () => program.output.includes('curl') && program.output.endsWith('\n\n'));
    expect(program.output).toContain(url);
    const key = /Operator key\s+(\S+)/.exec(program.output)?.[1];
    const owners = await fetch(`${url}/manage/v1/owners`, { headers: { authorization: `Bearer ${key}` } });
    expect(owners.status).toBe(200);
    expect(key).not.toBe(OPERATOR_KEY);
    expect(program.output).toMatch(/Demo endpoint\s+http:\S+\/v1\/webhooks\/\S+/);

    const command = /^\s*(curl [\s\S]*?[^\\])\n/m.exec(program.output)![1]!;
    const { stdout } = await run('/bin/sh', ['-c', `${command} --silent`]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, id: expect.stringMatching(/^post_/) as unknown });
    const greeting = /"text": "([^"]+)"/.exec(command)![1]!;
    await until('the wall shows it', async () => (await (await fetch(`${url}/walls`)).text()).includes(greeting));
    expect(readFileSync(`${dataDir}/demo.json`, 'utf8')).toContain('service_live_');
  });
});

const newConnectionsAreRefused = ({ url }: { readonly url: string }): Promise<true> =>
  until('new connections are refused', () =>
    fetch(`${url}/healthz`).then(
      () => false as const,
      () => true as const,
    ),
  );
