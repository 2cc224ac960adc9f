import { groupLanes, selectChannels } from './lane-marks.js';

const channel = (number: number, platform = 'vk') =>
  ({ id: `tgt_${number}`, platform, name: `Channel ${number}`, created_at: `2026-01-0${number % 10}` }) as never;
const project = (id: string, channels: readonly number[]) =>
  ({ id, name: id, channel_ids: channels.map((number) => `tgt_${number}`) }) as never;
const many = Array.from({ length: 9 }, (_, index) => channel(index + 1));
const show = (rows: ReturnType<typeof groupLanes>): string =>
  rows.map((row) => (row.kind === 'group' ? `[${row.name ?? '-'}]` : row.id.slice(4))).join(' ');

describe('the rows of the lanes', () => {
  it('have no groups while there are few channels', () => {
    expect(show(groupLanes([channel(1), channel(2)], [project('a', [1])], ''))).toBe('1 2');
  });

  it('stand below the first of their projects, those without one at the end', () => {
    const projects = [project('a', [2, 1]), project('b', [1, 3]), project('empty', [])];
    expect(show(groupLanes(many, projects, ''))).toBe('[a] 2 1 [b] 3 [-] 4 5 6 7 8 9');
  });

  it('are found by the names of channels and projects', () => {
    expect(show(groupLanes(many, [project('ports', [1, 2])], 'PORT'))).toBe('[ports] 1 2');
    expect(show(groupLanes(many, [project('ports', [1, 2])], 'channel 2'))).toBe('[ports] 2');
  });

  it('are those that the filters leave, by network', () => {
    const channels = [channel(1, 'ok'), channel(2, 'telegram'), channel(3, 'vk')];
    const ids = (filter: object): string =>
      selectChannels(channels, [project('a', [1, 3])], filter)
        .map(({ id }) => id.slice(4))
        .join(' ');
    expect(ids({})).toBe('2 3 1');
    expect(ids({ project: 'a' })).toBe('3 1');
    expect(ids({ platform: 'telegram' })).toBe('2');
  });
});
