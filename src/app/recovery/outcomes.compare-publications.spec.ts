import { findUnknown, type PublicationList } from './outcomes.js';

const BOUNDS = { page: 2, enoughKnown: 4 };
const KNOWN = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7'];

/** Compares lists with a store that knows the named publications and those whose ids begin with k. */
const compare = async (lists: readonly PublicationList[], named: readonly string[] = []) => {
  const compared: string[] = [];
  const comparePage = async (ids: readonly string[]) => {
    compared.push(...ids);
    return ids.map((id) => ({ id, isKnown: id.startsWith('k') || named.includes(id) }));
  };
  return { unknown: await findUnknown(lists, comparePage, BOUNDS), compared };
};

describe('publications are compared with a store', () => {
  it('until it knows enough in a row, in a list that has the latest first', async () => {
    expect((await compare([{ ids: KNOWN, mayStop: true }])).compared).toEqual(KNOWN.slice(0, 4));
    const ids = ['k1', 'k2', 'k3', 'new', ...KNOWN];
    expect(await compare([{ ids, mayStop: true }])).toEqual({ unknown: ['new'], compared: ids.slice(0, 8) });
  });

  it('to the end, in a list of any order', async () => {
    expect((await compare([{ ids: KNOWN, mayStop: false }])).compared).toEqual(KNOWN);
  });

  it('from the latest on in each list, however many of the list before it knows', async () => {
    const lists = [
      { ids: KNOWN, mayStop: false },
      { ids: ['new', 'k8', 'k9'], mayStop: true },
    ];
    expect((await compare(lists)).compared).toEqual([...KNOWN, 'new', 'k8', 'k9']);
  });

  it('so that a run that goes on after an interrupted one finds what that has not appended', async () => {
    const lists = [{ ids: ['n8', 'n7', 'n6', 'n5', 'n4', 'n3', 'n2', 'n1', ...KNOWN], mayStop: true }];
    const { unknown } = await compare(lists);
    expect((await compare(lists, unknown.slice(0, 6))).unknown).toEqual(unknown.slice(6));
  });
});
