import { postIdOf, publish } from './client.js';
import { concurrentE2eTest, createManagementClient } from './e2e-harness.js';
import { OPERATOR_KEY } from './management-client.js';
import { until } from './until.js';

type Line = Readonly<Record<string, unknown>>;

const linesOf = (log: string): Line[] =>
  log.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []));

concurrentE2eTest(
  'each outcome of an attempt has a line in the log and is counted, and a failing network is seen in both',
  async (harness) => {
    const telegram = await harness.startTelegram();
    const gateway = await harness.startGateway({
      ...(await harness.createDatabase()),
      DATA_DIR: await harness.createFolder(),
      TELEGRAM_API_URL: telegram.url,
      MINUTE_MS: '1000',
    });
    const manage = createManagementClient(gateway);
    const { endpoints, channels } = await manage.seed(1, [[0]]);
    const busy = { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } };
    await telegram.control.addFault({ mode: 'answer', status: 429, body: busy });
    const answer = await publish(gateway.url, endpoints[0]!, { text: 'first', trace_id: 'trace-7' });
    const refused = { ok: false, error_code: 400, description: 'Bad Request: message is wrong' };
    await until('it is published', async () => (await telegram.control.readLedger()).length === 1);
    await telegram.control.addFault({ mode: 'answer', status: 400, body: refused });
    const second = await publish(gateway.url, endpoints[0]!, { text: 'second' });

    const readOutcomes = () => linesOf(gateway.program.log).filter((line) => 'outcome' in line);
    const outcomes = await until('three outcomes are logged', () => {
      const found = readOutcomes();
      return found.length >= 3 && found;
    });
    const { publications } = await until('the post is shown', () => manage.findPost(postIdOf(answer)));
    const story = {
      publication: publications[0]!.id,
      post: postIdOf(answer),
      channel: channels[0]!.id,
      platform: 'telegram',
      project: expect.stringMatching(/^prj_/),
      request_id: answer.headers.get('x-request-id'),
      trace_id: 'trace-7',
      ms: expect.any(Number),
    };
    expect(outcomes).toMatchObject([
      { ...story, level: 'warn', attempt: 1, outcome: 'postponed', rule: 'platform_limit' },
      { ...story, level: 'info', attempt: 2, outcome: 'published', code: '' },
      { level: 'warn', post: postIdOf(second), attempt: 1, outcome: 'failed', trace_id: null },
    ]);
    const codes = outcomes.map(({ code }) => code);
    const page = await (await fetch(`${gateway.url}/metrics`)).text();
    for (const [i, { outcome }] of outcomes.entries())
      expect(page).toContain(
        `crosspost_publications_total{platform="telegram",outcome="${String(outcome)}",code="${String(codes[i])}"} 1`,
      );
  },
);

concurrentE2eTest('the settings in force are logged once at the start, without secrets', async (harness) => {
  const { DATABASE_URL, SECRETS_KEY } = await harness.createDatabase();
  const gateway = await harness.startGateway({
    DATABASE_URL,
    SECRETS_KEY,
    DATA_DIR: await harness.createFolder(),
    METRICS_KEY: 'hunter2-metrics',
    ROLES: 'api,worker',
  });
  // The log is another pipe than the output in which the gateway prints that it has started.
  const lines = await until('they are logged', () => {
    const found = linesOf(gateway.program.log).filter((line) => 'settings' in line);
    return found.length > 0 && found;
  });
  expect(lines).toHaveLength(1);
  const settings = lines[0]!.settings as string[];
  expect(settings).toEqual(
    expect.arrayContaining([
      'ROLES=api,worker',
      'OPERATOR_KEY=********',
      'SECRETS_KEY=********',
      'METRICS_KEY=********',
    ]),
  );
  expect(settings.find((one) => one.startsWith('DATABASE_URL='))).toMatch(/^DATABASE_URL=postgres\S*:\*{8}@\S+\/\w+$/);
  const { password } = new URL(DATABASE_URL);
  expect(password).not.toBe('');
  for (const secret of ['hunter2', password, SECRETS_KEY, OPERATOR_KEY])
    expect(gateway.program.log).not.toContain(secret);
});
