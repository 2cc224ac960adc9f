import { join } from 'node:path';
import { StandInControl } from '../../src/stand-ins/kit/control-client.js';
import { startStandIn } from '../support/gateway.js';
import { postIdOf, publish } from './client.js';
import { manageOf, scene } from './e2e-harness.js';
import { until } from './until.js';

scene(
  'a text that was translated survives a kill: nobody is asked again, nothing is worded anew (D-28)',
  async (stage) => {
    const telegram = await stage.telegram();
    const service = await startStandIn('libretranslate', join(await stage.folder(), 'ledger.jsonl'));
    stage.atTheEnd(() => service.program.killAll());
    const translator = new StandInControl(service.url);
    const settings = {
      ...(await stage.database()),
      DATA_DIR: await stage.folder(),
      TELEGRAM_API_URL: telegram.url,
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
    };
    const first = await stage.gateway(settings);
    const manage = manageOf(first);
    const { channels, endpoints } = await manage.seed(2, [[0, 1]]);
    const [{ id: project }] = (await manage.get<{ items: [{ id: string }] }>('/projects')).items;
    const processing = (signature: string) => ({
      translation: { provider: 'libretranslate', url: service.url, source: 'ru', target: 'en', on_failure: 'retry' },
      signature: { text: signature },
    });
    await manage.patch(`/projects/${project}`, { processing: processing('Old') });

    // One channel's post goes out; the other's is refused for a while, and then its worker dies.
    const [open, busy] = channels as [(typeof channels)[0], (typeof channels)[0]];
    const body = { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } };
    await telegram.control.addFault({ mode: 'answer', channel: busy.chatId, status: 429, body, times: null });
    const post = postIdOf(await publish(first.url, endpoints[0]!, { text: 'мир' }));
    const attempts = async () =>
      (await manage.findPost(post)).publications.find(({ target_id }) => target_id === busy.id)!.attempts;
    await until('it was put off', async () => (await attempts())[0]?.outcome === 'postponed');
    const wall = async ({ chatId }: { chatId: string }) =>
      (await telegram.control.ledger({ channel: chatId })).map(({ text }) => text);
    await until('the other is out', async () => (await wall(open)).length > 0);
    await manage.patch(`/projects/${project}`, { processing: processing('New') });
    await first.program.kill();

    await translator.addFault({ mode: 'answer', status: 500, times: null });
    await telegram.control.clearFaults();
    await stage.gateway(settings);
    await until('it is out', async () => (await wall(busy)).length > 0);
    expect(await wall(open)).toEqual(['мир·en\n\nOld']);
    expect(await wall(busy)).toEqual(['мир·en\n\nOld']);
    expect((await translator.calls({ method: 'POST /translate' })).items).toHaveLength(1);
  },
);
