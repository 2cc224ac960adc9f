import { join } from 'node:path';
import { startStandIn } from '../support/gateway-process.js';
import { StandInControl } from '../support/stand-in-control.js';
import { postIdOf, publish } from './client.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import { until } from './until.js';

e2eTest(
  'a translated text survives a kill: it is not translated again, and the post does not change (D-28)',
  async (harness) => {
    const telegram = await harness.startTelegram();
    const service = await startStandIn('libretranslate', join(await harness.createFolder(), 'ledger.jsonl'));
    harness.addCleanup(() => service.program.killAll());
    const translator = new StandInControl(service.url);
    const settings = {
      ...(await harness.createDatabase()),
      DATA_DIR: await harness.createFolder(),
      TELEGRAM_API_URL: telegram.url,
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
    };
    const first = await harness.startGateway(settings);
    const manage = createManagementClient(first);
    const { channels, endpoints } = await manage.seed(2, [[0, 1]]);
    const [{ id: project }] = (await manage.get<{ items: [{ id: string }] }>('/projects')).items;
    const processing = (signature: string) => ({
      translation: { provider: 'libretranslate', url: service.url, source: 'ru', target: 'en', on_failure: 'retry' },
      signature: { text: signature },
    });
    await manage.patch(`/projects/${project}`, { processing: processing('Old') });

    // The post is published on one channel; the other is rate-limited for a while, and then the worker is killed.
    const [open, busy] = channels as [(typeof channels)[0], (typeof channels)[0]];
    const body = { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } };
    await telegram.control.addFault({ mode: 'answer', channel: busy.chatId, status: 429, body, times: null });
    const post = postIdOf(await publish(first.url, endpoints[0]!, { text: 'мир' }));
    const attempts = async () =>
      (await manage.findPost(post)).publications.find(({ target_id }) => target_id === busy.id)!.attempts;
    await until('it was postponed', async () => (await attempts())[0]?.outcome === 'postponed');
    const readWall = async ({ chatId }: { chatId: string }) =>
      (await telegram.control.readLedger({ channel: chatId })).map(({ text }) => text);
    await until('it is published on the other channel', async () => (await readWall(open)).length > 0);
    await manage.patch(`/projects/${project}`, { processing: processing('New') });
    await first.program.kill();

    await translator.addFault({ mode: 'answer', status: 500, times: null });
    await telegram.control.clearFaults();
    await harness.startGateway(settings);
    await until('it is published', async () => (await readWall(busy)).length > 0);
    expect(await readWall(open)).toEqual(['мир·en\n\nOld']);
    expect(await readWall(busy)).toEqual(['мир·en\n\nOld']);
    expect((await translator.listCalls({ method: 'POST /translate' })).items).toHaveLength(1);
  },
);
