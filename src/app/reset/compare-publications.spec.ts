import { comparePublications, type PublicationList } from './compare-publications.js';

const BOUNDS = { page: 2, enoughKnown: 4 };
const KNOWN = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7'];

/** Compares lists with a store that knows the publications whose ids begin with k. Returns the ids that were compared. */
const compare = async (...lists: readonly PublicationList[]): Promise<readonly string[]> => {
  const compared: string[] = [];
  const comparePage = async (ids: readonly string[]) => {
    compared.push(...ids);
    return ids.map((id) => id.startsWith('k'));
  };
  await comparePublications(lists, comparePage, BOUNDS);
  return compared;
};

describe('publications are compared with a store', () => {
  it('until it knows enough in a row, in a list that has the latest first', async () => {
    expect(await compare({ ids: KNOWN, mayStop: true })).toEqual(KNOWN.slice(0, 4));
    const ids = ['k1', 'k2', 'k3', 'new', ...KNOWN];
    expect(await compare({ ids, mayStop: true })).toEqual(ids.slice(0, 8));
  });

  it('to the end, in a list of any order', async () => {
    expect(await compare({ ids: KNOWN, mayStop: false })).toEqual(KNOWN);
  });

  it('from the latest on in each list, however many of the list before it knows', async () => {
    const latest = ['new', 'k8', 'k9'];
    expect(await compare({ ids: KNOWN, mayStop: false }, { ids: latest, mayStop: true })).toEqual([
      ...KNOWN,
      ...latest,
    ]);
  });
});
