import { cellsOf, columnsOf, initialsOf, mainPublication } from './columns.js';

const channel = (id: string, platform: string) => ({ id, platform, name: 'Harbour News' }) as never;
const publication = (target: string, platform: string, state: string, rule?: string) =>
  ({ target_id: target, platform, state, waiting_for: rule ? { rule } : null }) as never;

describe('the columns of the list of posts', () => {
  it('are the channels while there are few', () => {
    const columns = columnsOf([channel('tgt_1', 'vk'), channel('tgt_2', 'ok')]);
    expect(columns.map(({ key, initials }) => `${key} ${initials}`)).toEqual(['tgt_1 HN', 'tgt_2 HN']);
    const post = { publications: [publication('tgt_2', 'ok', 'published')] } as never;
    expect(cellsOf(post, columns)).toEqual([null, { state: 'published', count: 1 }]);
  });

  it('are the networks, with the worst state, when there are many channels', () => {
    const channels = Array.from({ length: 9 }, (_, index) => channel(`tgt_${index}`, index < 5 ? 'vk' : 'max'));
    const columns = columnsOf(channels);
    expect(columns.map(({ key }) => key)).toEqual(['vk', 'max']);
    const post = {
      publications: [
        publication('tgt_0', 'vk', 'published'),
        publication('tgt_1', 'vk', 'queued', 'channel_pause'),
        publication('tgt_2', 'vk', 'queued', 'channel_pause'),
      ],
    } as never;
    expect(cellsOf(post, columns)).toEqual([{ state: 'paused', count: 2 }, null]);
  });

  it('have initials of any writing', () => {
    expect(initialsOf('Tide Tables')).toBe('TT');
    expect(initialsOf('новости')).toBe('НО');
    expect(initialsOf('😀 — ')).toBe('');
  });

  it('leave the most urgent publication to be spoken of', () => {
    const waiting = publication('tgt_1', 'vk', 'queued', 'platform_limit');
    const inDoubt = publication('tgt_2', 'ok', 'in_doubt');
    expect(mainPublication([waiting, inDoubt])).toBe(inDoubt);
    expect(mainPublication([publication('tgt_1', 'vk', 'published')])).toBeNull();
    const [kept, failed] = [publication('tgt_1', 'vk', 'withdrawn'), publication('tgt_2', 'ok', 'withdraw_failed')];
    expect([mainPublication([kept]), mainPublication([kept, failed])]).toEqual([null, failed]);
  });
});
