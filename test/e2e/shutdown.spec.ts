// More than 20 s: the program starts some ten times, and stops while a network does not answer.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { isAlive, postmasterPid } from '../postgres/spawn-embedded.js';
import { type Answer, postIdOf, publish } from './client.js';
import { concurrentE2eTest, createManagementClient } from './e2e-harness.js';
import { type ManagementClient, OPERATOR_KEY } from './management-client.js';
import { until } from './until.js';

const run = promisify(execFile);

const readFirstState = async (manage: ManagementClient, post: Answer) =>
  (await manage.findPost(postIdOf(post))).publications[0]!.state;

describe('SIGTERM', () => {
  concurrentE2eTest('completes requests and sends in progress and leaves nothing running', async (harness) => {
    const telegram = await harness.startTelegram();
    const settings = { DATA_DIR: await harness.createDataDir(), TELEGRAM_API_URL: telegram.url };
    const gateway = await harness.startGateway(settings);
    const { endpoints, channels } = await createManagementClient(gateway).seed(1, [[0]]);
    const [endpoint, postgres] = [endpoints[0]!, postmasterPid(settings.DATA_DIR)];

    await telegram.control.addFault({ mode: 'delay', delay_ms: 1_000 });
    const sending = await publish(gateway.url, endpoint, { text: 'being sent' });
    await until(
      'the network has the call',
      async () => (await telegram.control.listCalls({ method: 'sendMessage' })).items.length > 0,
    );
    // Half of this request has arrived before the signal.
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
    await waitForRefusedConnections(gateway);
    socket.write(second);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(isAlive(postgres)).toBe(false);

    // After the next start the first post is recorded as published, and the second is published.
    const next = await harness.startGateway(settings);
    const manage = createManagementClient(next);
    await until('the first is recorded', async () => (await readFirstState(manage, sending)) === 'published');
    await until('the second is published too', async () => (await telegram.control.readLedger()).length === 2);
    const wall = await telegram.control.readLedger({ channel: channels[0]!.chatId });
    expect(wall.map((entry) => entry.text)).toEqual(['being sent', 'in flight']);
  });

  concurrentE2eTest('does not wait for a network that never answers: the post is in doubt', async (harness) => {
    const telegram = await harness.startTelegram();
    const settings = { DATA_DIR: await harness.createDataDir(), TELEGRAM_API_URL: telegram.url };
    const gateway = await harness.startGateway(settings);
    const { endpoints } = await createManagementClient(gateway).seed(1, [[0]]);
    await telegram.control.addFault({ mode: 'accept_then_hang' });
    const sent = await publish(gateway.url, endpoints[0]!, { text: 'no answer' });
    await until('it is on the wall', async () => (await telegram.control.readLedger()).length > 0);
    // 0: the shutdown was orderly. The process exits with 1 if it takes more than 9 s.
    expect(await gateway.program.terminate()).toEqual({ code: 0, signal: null });
    const next = await harness.startGateway(settings);
    const manage = createManagementClient(next);
    await until('the doubt is recorded', async () => (await readFirstState(manage, sent)) === 'in_doubt');
  });
});

concurrentE2eTest('a request on an open connection is answered normally while the process stops', async (harness) => {
  const gateway = await harness.startGateway({
    DATA_DIR: await harness.createDataDir(),
    TELEGRAM_API_URL: 'http://127.0.0.1:9',
  });
  const path = '/v1/webhooks/unknown/info';
  await until('the read models exist', async () => (await fetch(gateway.url + path)).status === 401);
  const { hostname, port } = new URL(gateway.url);
  const [unfinished, silent] = [connect(Number(port), hostname), connect(Number(port), hostname)];
  const head = ['POST /manage/v1/owners HTTP/1.1', 'Host: gateway', `Authorization: Bearer ${OPERATOR_KEY}`];
  unfinished.write(`${[...head, 'Content-Type: application/json', 'Content-Length: 50'].join('\r\n')}\r\n\r\n{`);
  await Promise.all([once(unfinished, 'connect'), once(silent, 'connect')]);
  await until('the request has arrived', async () => (await fetch(`${gateway.url}/healthz`)).ok);

  const ended = gateway.program.terminate();
  await waitForRefusedConnections(gateway);
  silent.write(`GET ${path} HTTP/1.1\r\nHost: gateway\r\n\r\n`);
  const answer = await text(silent);
  expect(answer).toMatch(/^HTTP\/1\.1 401 [^]*x-request-id: req_[^]*\{"ok":false,"errors":/);
  unfinished.destroy();
  expect(await ended).toEqual({ code: 0, signal: null });
});

concurrentE2eTest('a second process on the same DATA_DIR exits with an error message', async (harness) => {
  const settings = { DATA_DIR: await harness.createDataDir(), TELEGRAM_API_URL: 'http://127.0.0.1:9' };
  const first = await harness.startGateway(settings);
  const error = await harness.startGateway(settings).then(
    () => 'none',
    ({ message }: Error) => message,
  );
  expect(error).toContain('"code":1');
  expect(error).toMatch(/DATA_DIR .* (in use|another process)/i);
  expect(error).not.toMatch(/^\s+at /m); // a message without a stack
  expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
});

describe('the first start', () => {
  concurrentE2eTest(
    'prints its address, the operator key, a demo endpoint, and a curl command that posts',
    async (harness) => {
      const dataDir = await harness.createDataDir();
      const { url, program } = await harness.startGateway({
        DATA_DIR: dataDir,
        DEMO: '',
        OPERATOR_KEY: '',
        LIMITS_PROFILE: '',
      });
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
    },
  );
});

const waitForRefusedConnections = ({ url }: { readonly url: string }): Promise<true> =>
  until('new connections are refused', () =>
    fetch(`${url}/healthz`).then(
      () => false as const,
      () => true as const,
    ),
  );
