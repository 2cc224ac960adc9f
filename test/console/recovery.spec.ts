// More than 20 s: a gateway starts twice, and a browser settles what is held.
import { createManagementClient, E2eHarness, type Network } from '../e2e/e2e-harness.js';
import type { Post } from '../e2e/management-client.js';
import { accept, later, readRecovery, readTexts, setUp, waitUntilMarked } from '../e2e/restore-scenario.js';
import { until } from '../e2e/until.js';
import type { Gateway } from '../support/gateway-process.js';
import { ConsolePage, describeInChromium, useBrowser } from './support/console-page.js';

describeInChromium('what a restore holds', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let gateway: Gateway;
  let telegram: Network;
  let owner: { readonly id: string; readonly name: string; readonly key: string };
  const planned: string[] = [];
  let queued: string;
  beforeAll(async () => {
    const ready = await setUp(harness);
    ({ telegram } = ready);
    gateway = await harness.startGateway(ready.settings);
    let manage = createManagementClient(gateway);
    owner = await until('an owner', () => manage.post('/owners', { name: 'Harbour News', plan: 'business' }));
    const owner_id = owner.id;
    const credentials = { bot_token: `1000:${'t'.repeat(35)}`, chat_id: '-1001000001' };
    const channel = await manage.post<{ id: string }>('/channels', {
      owner_id,
      platform: 'telegram',
      name: 'Harbour',
      credentials,
    });
    const project = await manage.post<{ id: string }>('/projects', { owner_id, name: 'A', channel_ids: [channel.id] });
    const live = { owner_id, project_ids: [project.id], mode: 'live', min_interval: 0 };
    const { id, slug, token } = await manage.post<{ id: string; slug: string; token: string }>('/endpoints', live);
    const endpoint = { id, path: `/v1/webhooks/${slug}`, token, channels: [] };
    await manage.post(`/channels/${channel.id}/pause`, { minutes: 60 });
    queued = await accept(gateway, endpoint, { text: 'the ferry leaves' });
    for (const text of ['low tide', 'high tide'])
      planned.push(await accept(gateway, endpoint, { text, publish_at: later(3_600_000) }));
    await gateway.program.killAll();
    gateway = await harness.startGateway({ ...ready.settings, RESTORED_AT: '2026-11-02T10:00:00Z' });
    manage = createManagementClient(gateway);
    await waitUntilMarked(gateway);
    await until('its three posts are held', async () => {
      const { planned: plans, in_doubt } = await readRecovery(manage);
      return plans + in_doubt === 3;
    });
  }, 600_000);
  afterAll(() => harness.stop());

  it('is shown in plain words, and settled with one action for all', async () => {
    const visitor = { key: owner.key, role: 'owner', owner: { id: owner.id, name: owner.name } } as const;
    const opened = await ConsolePage.open(browser(), gateway.url, visitor);
    const { page } = opened;
    await page.getByText('A backup was restored, and some of what happened since it was made is lost.').waitFor();
    await page.getByText(/3 posts are held, because they may have been published, changed or cancelled/).waitFor();
    await opened.click(page.getByRole('button', { name: 'Settle all…' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 planned posts').first().waitFor();
    await dialog.getByText('1 publication in doubt').first().waitFor();
    // The default sends nothing a second time, and the risk of the rest is said.
    await dialog.getByText('The publications in doubt are not sent again.').waitFor();
    await dialog.getByText(/already published or cancelled in the lost time is published again/).waitFor();
    await opened.click(dialog.getByRole('button', { name: 'Cancel', exact: true }).first());
    await dialog.getByText('The planned posts are cancelled for good.').waitFor();
    await opened.click(dialog.getByRole('button', { name: 'Keep', exact: true }));
    await opened.click(dialog.getByRole('button', { name: 'Settle all' }));
    await page.getByText('Settled: 2 planned posts, 1 publications.').waitFor();
    await page.getByText('A backup was restored').waitFor({ state: 'detached' });
    expect(opened.faults).toEqual([]);
    await opened.close();

    const manage = createManagementClient(gateway);
    expect(await readRecovery(manage)).toMatchObject({ state: 'none', planned: 0, in_doubt: 0 });
    const firstOf = async (id: string) => (await manage.get<Post>(`/posts/${id}`)).publications[0]!;
    for (const id of planned) expect(await firstOf(id)).toMatchObject({ waiting_for: { rule: 'scheduled' } });
    expect(await firstOf(queued)).toMatchObject({ state: 'dismissed' });
    expect(await readTexts(telegram)).toEqual([]);
  });
});
