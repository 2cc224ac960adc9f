import { createManagement } from '../../../clients/typescript/src/index.js';
import { FIRST_PAGES, OVERVIEW } from './early-calls.js';

it('asks early what the typed client asks later', async () => {
  const asked: string[] = [];
  const client = createManagement({
    url: 'http://gateway',
    key: '',
    fetch: (url) => {
      asked.push(url.replace('http://gateway/manage/v1', ''));
      return Promise.resolve(Response.json({ items: [], next: null }));
    },
  });
  await client.get('/overview', { query: {} });
  for (const path of ['/channels', '/projects', '/endpoints'] as const)
    await client.get(path, { query: { limit: 200 } });
  expect(asked.toSorted()).toEqual([...Object.values(FIRST_PAGES), OVERVIEW].toSorted());
});
