import type { Api } from '../api/management.js';
import { getFormat, plainSentence } from '../i18n/format.js';
import { causeOf, describeShortly, type Waiting } from './describe-waiting.js';
import { waitingMessages } from './messages.js';
import { needsPerson, shownState } from './shown-state.js';

type WaitingFigures = Api<'WaitingFigures'>;

const NOW = Date.parse('2026-11-26T11:02:07.000Z');
const UNTIL = '2026-11-26T11:04:21.000Z';

const channel = { id: 'tgt_1', name: 'Tide Tables', status: 'ok', attention: null };
const names = {
  channel: (id: string) => (id === 'tgt_1' ? channel : undefined),
  project: (id: string) => (id === 'prj_1' ? { name: 'Everywhere' } : undefined),
} as never;

const NO_FIGURES = { attempt: null, of: null, platform_says: null, first_sequence: null, blocked_by_rule: null };

const queued = (rule: string | null, extra: object = {}, figures: Partial<WaitingFigures> = {}): Waiting =>
  ({
    state: 'queued',
    platform: 'vk',
    target_id: 'tgt_1',
    project_id: 'prj_1',
    sequence: 413,
    attempts: [],
    published_at: null,
    waiting_for: {
      rule,
      until: UNTIL,
      event_id: null,
      text: '',
      blocked_by: null,
      ...extra,
      figures: { ...NO_FIGURES, ...figures },
    },
  }) as never;

const context = (locale: 'en' | 'ru') => ({ m: waitingMessages[locale], names, format: getFormat(locale) });
const plain = (text: string): string => text.replaceAll(/[\u2068\u2069]/g, '');
const short = (publication: Waiting, locale: 'en' | 'ru' = 'en', follows = false): string =>
  plain(plainSentence(describeShortly(publication, context(locale), follows), getFormat(locale), NOW));

describe('the reason for which a publication waits', () => {
  it('names the channel or project whose pause it waits for', () => {
    expect(short(queued('channel_pause'))).toBe('Tide Tables is paused');
    expect(short(queued('project_pause'), 'ru')).toBe('«Everywhere» на паузе');
    expect(short({ ...queued('channel_pause'), target_id: 'tgt_unknown' })).toBe('this channel is paused');
  });

  it('names the network that asked for a delay, and quotes it', () => {
    const publication = queued('platform_limit', {}, { platform_says: 'Flood control' });
    expect(short(publication)).toBe('VK asked for a delay');
  });

  it('names the turn that it waits for, also of the publication that goes first', () => {
    const publication = queued('pace');
    expect(short(publication)).toBe('waits for its turn on VK');
    expect(short(publication, 'ru')).toBe('ждёт своей очереди в VK');
  });

  it('says that other work of the same owner comes first', () => {
    const publication = queued('share', { until: null });
    expect(short(publication)).toBe('your other posts or files come first');
    expect(short(publication, 'ru')).toBe('сначала другие ваши посты и файлы');
  });

  it('names the publication that goes first, or says that it stands just above', () => {
    const publication = queued('earlier_publication', { blocked_by: 'pub_1' }, { first_sequence: 412 });
    expect(short(publication)).toBe('publishes right after number 412');
    expect(short(publication, 'en', true)).toBe('publishes right after it');
    expect(short(queued('earlier_publication', { blocked_by: 'pub_1' }))).toBe('publishes after an earlier post');
    expect(short(queued(null))).toBe('about to be published');
  });

  it('counts attempts with the figures, and does without them', () => {
    expect(short(queued('retry', {}, { attempt: 2, of: 5 }))).toBe('attempt 2 of 5 failed');
    expect(short(queued('retry'))).toBe('the last attempt failed');
  });

  it('tells a disabled channel from one that the network refuses', () => {
    expect(short(queued('needs_attention'))).toBe('VK refuses its posts');
    const disabled = {
      ...context('en'),
      names: { ...(names as object), channel: () => ({ ...channel, status: 'disabled' }) },
    };
    const described = describeShortly(queued('needs_attention'), disabled as never);
    expect(plain(plainSentence(described, getFormat('en'), NOW))).toBe('Tide Tables is disabled');
  });

  it('keeps a hostile name as it is', () => {
    const hostile = {
      ...context('en'),
      names: { ...(names as object), channel: () => ({ ...channel, name: '{until}<b>' }) },
    };
    const described = describeShortly(queued('channel_pause'), hostile as never);
    expect(plain(plainSentence(described, getFormat('en'), NOW))).toBe('{until}<b> is paused');
  });

  it('says what became of a publication that does not wait', () => {
    const attempts = [{}, {}] as never;
    expect(short({ ...queued('retry'), state: 'failed', waiting_for: null, attempts })).toBe('failed after 2 attempts');
    expect(short({ ...queued('retry'), state: 'in_doubt', waiting_for: null })).toBe('was it published? Check VK');
  });

  it('names what a person settled: a doubt, a post still to come, or one that had failed', () => {
    const settled = (outcome: string | null) => {
      const attempts = outcome === null ? [] : ([{ outcome }] as never);
      return { ...queued('retry'), state: 'dismissed' as const, waiting_for: null, attempts };
    };
    expect(short(settled('in_doubt'))).toBe('published, confirmed by a person');
    expect(short(settled('in_doubt'), 'ru')).toBe('вышел, подтверждено человеком');
    expect([settled(null), settled('postponed')].map((each) => short(each))).toEqual(['cancelled', 'cancelled']);
    expect(short(settled('failed'))).toBe('dismissed');
  });

  it('says how far a deletion is, what delays it, and how it ended', () => {
    const withdrawal = { remaining: ['1'], waiting_for: null, ended_at: null };
    const of = (state: string, more: object = {}): Waiting =>
      ({
        ...queued('retry'),
        state,
        waiting_for: null,
        message_ids: ['1', '2'],
        duplicates: [],
        withdrawal: { ...withdrawal, ...more },
      }) as never;
    expect(short(of('withdrawing'))).toBe('1 of 2 messages deleted');
    expect(short({ ...of('withdrawing'), message_ids: ['1'] }, 'ru')).toBe('сообщения удаляются');
    expect(short(of('withdrawing', { waiting_for: { rule: 'platform_limit' } }))).toBe('VK asked for a delay');
    expect(short(of('withdrawing', { waiting_for: { rule: 'retry' } }), 'ru')).toBe('удалить пока не удалось');
    expect(short(of('withdrawn', { ended_at: UNTIL }))).toMatch(/^deleted at .*11:04$/);
    expect(short(of('withdraw_failed'))).toBe('readers may still see it');
    expect(short(of('dismissed', { remaining: [] }))).toBe('taken back before it was sent');
    expect(short(of('dismissed'))).toBe('dismissed'); // a person left what was not deleted
    expect([of('withdrawing'), of('withdraw_failed'), of('withdrawn')].map(needsPerson)).toEqual([false, true, false]);
  });

  it('follows a wait for another publication to its cause', () => {
    expect(causeOf(queued('earlier_publication', { blocked_by: 'pub_1' }, { blocked_by_rule: 'platform_limit' }))).toBe(
      'platform_limit',
    );
    expect(causeOf(queued('earlier_publication'))).toBe('earlier_publication');
    expect(causeOf({ ...queued('retry'), state: 'published', waiting_for: null })).toBeNull();
  });
});

describe('a planned publication', () => {
  const planned = (rule: string, until: string | null): Waiting => ({
    ...queued(rule, { until }),
    state: 'planned',
    sequence: null,
  });

  it('says when it goes out', () => {
    expect(short(planned('scheduled', UNTIL))).toMatch(/^planned for .*11:04$/);
  });

  it('says that it needs approval, without a time', () => {
    expect(short(planned('approval', null))).toBe('waits for approval');
    expect(short(planned('approval', null), 'ru')).toBe('ждёт одобрения');
  });

  it('is shown as planned, or as needing a person', () => {
    expect(shownState(planned('scheduled', UNTIL))).toBe('planned');
    expect(shownState(planned('approval', null))).toBe('needs_approval');
    expect(needsPerson(planned('approval', null))).toBe(true);
    expect(needsPerson(planned('scheduled', UNTIL))).toBe(false);
  });
});
