import type { Attention } from '../../api/overview.js';
import { getFormat, plainSentence, type Sentence } from '../../i18n/format.js';
import { type AttentionContext, describeAttention } from './describe-attention.js';
import { attentionMessages } from './messages.js';

const NOW = Date.parse('2026-11-26T11:02:07.000Z');

const NOTHING: Attention['subject'] = {
  id: null,
  name: null,
  owner_id: null,
  owner_name: 'Harbour News',
  platform: null,
  channel_id: null,
  channel_name: null,
  publication_id: null,
  post_id: null,
  excerpt: null,
  code: null,
  message: null,
  platform_says: null,
  disabled_by: null,
  waiting: null,
  plan: null,
  resets_at: null,
  position: null,
  event_type: null,
};

const attention = (code: string, subject: Partial<Attention['subject']>, count = 1): Attention => ({
  code: code as Attention['code'],
  count,
  since: '2026-11-26T10:48:00.000Z',
  ids: [],
  text: 'As the API says.',
  action: null,
  subject: { ...NOTHING, ...subject },
});

const plain = (given: Sentence, locale: 'en' | 'ru'): string =>
  plainSentence(given, getFormat(locale), NOW).replaceAll(/[\u2068\u2069]/g, '');

/** Who may approve: the reader, people with a name, or people who are unknown. */
type Approval = Pick<AttentionContext, 'mayApprove' | 'approvers'>;

const READER: Approval = { mayApprove: true, approvers: null };

const say = (given: Attention, locale: 'en' | 'ru' = 'en', isOfAll = false, approval = READER) => {
  const context = { m: attentionMessages[locale], format: getFormat(locale), isOfAll, ...approval };
  const text = describeAttention(given, context);
  return {
    title: plain(text.title, locale),
    details: text.details.map((each) => plain(each, locale)).join(' '),
    reason: text.reason,
  };
};

const refused = attention('channel_needs_attention', {
  id: 'tgt_1',
  name: 'Harbour News',
  channel_name: 'Harbour News',
  platform: 'max',
  code: 'forbidden',
  waiting: 4,
  message: 'The bot may not post there.',
  platform_says: 'chat.denied',
});

describe('what needs attention', () => {
  it('asks about a publication in doubt', () => {
    const doubt = attention('in_doubt', { excerpt: 'Regatta', platform: 'telegram', channel_name: 'Harbour News' });
    expect(say(doubt).title).toBe('Was “Regatta” published on Telegram?');
    expect(say(doubt, 'ru').title).toBe('Вышел ли пост «Regatta» в Telegram?');
    expect(say(attention('in_doubt', { platform: 'vk' })).title).toBe('Was “a post without text” published on VK?');
  });

  it('says why a channel is on hold, how many posts wait, and what to do', () => {
    expect(say(refused)).toEqual({
      title: 'MAX does not allow posts in “Harbour News”.',
      details: '4 posts are waiting and keep their order.',
      reason: 'The bot may not post there.',
    });
    expect(say(refused, 'ru')).toEqual({
      title: 'MAX не разрешает писать в «Harbour News».',
      details: '4 поста ждут, порядок сохранится.',
      reason: 'The bot may not post there.', // the gateway answers in the language of the request
    });
  });

  it('shows the text of the gateway for a kind that the console does not know', () => {
    const unknown = { ...attention('quite_new', { platform: 'vk' }), text: 'Something is new.' };
    expect(say(unknown)).toMatchObject({ title: 'Something is new.', details: '' });
  });

  it("adds the network's words to a refusal that the console does not know", () => {
    const unknown = { ...refused, subject: { ...refused.subject, code: 'quite_new' } };
    expect(say(unknown).title).toBe('MAX rejects posts to “Harbour News”.');
    expect(say(unknown).details).toContain('MAX says: “chat.denied”');
  });

  it('does not take braces in names for slots', () => {
    const name = attention('endpoint_disabled', { id: 'ep_1', name: '{channel}', disabled_by: 'rate_limits' });
    expect(say(name).title).toBe('The endpoint “{channel}” was disabled: too many requests too fast.');
  });

  it('names the owner, and counts, where things of all owners are shown', () => {
    expect(say(refused, 'en', true).title).toBe('Harbour News: MAX does not allow posts in “Harbour News”.');
    expect(say({ ...refused, count: 3 }, 'en', true)).toEqual({
      title: '3 channels are on hold.',
      details: 'Harbour News: MAX does not allow posts in “Harbour News”.',
      reason: null,
    });
    expect(say({ ...refused, count: 3 }, 'ru', true).title).toBe('3 канала остановлены.');
  });

  it('shows the words of the API for a kind that it does not know', () => {
    expect(say(attention('quite_new', {})).title).toBe('As the API says.');
  });

  it.each([
    'projection_stopped',
    'store_unavailable',
    'quota_exhausted',
    'publication_failed',
    'webhook_output_disabled',
  ])('leaves no slot empty in %s', (code) => {
    const subject = {
      id: 'x',
      name: 'audit',
      platform: 'vk',
      excerpt: 'Regatta',
      channel_name: 'News',
      disabled_by: 'failures',
      position: '20851907',
      event_type: 'ChannelSettingsChanged',
      resets_at: '2026-12-01T00:00:00.000Z',
    };
    for (const locale of ['en', 'ru'] as const) {
      const { title, details } = say(attention(code, subject), locale);
      expect(`${title} ${details}`).not.toMatch(/[{}]|undefined|null/);
    }
  });
});

describe('a post that needs approval', () => {
  const item = attention('approval_needed', {
    id: 'post_1',
    post_id: 'post_1',
    excerpt: 'Open letter',
    name: 'Guests',
  });

  it('is named by its text', () => {
    expect(say(item).title).toBe('“Open letter” needs your approval.');
  });

  it('waits for others if the reader may not approve it', () => {
    const named = { mayApprove: false, approvers: 'Anna or Harbour' };
    expect(say(item, 'en', false, named)).toMatchObject({
      title: '“Open letter” is waiting for approval.',
      details: 'Sent through “Guests”. It is published only after approval by Anna or Harbour.',
    });
    expect(say(item, 'ru', false, named)).toMatchObject({
      title: 'Пост «Open letter» ждёт одобрения.',
      details: 'Пришёл через «Guests». Он выйдет только после одобрения. Решает: Anna or Harbour.',
    });
    const unknown = say(item, 'en', false, { mayApprove: false, approvers: null });
    expect(unknown.details).toContain('It is published only after someone who may approve posts approves it.');
  });
});
