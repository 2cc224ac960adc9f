import { describeUnknownField, findUnknownFields } from './unknown-fields.js';

const found = (sent: unknown, limit = 50) =>
  findUnknownFields(sent, limit).map(({ path, nearest }) => `${path} ${nearest}`);

describe('findUnknownFields (D-49)', () => {
  it.each([
    ['medai', 'media'],
    ['txt', 'text'],
    ['Text', 'text'],
    ['ad_pause_minuts', 'ad_pause_minutes'],
    ['ad_target_pause_minute', 'ad_target_pause_minutes'],
    ['externalId', 'external_id'],
    ['button', 'buttons'],
    ['is_ad', 'is_advertisement'],
    ['text_html', 'text'],
    ['parse_mode', null],
    ['x', null],
    ['', null],
  ])('names the known field that is nearest to "%s": %s', (name, nearest) => {
    expect(findUnknownFields({ [name]: 1 }, 50).map((field) => field.nearest)).toEqual([nearest]);
  });

  it('looks into entities, media, buttons and targets, and not into metadata or other fields', () => {
    const sent = {
      text: 'a',
      metadata: { medai: 1 },
      extra: { medai: 1 },
      entities: [{ type: 'bold', offset: 0, lenght: 1 }],
      media: [{}, { type: 'photo', ulr: 'x', 'caption of it': 1 }],
      buttons: [[], [{ text: 'a', link: 'x' }]],
      targets: ['tgt_a', { target_id: 'tgt_a' }],
    };
    expect(found(sent)).toEqual([
      'extra null',
      'entities[0].lenght length',
      'media[1].ulr url',
      'media[1]["caption of it"] null',
      'buttons[1][0].link null',
      'targets[1].target_id null',
    ]);
  });

  it.each([null, 'text', 5, [], [{ medai: 1 }], { entities: 5, media: [null, 'a'], buttons: { medai: 1 } }])(
    'finds none in %j',
    (sent) => expect(found(sent)).toEqual([]),
  );

  it('stops at the limit', () => {
    const entities = Array.from({ length: 1_000 }, () => ({ tpye: 'bold', lenght: 1 }));
    expect(found({ entities }, 3)).toEqual([
      'entities[0].tpye type',
      'entities[0].lenght length',
      'entities[1].tpye type',
    ]);
  });

  it('is described with the nearest field, or with all', () => {
    const describeFields = (sent: object) => findUnknownFields(sent, 50).map(describeUnknownField);
    expect(describeFields({ medai: 1 })).toEqual([
      'medai is not a field, and publishing ignores it: did you mean media?',
    ]);
    expect(describeFields({ media: [{ x: 1 }] })).toEqual([
      'media[0].x is not a field, and publishing ignores it: the fields here are type, url, id',
    ]);
  });
});
