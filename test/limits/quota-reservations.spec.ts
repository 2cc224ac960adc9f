import { LimitsDatabase } from './limits-database.js';

let database: LimitsDatabase;
beforeAll(async () => {
  database = await LimitsDatabase.start();
  await database.pool.query(
    `insert into ops_worker (worker_id, lock_key, until) values ('alive', 1, now() + interval '1 hour')`,
  );
});
afterAll(() => database.stop());

const MONTH = '2026-11';
let owners = 0;

/** An owner with a quota of two posts a month. */
const createOwner = () => {
  const owner = `own_quota_${++owners}`;
  const reserve = async (publication: string, worker = 'alive'): Promise<string> => {
    const text = 'select ops_reserve_quota($1, $2, $3, $4, 2) as outcome';
    const { rows } = await database.pool.query<{ outcome: string }>(text, [
      owner,
      `${owner}/${publication}`,
      worker,
      MONTH,
    ]);
    return rows[0]!.outcome;
  };
  /** Sets the state of a publication in the read model. */
  const show = async (publication: string, state: string): Promise<void> => {
    await database.pool.query(
      `insert into posts.publication (publication_id, post_id, owner_id, channel_id, project_id, platform, place, state,
         attempts, message_ids, urls, warnings, duplicates)
       values ($1, 'post_1', $2, 'tgt_1', 'prj_1', 'telegram', 0, $3, '[]', '[]', '[]', '[]', '[]')
       on conflict (publication_id) do update set state = excluded.state`,
      [`${owner}/${publication}`, owner, state],
    );
  };
  const countPublished = (published: number) =>
    database.pool.query(
      `insert into posts.usage (owner_month, owner_id, month, published, last_event) values ($1, $2, $3, $4, '')
       on conflict (owner_month) do update set published = excluded.published`,
      [`${owner}/${MONTH}`, owner, MONTH, published],
    );
  return { reserve, show, countPublished };
};

describe('reservations of the posts of a month (D-18)', () => {
  it('and published posts are together never more than the quota', async () => {
    const { reserve, show, countPublished } = createOwner();
    expect([await reserve('a'), await reserve('b'), await reserve('c')]).toEqual(['taken', 'taken', 'busy']);
    await show('a', 'published');
    await countPublished(1);
    expect(await reserve('c')).toBe('busy');
    await show('b', 'failed');
    expect([await reserve('c'), await reserve('d')]).toEqual(['taken', 'busy']);
    await show('c', 'published');
    await countPublished(2);
    expect(await reserve('d')).toBe('used_up');
  });

  it('are made once for each publication, even by another worker', async () => {
    const { reserve } = createOwner();
    expect([await reserve('a'), await reserve('a'), await reserve('a', 'other')]).toEqual(['taken', 'taken', 'taken']);
    expect(await reserve('b')).toBe('taken');
  });

  it('of a worker that has died count while its attempt is open, because another worker takes it over', async () => {
    const { reserve, show } = createOwner();
    for (const publication of ['a', 'b']) {
      expect(await reserve(publication, 'dead')).toBe('taken');
      await show(publication, 'publishing');
    }
    expect(await reserve('c')).toBe('busy');
    await show('b', 'queued');
    expect([await reserve('c'), await reserve('d')]).toEqual(['taken', 'busy']);
  });

  it('of a worker that has died before its attempt began do not count', async () => {
    const { reserve, show } = createOwner();
    await reserve('a', 'dead');
    await reserve('b', 'dead');
    await show('b', 'queued');
    expect([await reserve('c'), await reserve('d'), await reserve('e')]).toEqual(['taken', 'taken', 'busy']);
  });
});
