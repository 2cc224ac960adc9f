import { getFormat } from '../i18n/format.js';
import { nameApprovers } from './approvers.js';

const NOW = Date.parse('2026-11-26T11:02:07.000Z');

type Key = Parameters<typeof nameApprovers>[0][number];

const key = (name: string, scopes: Key['scopes'], fields: Partial<Key> = {}): Key => ({
  name,
  scopes,
  endpoint_ids: null,
  expires_at: null,
  is_main: false,
  ...fields,
});

const name = (keys: readonly Key[]): string =>
  nameApprovers([key('', ['manage'], { is_main: true }), ...keys], {
    endpointId: 'ep_1',
    ownerName: 'Harbour',
    now: NOW,
    format: getFormat('en'),
    others: 'others',
  });

describe('the people who may approve a post', () => {
  it('are those whose key allows it, and the owner', () => {
    expect(name([])).toBe('Harbour');
    expect(name([key('Boris', ['manage']), key('Clara', ['post']), key('Anna', ['approve'])])).toBe(
      'Anna, Boris or Harbour',
    );
    expect(name([key('Anna', ['approve']), key('Anna', ['post', 'approve'])])).toBe('Anna or Harbour');
  });

  it('are not those whose key has expired or is for other endpoints', () => {
    const past = key('Anna', ['approve'], { expires_at: '2026-11-26T11:00:00.000Z' });
    const elsewhere = key('Boris', ['approve'], { endpoint_ids: ['ep_2'] });
    const here = key('Clara', ['approve'], { endpoint_ids: ['ep_1'], expires_at: '2026-11-27T11:00:00.000Z' });
    expect(name([past, elsewhere, here])).toBe('Clara or Harbour');
  });

  it('are not all named if there are many', () => {
    expect(name(['Anna', 'Boris', 'Clara', 'Dina'].map((each) => key(each, ['approve'])))).toBe(
      'Anna, Boris, Clara or others',
    );
  });
});
