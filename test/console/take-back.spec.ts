// More than 20 s: a browser takes posts back on four networks, and waits for each deletion.
import { VK_CHANGE_ERRORS } from '../../src/platforms/vk/change-errors.js';
import { E2eHarness } from '../e2e/e2e-harness.js';
import { until } from '../e2e/until.js';
import { findViolations } from './support/axe.js';
import { ConsolePage, describeInChromium, type Look, useBrowser, type Visitor } from './support/console-page.js';
import { startHarbour } from './support/harbour.js';
import type { Management } from './support/management.js';

/** What VK answers to an account without the right to delete, and what the table says about it. */
const REFUSAL = { error: { error_code: 7, error_msg: 'Permission to perform this action is denied' } };
const ADVICE = VK_CHANGE_ERRORS.find(({ code, subcode }) => code === 'no_right_to_delete' && !subcode)!.advice;

type Networks = Awaited<ReturnType<typeof startHarbour>>['networks'];

/** Taking posts back: from the page of a post, at most three clicks each. */
describeInChromium('a post on four networks', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let channels: Readonly<Record<string, string>>;
  let url: string;
  let networks: Networks;
  let manage: Management;
  let visitor: Visitor;
  let endpointId: string;
  let opened: ConsolePage;
  beforeAll(async () => {
    ({ url, networks, manage, visitor, channels, endpointId } = await startHarbour(harness));
  });
  afterAll(() => harness.stop());
  afterEach(async () => {
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  const statesOf = async (id: string): Promise<Readonly<Record<string, string>>> => {
    const { publications } = await manage.get(`/posts/${id}`);
    const pairs = publications.map(({ platform, state }: Record<string, string>) => [platform, state]);
    return Object.fromEntries(pairs);
  };
  const waitForStates = (id: string, expected: Readonly<Record<string, string>>): Promise<unknown> =>
    until(`the states ${JSON.stringify(expected)}`, async () => {
      const states = await statesOf(id);
      return Object.entries(expected).every(([platform, state]) => states[platform] === state);
    });
  const publish = async (text: string, expected: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { id } = await manage.post(`/endpoints/${endpointId}/posts`, { text });
    const all = Object.fromEntries(Object.keys(channels).map((platform) => [platform, 'published']));
    await waitForStates(id as string, { ...all, ...expected });
    return id as string;
  };
  const refuseOnVk = (): Promise<void> =>
    networks.vk.control.addFault({ mode: 'answer', method: 'wall.delete', status: 200, body: REFUSAL });
  const open = async (path: string, look: Look = {}): Promise<ConsolePage> => {
    opened = await ConsolePage.open(browser(), url, visitor, path, look);
    return opened;
  };
  /** Expects a page without violations that fits into its window. */
  const expectGoodPage = async (): Promise<void> => {
    expect(await findViolations(opened.page)).toEqual([]);
    expect(await opened.overflow()).toBe(0);
  };
  const countDeleted = async (platform: keyof Networks): Promise<number> =>
    (await networks[platform].control.listChanges()).length;

  it('is taken back with two clicks, and again where a network refused', async () => {
    await manage.post(`/channels/${channels.max}/pause`, { minutes: 60 });
    const id = await publish('Crab for 5 a kilo', { max: 'queued' });
    await refuseOnVk();
    const { page } = await open(`/posts/${id}`);
    await opened.click(page.getByRole('button', { name: 'Take back…' }));
    const dialog = page.getByRole('dialog', { name: 'Take this post back?' });
    await dialog.getByText('Published on 3 channels: it is deleted there, and readers no longer see it.').waitFor();
    await dialog.getByText('Waiting on 1 channel: it is not sent there.').waitFor();
    await dialog.getByLabel('Reason').fill('The price is wrong');
    await expectGoodPage();
    await opened.click(dialog.getByRole('button', { name: 'Take back', exact: true }));
    expect(opened.clicks).toBe(2);

    const banner = page.getByRole('region', { name: 'It could not be taken back on 1 channel.' });
    await banner.getByText(ADVICE.en).waitFor();
    await banner.getByText(REFUSAL.error.error_msg).waitFor();
    await banner.getByText(/^You asked for this at .* Reason: “The price is wrong”\.$/).waitFor();
    await waitForStates(id, { telegram: 'withdrawn', vk: 'withdraw_failed', max: 'dismissed', ok: 'withdrawn' });
    await page.getByText('taken back before it was sent').waitFor();
    await page.getByText('readers may still see it').waitFor();
    await expectGoodPage();
    await opened.click(banner.getByRole('button', { name: 'Try again' }));
    expect(opened.clicks).toBe(3);
    await page.getByRole('region', { name: 'Taken back on 4 channels. Readers no longer see it there.' }).waitFor();
    await waitForStates(id, { vk: 'withdrawn' });
    await expectGoodPage();
    expect(await page.getByRole('button', { name: 'Take back…' }).count()).toBe(0);
    const { withdrawal } = (await manage.get(`/posts/${id}`)).publications.find(
      ({ platform }: { platform: string }) => platform === 'vk',
    );
    expect(withdrawal).toMatchObject({ reason: 'The price is wrong', remaining: [], error: null });
    await manage.post(`/channels/${channels.max}/resume`);
    expect(await networks.max.control.readLedger()).toEqual([]);

    await opened.goto('/timeline?state=withdrawn');
    const list = page.getByRole('list', { name: 'Posts' });
    await list.getByText('Crab for 5 a kilo').waitFor();
    await list.getByText('Taken back').waitFor();
    await page.getByRole('button', { name: 'Taken back', exact: true }).waitFor();
    await expectGoodPage();
  });

  it('is taken back on one channel with three taps on a phone, in Russian, or left where that fails', async () => {
    const id = await publish('Краб по 5 за кило');
    await refuseOnVk();
    const { page } = await open(`/posts/${id}`, { phone: true, language: 'ru', dark: true });
    await opened.click(page.getByRole('link', { name: /Harbour City/ }));
    await opened.click(page.getByRole('button', { name: 'Отозвать…' }));
    const dialog = page.getByRole('dialog', { name: 'Отозвать пост из «Harbour City» в VK?' });
    await dialog.getByText('Там он удалится, и читатели его больше не увидят.').waitFor();
    await expectGoodPage();
    await opened.click(dialog.getByRole('button', { name: 'Отозвать', exact: true }));
    expect(opened.clicks).toBe(3);
    const banner = page.getByRole('region', { name: 'Отозвать не удалось.' });
    await banner.getByText(ADVICE.ru).waitFor();
    await page.getByText('Не отозван').first().waitFor();
    await expectGoodPage();

    await opened.goto(`/posts/${id}`);
    opened.clicks = 0;
    await page.getByRole('region', { name: 'Не удалось отозвать из 1 канала.' }).getByText(ADVICE.ru).waitFor();
    await expectGoodPage();
    await opened.click(page.getByRole('button', { name: 'Оставить' }));
    expect(opened.clicks).toBe(1);
    await banner.waitFor({ state: 'detached' });
    await waitForStates(id, { telegram: 'published', vk: 'published', max: 'published', ok: 'published' });
    await page.getByRole('button', { name: 'Отозвать…' }).waitFor();
  });

  it('shows how far a deletion is while it waits, and its end, without a reload', async () => {
    const id = await publish('Crab, the last kilo');
    const { publications } = await manage.get(`/posts/${id}`);
    const { id: publicationId } = publications.find(({ platform }: { platform: string }) => platform === 'telegram');
    const body = {
      ok: false,
      error_code: 429,
      description: 'Too Many Requests: retry after 20',
      parameters: { retry_after: 20 },
    };
    await networks.telegram.control.addFault({ mode: 'answer', method: 'deleteMessage', status: 429, body });
    const before = await countDeleted('telegram');
    const { page } = await open(`/publications/${publicationId}`);
    await page.getByRole('button', { name: 'Take back…' }).waitFor();
    await manage.post(`/publications/${publicationId}/withdraw`, { reason: 'Sold out' });
    const banner = page.getByRole('region', { name: 'It is being taken back.' });
    await banner.getByText('Its message is not deleted yet.').waitFor();
    await banner.getByText(/^The network asked for a delay/).waitFor();
    await expectGoodPage();
    await page.getByRole('region', { name: 'Taken back. Readers no longer see it.' }).waitFor();
    await page.getByText(/^You took it back at/).waitFor();
    const story = page.getByRole('region', { name: 'History' });
    await story.getByText('You asked to take it back.').waitFor();
    await story.getByText('It could not be deleted yet.').waitFor();
    await story.getByText('Its messages are deleted on Telegram.').waitFor();
    await expectGoodPage();
    expect(await countDeleted('telegram')).toBe(before + 1);
  });

  it('is kept from clients with a switch of the endpoint', async () => {
    const path = `/endpoints/${endpointId}`;
    const isAllowed = async (): Promise<boolean> => (await manage.get(path)).allow_changes as boolean;
    const { page } = await open(path);
    await opened.click(page.getByRole('checkbox', { name: /^Clients may change published posts/ }));
    await opened.click(page.getByRole('button', { name: 'Save', exact: true }));
    await until('only the owner may', async () => !(await isAllowed()));
    await expectGoodPage();
    await opened.close();
    const other = (await open(path, { phone: true, language: 'ru', dark: true })).page;
    const choice = other.getByRole('checkbox', { name: /^Клиенты могут менять опубликованные посты/ });
    expect(await choice.isChecked()).toBe(false);
    await opened.click(choice);
    await opened.click(other.getByRole('button', { name: 'Сохранить', exact: true }));
    await until('clients may again', isAllowed);
    await expectGoodPage();
  });
});
