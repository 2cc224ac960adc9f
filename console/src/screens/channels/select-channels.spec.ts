import type { Api } from '../../api/management.js';
import type { Channel } from '../../channels/channel-state.js';
import { groupProjects, selectChannels } from './select-channels.js';

const channel = (id: string, name: string, platform: string, more: Partial<Channel> = {}): Channel => ({
  id,
  name,
  platform,
  owner_id: 'own_1',
  address: { chat_id: `@${id}` },
  settings: {},
  status: 'ok',
  attention: null,
  paused_until: null,
  pause_source: null,
  waiting: 0,
  last_published_at: null,
  created_at: '2026-01-01T00:00:00.000Z',
  ...more,
});
const project = (name: string, ids: readonly string[]): Api<'Project'> => ({
  id: `prj_${name}`,
  owner_id: 'own_1',
  name,
  channel_ids: ids,
  processing: {},
  paused_until: null,
  created_at: '2026-01-01T00:00:00.000Z',
});

const channels = [
  channel('a', 'News 10', 'vk'),
  channel('b', 'News 2', 'ok'),
  channel('c', 'News 2', 'telegram', { paused_until: '2026-01-02T00:00:00.000Z' }),
  channel('d', 'Zebra', 'max', { status: 'needs_attention' }),
  channel('e', 'Kids', 'max', { status: 'disabled' }),
];
const projects = groupProjects([project('Everywhere', ['a', 'd']), project('Local', ['a'])]);
const select = (search: Parameters<typeof selectChannels>[2]) =>
  selectChannels(channels, projects, search).map(({ id }) => id);

describe('selectChannels', () => {
  it('begins with those on hold, then goes by name and network', () =>
    expect(select({})).toEqual(['d', 'e', 'c', 'b', 'a']));

  it('takes a state and a network', () =>
    expect([select({ state: 'paused' }), select({ state: 'active' }), select({ network: 'max' })]).toEqual([
      ['c'],
      ['b', 'a'],
      ['d', 'e'],
    ]));

  it('finds words of names, chats and projects', () =>
    expect([
      select({ find: 'news 2' }),
      select({ find: '@e' }),
      select({ find: 'EVERYWHERE' }),
      select({ find: 'local zebra' }),
    ]).toEqual([['c', 'b'], ['e'], ['d', 'a'], []]));
});

describe('groupProjects', () => {
  it('lists the projects of each channel', () =>
    expect(projects.get('a')?.map(({ name }) => name)).toEqual(['Everywhere', 'Local']));
});
