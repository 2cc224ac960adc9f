import fc from 'fast-check';
import { type Entity, toEntities } from './entities.js';
import {
  activeTypes,
  type FormattedText,
  leaveQuote,
  lineStarts,
  type MarkType,
  NO_TEXT,
  normalise,
  replaceText,
  setLink,
  toggleMark,
} from './formatted-text.js';

const of = (text: string): FormattedText => ({ text, marks: [] });
/** Formats marks as `bold 0–4`. */
const marksOf = ({ marks }: FormattedText): string[] => marks.map(({ type, start, end }) => `${type} ${start}–${end}`);

describe('typing', () => {
  const bold = toggleMark(of('Dusk over'), 0, 4, 'bold');

  it('goes on with the formatting before the caret', () => {
    expect(marksOf(replaceText(bold, 4, 4, 'y'))).toEqual(['bold 0–5']);
    expect(marksOf(replaceText(bold, 2, 2, '--'))).toEqual(['bold 0–6']);
  });

  it('does not format text in front of a mark', () => {
    expect(marksOf(replaceText(bold, 0, 0, 'The '))).toEqual(['bold 4–8']);
  });

  it('takes a style for the next text, or leaves one out', () => {
    expect(marksOf(replaceText(bold, 4, 4, 'y', { bold: false }))).toEqual(['bold 0–4']);
    expect(marksOf(replaceText(bold, 9, 9, '!', { italic: true, bold: true }))).toEqual([
      'bold 0–4',
      'bold 9–10',
      'italic 9–10',
    ]);
    expect(marksOf(replaceText(NO_TEXT, 0, 0, 'q', { quote: true }))).toEqual(['quote 0–1']);
  });

  it('does not make a link longer', () => {
    const linked = setLink(of('All tables'), 0, 10, 'https://e.com');
    expect(marksOf(replaceText(linked, 10, 10, '!'))).toEqual(['link 0–10']);
    expect(marksOf(replaceText(linked, 3, 3, ' the'))).toEqual(['link 0–14']);
  });
});

describe('deleting and pasting', () => {
  const value = toggleMark(toggleMark(of('one two three'), 4, 7, 'bold'), 0, 13, 'italic');

  it('shortens marks, and drops those of which nothing is left', () => {
    expect(marksOf(replaceText(value, 2, 6, ''))).toEqual(['bold 2–3', 'italic 0–9']);
    expect(marksOf(replaceText(value, 4, 8, ''))).toEqual(['italic 0–9']);
  });

  it('gives text in place of a selection the formatting of its first character', () => {
    expect(marksOf(replaceText(value, 4, 7, 'TWO!'))).toEqual(['bold 4–8', 'italic 0–14']);
    expect(marksOf(replaceText(value, 2, 7, 'x'))).toEqual(['italic 0–9']);
  });

  it('takes plain text, with line feeds as line ends and without half characters', () => {
    expect(replaceText(NO_TEXT, 0, 0, 'a\r\nb\rc \ud83c').text).toBe('a\nb\nc \ufffd');
  });
});

describe('toggling', () => {
  it('formats a range, and takes the formatting away when all of it has it', () => {
    const half = toggleMark(of('abcdef'), 0, 3, 'bold');
    const all = toggleMark(half, 0, 6, 'bold');
    expect([marksOf(half), marksOf(all), marksOf(toggleMark(all, 2, 4, 'bold'))]).toEqual([
      ['bold 0–3'],
      ['bold 0–6'],
      ['bold 0–2', 'bold 4–6'],
    ]);
  });

  it('takes whole characters', () => {
    expect(marksOf(toggleMark(of('a🌅b'), 2, 3, 'bold'))).toEqual(['bold 1–3']);
  });

  it('leaves code without styles and links', () => {
    const linked = setLink(toggleMark(of('abcdef'), 0, 6, 'bold'), 0, 6, 'https://e.com');
    const value = toggleMark(linked, 2, 4, 'code');
    expect(marksOf(value)).toEqual(['bold 0–2', 'bold 4–6', 'link 0–2', 'link 4–6', 'code 2–4']);
    expect(activeTypes(value, 0, 6)).toEqual(new Set(['bold', 'link']));
  });

  it('replaces a link by another', () => {
    const one = setLink(of('abcdef'), 0, 4, 'https://one.example');
    expect(marksOf(setLink(one, 2, 6, 'https://two.example'))).toEqual(['link 2–6']);
    expect(marksOf(setLink(one, 1, 2, null))).toEqual([]);
  });
});

describe('quotes', () => {
  const lines = of('one\ntwo\nthree');
  const two = toggleMark(lines, 5, 6, 'quote');

  it('take whole lines', () => {
    expect(marksOf(two)).toEqual(['quote 4–7']);
    expect(marksOf(toggleMark(two, 0, 2, 'quote'))).toEqual(['quote 0–7']);
    expect(marksOf(toggleMark(toggleMark(two, 0, 2, 'quote'), 1, 1, 'quote'))).toEqual(['quote 4–7']);
  });

  it('follow their first character when lines are joined', () => {
    expect(marksOf(replaceText(two, 7, 8, ''))).toEqual(['quote 4–12']);
    expect(marksOf(replaceText(two, 3, 4, ''))).toEqual([]);
  });

  it('go on to the next line, and end at an empty one', () => {
    const next = replaceText(two, 7, 7, '\n');
    expect(activeTypes(next, 8, 8)).toEqual(new Set(['quote']));
    expect(marksOf(leaveQuote(next, 8) ?? NO_TEXT)).toEqual(['quote 4–7']);
    expect(leaveQuote(two, 5)).toBeNull();
  });
});

const anyText = fc
  .array(fc.constantFrom('a', 'b', ' ', '\n', '🌅', 'ש', 'é'), { maxLength: 14 })
  .map((characters) => characters.join(''));
const anyRange = fc.record({ a: fc.nat(16), b: fc.nat(16) });
const anyType = fc.constantFrom<Exclude<MarkType, 'link'>>('bold', 'italic', 'spoiler', 'code', 'quote');
const anyEdit = fc.oneof(
  fc.record({ range: anyRange, text: anyText, pending: fc.dictionary(anyType, fc.boolean()) }),
  fc.record({ range: anyRange, type: anyType }),
  fc.record({ range: anyRange, url: fc.constantFrom('https://one.example', 'https://two.example', null) }),
);

/** Makes arbitrary edits. A browser never puts the caret inside a character. */
const edit = (edits: readonly (typeof anyEdit extends fc.Arbitrary<infer E> ? E : never)[]): FormattedText =>
  edits.reduce<FormattedText>((value, change) => {
    const places = [...value.text].reduce<number[]>((all, c) => [...all, (all.at(-1) ?? 0) + c.length], [0]);
    const at = (n: number): number => places[Math.min(n, places.length - 1)] ?? 0;
    const [start, end] = [at(Math.min(change.range.a, change.range.b)), at(Math.max(change.range.a, change.range.b))];
    if ('text' in change) return replaceText(value, start, end, change.text, change.pending);
    return 'type' in change ? toggleMark(value, start, end, change.type) : setLink(value, start, end, change.url);
  }, NO_TEXT);

const kindOf = ({ type }: Entity): string =>
  ({ blockquote: 'quote', code: 'verbatim', pre: 'verbatim', text_link: 'label' })[type as string] ?? 'style';
/** Kinds that must not be inside a given kind. */
const BARRED: Readonly<Record<string, readonly string[]>> = {
  verbatim: ['style', 'quote', 'label', 'verbatim'],
  label: ['quote', 'verbatim', 'label'],
  style: ['verbatim'],
  quote: ['quote'],
};
/** True if two entities do not overlap, or nest in an allowed way. */
const mayCoexist = (a: Entity, b: Entity): boolean => {
  const [endA, endB] = [a.offset + a.length, b.offset + b.length];
  if (endA <= b.offset || endB <= a.offset) return true;
  const mayHold = (outer: Entity, inner: Entity): boolean => !BARRED[kindOf(outer)]!.includes(kindOf(inner));
  if (a.offset === b.offset && endA === endB) return mayHold(a, b) || mayHold(b, a);
  if (a.offset <= b.offset && endB <= endA) return mayHold(a, b);
  return b.offset <= a.offset && endA <= endB && mayHold(b, a);
};

describe('any edits', () => {
  const holds = (check: (value: FormattedText) => void): void =>
    fc.assert(
      fc.property(fc.array(anyEdit, { maxLength: 12 }), (edits) => check(edit(edits))),
      {
        numRuns: 500,
        seed: 36,
      },
    );

  it('give entities that the gateway accepts (D-43)', () =>
    holds((value) => {
      const entities = toEntities(value);
      for (const outer of entities)
        for (const inner of entities)
          if (outer !== inner) expect([outer, inner, mayCoexist(outer, inner)]).toEqual([outer, inner, true]);
      for (const { offset, length } of entities) {
        expect(length).toBeGreaterThan(0);
        expect(value.text.slice(offset, offset + length)).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/);
      }
    }));

  it('give a normal text', () =>
    holds((value) => expect(marksOf(normalise(value.text, value.marks))).toEqual(marksOf(value))));

  it('give quotes of whole lines', () =>
    holds(({ text, marks }) => {
      const starts = new Set(lineStarts(text));
      for (const { type, start, end } of marks) {
        if (type !== 'quote') continue;
        expect([starts.has(start), end === text.length || starts.has(end + 1)]).toEqual([true, true]);
      }
    }));

  it('give each character the formatting that the entities have', () =>
    holds((value) => {
      const entities = toEntities(value);
      for (let at = 0; at < value.text.length; at++) {
        if (value.text[at]?.trim() === '') continue; // white space at the end of a quote is cut off
        const marked = value.marks.filter(({ start, end }) => start <= at && at < end).length;
        const shown = entities.filter(({ offset, length }) => offset <= at && at < offset + length).length;
        expect([at, shown]).toEqual([at, marked]);
      }
    }));

  it('change nothing outside the replaced range', () =>
    fc.assert(
      fc.property(fc.array(anyEdit, { maxLength: 6 }), anyText, fc.nat(14), (edits, text, n) => {
        const value = edit(edits);
        const whole = [...value.text].slice(0, n).join('').length;
        const next = replaceText(value, whole, whole, text);
        expect(next.text).toBe(value.text.slice(0, whole) + text + value.text.slice(whole));
        for (const type of ['bold', 'italic', 'spoiler'] as const) {
          const has = ({ marks }: FormattedText, at: number): boolean =>
            marks.some((mark) => mark.type === type && mark.start <= at && at < mark.end);
          for (let at = 0; at < value.text.length; at++) {
            expect(has(next, at < whole ? at : at + text.length)).toBe(has(value, at));
          }
        }
      }),
      { numRuns: 300, seed: 36 },
    ));
});
