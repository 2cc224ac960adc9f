import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isKeptForGood, SeenNotes } from './store-records.js';

const note = (position: number, epoch = 'none') => ({
  stream: 'publication-1',
  revision: '0',
  position: String(position),
  id: `e${position}`,
  at: 1_000,
  epoch,
});

describe('notes about the newest seen event', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'crosspost-seen-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('advance, and go back only after a recovery', async () => {
    const notes = new SeenNotes(join(folder, 'new'));
    expect(await notes.read('store')).toBeNull();
    await notes.advance('store', note(10));
    await notes.advance('store', note(9));
    expect(await notes.read('store')).toEqual(note(10));
    await notes.advance('store', note(7, 'r1'));
    expect(await notes.read('store')).toEqual(note(7, 'r1'));
    expect(await notes.read('another')).toBeNull();
  });

  it('count as none if they are damaged', async () => {
    await writeFile(join(folder, 'store.json'), '{"stream": "a"');
    expect(await new SeenNotes(folder).read('store')).toBeNull();
    await writeFile(join(folder, 'store.json'), '{"stream": "a"}');
    expect(await new SeenNotes(folder).read('store')).toBeNull();
  });

  it('name only events that are never deleted', () => {
    expect(['PostAccepted', 'PublicationSucceeded', 'RecoveryStarted'].every(isKeptForGood)).toBe(true);
    expect(['PayloadPartStored', 'RequestsLogged', 'TranslationStored'].some(isKeptForGood)).toBe(false);
  });
});
