import { statesOf, tellChange } from './publications.js';

describe('statesOf', () => {
  const published = { state: 'published', edit: null };
  it.each([
    [
      [published, { state: 'queued', edit: null }],
      ['published', 'queued'],
    ],
    [
      [published, published, { state: 'published', edit: { error: null } }],
      ['3 published', 'editing'],
    ],
    [
      [
        { state: 'published', edit: { error: { code: 'too_old' } } },
        { state: 'queued', edit: { error: null } },
      ],
      ['published', 'queued', 'edit_failed'],
    ],
  ])('of %j are %j', (publications, states) => expect(statesOf({ publications })).toEqual(states));
});

describe('tellChange', () => {
  const error = { code: 'no_right_to_edit', message: 'Give the bot the right to edit.', platform_says: 'Forbidden' };
  it.each([
    ['PostEdited', { revision: 2 }, 'the content is revision 2'],
    ['PublicationEdited', { content: { revision: 2 }, changed: true }, 'readers see revision 2'],
    ['PublicationEdited', { content: { revision: 2 }, changed: false }, 'revision 2 looks the same'],
    [
      'PublicationEditFailed',
      { revision: 3, error },
      'revision 3 is not shown: Give the bot the right to edit. Forbidden',
    ],
    ['PublicationPinned', { messageId: '17' }, 'message 17 is pinned'],
    ['PublicationPinFailed', { error: { message: 'Let the bot pin.' } }, 'not pinned: Let the bot pin.'],
    ['PublicationPublished', { messageIds: ['17'] }, ''],
  ])('says of %s %j: %s', (type, data, text) => expect(tellChange({ type, data })).toBe(text));
});
