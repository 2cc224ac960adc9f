import type { Api } from '../../../api/management.js';
import { problemIn, type ProcessingDraft, toBody, toDraft, toDraftProblems } from './draft.js';

const full: Api<'Processing'> = {
  filters: [
    { mode: 'exclude', words: ['advert', 'for sale'], platforms: ['vk'] },
    { mode: 'include', pattern: '(?i)harbour' },
  ],
  footer: { marker: 'Subscribe' },
  replacements: [
    { from: 'FB', to: '', whole_word: true },
    { from: 'a', to: 'b', ignore_case: true },
  ],
  translation: {
    provider: 'libretranslate',
    url: 'https://translate.example',
    source: 'auto',
    target: 'en',
    on_failure: 'retry',
  },
  signature: { text: 'Harbour News', entities: [{ type: 'bold', offset: 0, length: 7 }], platforms: ['telegram'] },
};

const problem = (path: string) => ({ path, code: 'x', message: `${path} is wrong` });

describe('a draft of a processing', () => {
  it('stands for the processing that it was made of', () => {
    expect(toBody(toDraft(full))).toEqual(full);
    expect(toBody(toDraft({}))).toEqual({});
  });

  it('keeps the stored key of the translation unless it is replaced or removed', () => {
    const draft = toDraft(full);
    const withKey = (change: object) =>
      toBody({ ...draft, translation: { ...draft.translation!, ...change } }).translation?.api_key;
    expect([withKey({}), withKey({ apiKey: 'k' }), withKey({ removesKey: true })]).toEqual([undefined, 'k', null]);
  });

  const row = { key: 0, from: '', to: '', wholeWord: true, ignoreCase: false };
  const draft: ProcessingDraft = {
    ...toDraft({}),
    filters: [
      { key: 1, mode: 'exclude', words: ' \n', pattern: '', platforms: [] },
      { key: 2, mode: 'exclude', words: 'one\n\n two ', pattern: '', platforms: [] },
    ],
    replacements: [row, { ...row, key: 3, from: 'x' }, row, { ...row, key: 4, to: 'y' }],
  };

  it('leaves out rows in which nothing is filled in', () =>
    expect(toBody(draft)).toEqual({
      filters: [{ mode: 'exclude', words: ['one', 'two'] }],
      replacements: [
        { from: 'x', to: '', whole_word: true },
        { from: '', to: 'y', whole_word: true },
      ],
    }));

  it('finds the row that a problem is about', () => {
    const problems = toDraftProblems(
      {
        'processing.filters[0].words[1]': problem('processing.filters[0].words[1]'),
        'processing.replacements[1].from': problem('processing.replacements[1].from'),
        processing: problem('processing'),
      },
      draft,
    );
    expect(Object.keys(problems)).toEqual(['filters[1].words[1]', 'replacements[3].from', '']);
    expect(problemIn(problems, 'filters[1].words')?.code).toBe('x');
    expect(problemIn(problems, 'filters[1]')?.code).toBe('x');
    expect(problemIn(problems, 'filters[0]')).toBeUndefined();
    expect(problemIn(problems, 'replacements[3].f')).toBeUndefined();
  });
});
