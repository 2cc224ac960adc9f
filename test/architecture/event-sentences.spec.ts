import { readFileSync } from 'node:fs';
import { AUDITED_TYPES } from '../../src/projections/audit/audited-types.js';

// Read as text: the console's modules need a browser.
const FILE = new URL('../../console/src/screens/time/event-texts.ts', import.meta.url);

describe('the time machine of the console (ADR-395)', () => {
  it('has a sentence in both languages for every audited type, and for nothing else', () => {
    const lists = [...readFileSync(FILE, 'utf8').matchAll(/^ {4}of: byName\(\{$([^]*?)^ {4}\}\),$/gm)];
    const types = lists.map(([, list]) => [...list!.matchAll(/^ {6}(\w+):/gm)].map(([, type]) => type!).toSorted());
    expect(types).toEqual([AUDITED_TYPES.toSorted(), AUDITED_TYPES.toSorted()]);
  });
});
