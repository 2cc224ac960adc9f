// More than 20 s: a browser writes, drags, reviews and publishes planned posts, and waits for each to appear.
import { lengthOfDay, toLocal } from '../../console/src/time/local-time.js';
import { E2eHarness } from '../e2e/e2e-harness.js';
import { OPERATOR_KEY } from '../e2e/management-client.js';
import { until } from '../e2e/until.js';
import {
  type ConsolePage,
  describeInChromium,
  type Look,
  useBrowser,
  useOpenedPages,
  type Visitor,
} from './support/console-page.js';
import { Management } from './support/management.js';
import { startEmptyWorld } from './support/world.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ZONE = 'Europe/Moscow';

/** Returns a time on the clock of a later day, in Moscow, which does not change its clocks. */
const dayAfter = (days: number): string => toLocal(Date.now() + days * DAY, ZONE).day;
const instant = (day: string, time: string): string => new Date(`${day}T${time}:00+03:00`).toISOString();

/** Planned posts: the calendar, Compose, a planned post's page, and approval. */
describeInChromium('planned posts', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let url: string;
  let manage: Management;
  let visitor: Visitor;
  let endpointId: string;
  let opened: ConsolePage;
  beforeAll(async () => {
    const { gateway } = await startEmptyWorld(harness);
    url = gateway.url;
    const { id, key } = await new Management(url, OPERATOR_KEY).post('/owners', { name: 'Harbour', plan: 'pro' });
    manage = new Management(url, key as string);
    visitor = { key: key as string, role: 'owner', owner: { id: id as string, name: 'Harbour' } };
    const connect = async (platform: string, credentials: object): Promise<string> =>
      (await manage.post('/channels', { platform, name: 'Harbour', credentials })).id as string;
    const channels = [
      await connect('telegram', { bot_token: '7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem', chat_id: '@harbour' }),
      await connect('vk', { access_token: 'vk1.a.x', upload_token: 'vk1.a.y', group_id: '220000001' }),
    ];
    const project = await manage.post('/projects', { name: 'Harbour', channel_ids: channels });
    endpointId = (
      await manage.post('/endpoints', { name: 'CMS', project_ids: [project.id], mode: 'live', min_interval: 0 })
    ).id as string;
  });
  afterAll(() => harness.stop());

  const openPage = useOpenedPages(/status of (409|412|422)/);
  const open = async (path: string, look: Look = {}): Promise<ConsolePage> => {
    opened = await openPage(browser(), url, visitor, path, look);
    return opened;
  };
  const plan = async (text: string, publishAt: string | null, more: object = {}): Promise<string> => {
    const body = { text, ...(publishAt !== null && { publish_at: publishAt }), ...more };
    return (await manage.post(`/endpoints/${endpointId}/posts`, body)).id as string;
  };
  const read = (id: string) => manage.get(`/posts/${id}`);
  const waitForTime = (id: string, time: string): Promise<unknown> =>
    until(`the post is planned for ${time}`, async () => (await read(id)).publish_at === time);
  /** Starts waiting for a message before the action that shows it, because it is shown for only six seconds. */
  const actAndSee = (action: Promise<void>, message: Promise<void>): Promise<unknown> => Promise.all([message, action]);
  const card = ({ page }: ConsolePage, text: string) => page.getByRole('article').filter({ hasText: text });

  it('are written and given a time in Compose, and stand in the calendar', async () => {
    const { page } = await open('/plan');
    await page.getByText('No posts are planned here').waitFor();
    await page.getByText('Times in Moscow (UTC+3).').waitFor();
    await page.getByRole('link', { name: 'Schedule a post' }).last().click();
    await page.getByRole('textbox', { name: 'Text' }).click();
    await page.keyboard.type('Regatta at noon');
    await page.getByLabel('Date').fill(dayAfter(2));
    await page.getByLabel('Time', { exact: true }).fill('12:15');
    await actAndSee(
      page.getByRole('button', { name: /^Schedule for .*12:15/ }).click(),
      page.getByText(/^Planned for .*12:15\.$/).waitFor(),
    );
    const items = await until('it is listed', async () => {
      const found = await manage.get('/posts?state=planned&order=publish_at');
      return found.items.length > 0 && (found.items as object[]);
    });
    expect(items).toMatchObject([{ excerpt: 'Regatta at noon', publish_at: instant(dayAfter(2), '12:15') }]);

    // A person who came from the calendar is back in it.
    await page.getByRole('heading', { level: 1, name: '1 post planned for the next 7 days.' }).waitFor();
    await page
      .locator(`td[data-day="${dayAfter(2)}"][data-hour="12"]`)
      .getByText('Regatta at noon')
      .waitFor();
    await page.getByRole('button', { name: 'Month' }).click();
    await page
      .locator(`td[data-day="${dayAfter(2)}"]`)
      .getByText('Regatta at noon')
      .waitFor();
    await opened.goto('/plan');
    await page.locator(`td[data-day="${dayAfter(3)}"][data-hour="15"]`).click();
    await page.getByRole('button', { name: 'Later', pressed: true }).waitFor();
    expect(await page.getByLabel('Date').inputValue()).toBe(dayAfter(3));
    expect(await page.getByLabel('Time', { exact: true }).inputValue()).toBe('15:00');
  });

  it('appear in an open calendar when a program plans them, and move there', async () => {
    await open('/plan');
    const id = await plan('Sent by a program', instant(dayAfter(1), '09:00'));
    await card(opened, 'Sent by a program').waitFor();
    await manage.patch(`/posts/${id}`, { publish_at: instant(dayAfter(1), '17:40') });
    await card(opened, 'Sent by a program').getByText('17:40').waitFor();
  });

  it('are dragged to another day and hour, and back; never into the past', async () => {
    const id = await plan('Drag me', instant(dayAfter(1), '10:20'));
    const { page } = await open('/plan');
    const cell = (day: string, hour: number) => page.locator(`td[data-day="${day}"][data-hour="${hour}"]`);
    // While the pointer is on the message, it stays.
    const undo = page.getByRole('button', { name: 'Undo' });
    await actAndSee(card(opened, 'Drag me').dragTo(cell(dayAfter(3), 14)), undo.hover());
    await waitForTime(id, instant(dayAfter(3), '14:20'));
    await cell(dayAfter(3), 14).getByText('Drag me').waitFor();
    await undo.click();
    await waitForTime(id, instant(dayAfter(1), '10:20'));
    await cell(dayAfter(1), 10).getByText('Drag me').waitFor();

    await opened.goto(`/plan?from=${dayAfter(-1)}`);
    await actAndSee(
      card(opened, 'Drag me').dragTo(cell(dayAfter(-1), 10)),
      page.getByText('10:20 has passed. Choose a later time.').waitFor(),
    );
    expect((await read(id)).revision).toBe(3);
  });

  it('are moved by keyboard', async () => {
    const id = await plan('By keyboard', instant(dayAfter(1), '11:00'));
    const { page } = await open('/plan');
    await opened.tabTo(page.getByRole('button', { name: 'Move “By keyboard”' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Move this post' });
    await dialog.getByLabel('Date').fill(dayAfter(-2));
    await dialog.getByText('This time has passed. Choose a later one.').waitFor();
    await dialog.getByLabel('Date').fill(dayAfter(4));
    await dialog.getByLabel('Time', { exact: true }).fill('18:05');
    await page.keyboard.press('Enter');
    await waitForTime(id, instant(dayAfter(4), '18:05'));
    // The focus follows the post to its new place, where a key moves it on.
    await page.locator('.plan-card-link:focus').getByText('By keyboard').waitFor();
    await page.keyboard.press('m');
    await dialog.waitFor();
  });

  it('are moved on a phone, and a change by another person is shown instead', async () => {
    const id = await plan('On a phone', instant(dayAfter(1), '12:00'));
    const { page } = await open('/plan', { phone: true });
    await page.getByRole('button', { name: 'Move “On a phone”' }).click();
    await page.getByRole('button', { name: 'Tomorrow 9:00' }).click();
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await waitForTime(id, instant(dayAfter(1), '09:00'));
    // The page must not hear of it before the person acts.
    await page.route('**/manage/v1/stream**', (route) => route.abort());
    await page.reload();
    await card(opened, 'On a phone').getByText('09:00').waitFor();
    await manage.patch(`/posts/${id}`, { publish_at: instant(dayAfter(2), '07:30') });
    await page.getByRole('button', { name: 'Move “On a phone”' }).click();
    await page.getByLabel('Time', { exact: true }).fill('22:00');
    await actAndSee(
      page.getByRole('button', { name: 'Move', exact: true }).click(),
      page.getByText('The post is at revision').waitFor(),
    );
    await card(opened, 'On a phone').getByText('07:30').waitFor();
    expect((await read(id)).publish_at).toBe(instant(dayAfter(2), '07:30'));
    opened.faults.splice(0); // the stream that was cut
  });

  it('have a text of their own for a network', async () => {
    const { page } = await open('/compose');
    await page.getByRole('textbox', { name: 'Text' }).click();
    await page.keyboard.type('For all of you');
    await page.getByRole('button', { name: 'Tailor for each network' }).click();
    await page.getByRole('group', { name: 'Text for' }).getByRole('button', { name: 'VK' }).click();
    await page.getByText('VK uses the common text.').waitFor();
    await page.getByRole('textbox', { name: 'Text' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' on VK');
    await page.getByText('Only VK shows this text.').waitFor();
    await page.getByRole('region', { name: /VK/ }).getByText('For all of you on VK').waitFor();
    await page
      .getByRole('region', { name: /Telegram/ })
      .getByText('For all of you', { exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Later' }).click();
    await page.getByRole('button', { name: 'Tomorrow 9:00' }).click();
    await actAndSee(
      page.getByRole('button', { name: /^Schedule for/ }).click(),
      page.getByRole('button', { name: 'View', exact: true }).click(),
    );
    await page.getByRole('heading', { name: /^It will be published on/ }).waitFor();
    const id = page.url().split('/').at(-1)!;
    expect((await read(id)).payload).toMatchObject({
      text: 'For all of you',
      overrides: { vk: { text: 'For all of you on VK' } },
    });
  });

  it('are changed in Compose, unless another person was faster', async () => {
    const id = await plan('Before the change', instant(dayAfter(2), '10:00'), { metadata: { cms_id: 7 } });
    const { page } = await open(`/posts/${id}`);
    await page.getByRole('link', { name: 'Edit' }).click();
    const text = page.getByRole('textbox', { name: 'Text' });
    await text.getByText('Before the change').waitFor();
    await text.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('After the change');
    await actAndSee(
      page.getByRole('button', { name: 'Save changes' }).click(),
      page.getByText('Changes saved.').waitFor(),
    );
    await page.getByRole('heading', { level: 1, name: 'After the change' }).waitFor();
    expect(await read(id)).toMatchObject({
      revision: 2,
      publish_at: instant(dayAfter(2), '10:00'),
      payload: { text: 'After the change', metadata: { cms_id: 7 } },
    });
    await page.getByText('Content changed').waitFor();

    await page.getByRole('link', { name: 'Edit' }).click();
    await text.getByText('After the change').waitFor();
    await text.click();
    await page.keyboard.type('Mine: ');
    await manage.patch(`/posts/${id}`, { publish_at: instant(dayAfter(3), '10:00') });
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('alert').getByText('The post is at revision').waitFor();
    expect((await read(id)).payload.text).toBe('After the change');
    await page.getByRole('button', { name: 'Load the current version' }).click();
    await text.getByText('After the change', { exact: true }).waitFor();
    expect(await page.getByLabel('Date').inputValue()).toBe(dayAfter(3));
  });

  it('are published now, or cancelled, from their page', async () => {
    const now = await plan('Not later but now', instant(dayAfter(5), '10:00'));
    const never = await plan('Never after all', instant(dayAfter(5), '11:00'));
    const { page } = await open(`/posts/${now}`);
    await page.getByRole('button', { name: 'Publish now…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish now' }).click();
    await until('it is published', async () =>
      (await read(now)).publications.every(({ state }: { state: string }) => state === 'published'),
    );
    await page.getByText('Published: 2').waitFor();

    await opened.goto(`/posts/${never}`);
    await page.getByRole('button', { name: 'Cancel post…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the post' }).click();
    await page.getByText('Cancelled: 2').waitFor();
    expect((await read(never)).released_at).toBeNull();
  });

  it('keep to the clock on the days on which it is changed', async () => {
    const zone = 'Europe/Berlin';
    // Half days, because steps of 24 hours from late in the evening pass over the day that has only 23.
    const days = Array.from({ length: 2 * 365 }, (_, index) => toLocal(Date.now() + DAY + index * (DAY / 2), zone).day);
    const spring = days.find((day) => lengthOfDay(day, zone) === 23 * HOUR)!;
    const autumn = days.find((day) => lengthOfDay(day, zone) === 25 * HOUR)!;
    const { page } = await open(`/compose?day=${spring}`, { zone });
    await page.getByRole('textbox', { name: 'Text' }).click();
    await page.keyboard.type('The clock is changed');
    await page.getByLabel('Time', { exact: true }).fill('02:30');
    await page.getByText('The clocks go forward that day, so 02:30 does not exist.').waitFor();
    expect(await page.getByRole('button', { name: /^Publish|^Schedule for/ }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Use 03:00' }).click();
    await page.getByRole('button', { name: /^Schedule for .*03:00/ }).waitFor();

    await page.getByLabel('Date').fill(autumn);
    await page.getByLabel('Time', { exact: true }).fill('02:30');
    await page.getByText('The clocks go back that day, so 02:30 occurs twice.').waitFor();
    await page.getByRole('button', { name: 'Second (UTC+1)' }).click();
    await actAndSee(
      page.getByRole('button', { name: /^Schedule for .*02:30 \(UTC\+1\)/ }).click(),
      page
        .getByText(/^Planned for/)
        .first()
        .waitFor(),
    );
    await until('it is listed', async () => {
      const { items } = await manage.get('/posts?state=planned&limit=1');
      return items[0].publish_at === `${autumn}T01:30:00.000Z`;
    });

    await opened.goto(`/plan?from=${autumn}`);
    await page.getByText('25 hours').waitFor();
    await page.locator(`td[data-day="${autumn}"][data-hour="2"]`).getByText('02:30 (UTC+1)').waitFor();
    const hour = page.locator(`td[data-day="${autumn}"][data-hour="2"]`);
    await hour.getByText('The clocks go back: this hour occurs twice.').waitFor();
  });

  it('that need approval are reviewed from the overview and the calendar', async () => {
    const { page } = await open(`/endpoints/${endpointId}`);
    await page.getByRole('checkbox', { name: /Posts need approval/ }).check();
    await actAndSee(page.getByRole('button', { name: 'Save' }).click(), page.getByText('Saved.').waitFor());
    const approved = await plan('Please look at this', null);
    const rejected = await plan('And at this', null);

    await opened.goto('/');
    await page.getByRole('heading', { name: '“Please look at this” needs your approval.' }).waitFor();
    await page.getByRole('button', { name: 'Review…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Approve this post?' });
    for (const network of ['Telegram', 'VK'])
      await dialog
        .getByRole('region', { name: new RegExp(network) })
        .getByText('Please look at this')
        .waitFor();
    await dialog.getByLabel('Comment').fill('Good');
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await until('it is published', async () => (await read(approved)).released_at !== null);
    expect((await read(approved)).approval).toMatchObject({ state: 'approved', note: 'Good' });

    await opened.goto('/plan');
    const tray = page.getByRole('region', { name: 'Needs your approval' });
    await tray.getByRole('button', { name: 'Review “And at this”' }).click();
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await dialog.getByText('Say why you reject it.').waitFor();
    await page.keyboard.type('It was yesterday');
    await actAndSee(
      dialog.getByRole('button', { name: 'Reject' }).click(),
      page.getByText('Rejected: it will not be published.').waitFor(),
    );
    expect(await read(rejected)).toMatchObject({
      released_at: null,
      approval: { state: 'rejected', note: 'It was yesterday' },
    });
    await until('the tray is empty', async () => (await tray.count()) === 0);
    await opened.goto(`/posts/${rejected}`);
    await page.getByText('It was yesterday').first().waitFor();
  });

  it('of a stolen token are counted and cancelled after it was replaced (D-87)', async () => {
    const project = (await manage.get('/projects')).items[0].id;
    const body = { name: 'Stolen', project_ids: [project], mode: 'live', min_interval: 0 };
    const { id: stolen } = await manage.post('/endpoints', body);
    const publish_at = instant(dayAfter(4), '10:00');
    for (const text of ['Spam 1', 'Spam 2']) await manage.post(`/endpoints/${stolen}/posts`, { text, publish_at });
    const { page } = await open(`/endpoints/${stolen}`);
    await page.getByRole('button', { name: 'Replace… Token' }).click();
    await page.getByRole('button', { name: 'Replace token' }).click();
    const saving = page.getByRole('dialog', { name: 'Save the new value' });
    await saving.getByRole('checkbox').check();
    await saving.getByRole('button', { name: 'Continue' }).click();
    const dialog = page.getByRole('dialog', { name: '2 planned posts of this endpoint will still be published' });
    await dialog.getByLabel('Cancel the planned posts accepted').selectOption('in the last hour');
    await actAndSee(
      dialog.getByRole('button', { name: 'Cancel the posts' }).click(),
      page.getByText('2 planned posts cancelled.').waitFor(),
    );
    expect((await manage.get(`/posts?state=planned&endpoint_id=${stolen}`)).items).toEqual([]);
  });

  it('that change under review are shown again before they can be approved (D-81)', async () => {
    await manage.patch(`/endpoints/${endpointId}`, { requires_approval: true });
    const id = await plan('The approver reads this', null);
    const { page } = await open(`/posts/${id}`);
    await page.getByRole('button', { name: 'Review…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Approve this post?' });
    const wall = dialog.getByRole('region', { name: /Telegram/ });
    await wall.getByText('The approver reads this').waitFor();
    await dialog.getByLabel('Comment').fill('Read');

    await manage.put(`/posts/${id}/payload`, { text: 'This came later' });
    await dialog.getByText('This post was changed after you opened it.').waitFor();
    await wall.getByText('The approver reads this').waitFor();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await dialog.getByText(/^This post was changed while you were reading it/).waitFor();
    await wall.getByText('This came later').waitFor();
    expect((await read(id)).approval).toMatchObject({ state: 'pending' });

    await manage.put(`/posts/${id}/payload`, { text: 'And this last' });
    await dialog.getByRole('button', { name: 'Show the new version' }).click();
    await wall.getByText('And this last').waitFor();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Version 3 approved: Read').waitFor();
    expect(await read(id)).toMatchObject({ approval: { state: 'approved', note: 'Read' }, revision: 3 });
  });
});
