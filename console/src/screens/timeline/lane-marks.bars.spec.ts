import { barsOf, presentBar } from './lane-marks.js';

const NOW = Date.parse('2026-11-26T12:00:00.000Z');
const at = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString();
const channel = { id: 'tgt_1', status: 'ok' as const, attention: null, paused_until: null };
const span = (kind: string, id: string, from: number, to: number | null) =>
  ({ kind, id, from: at(from), to: to === null ? null : at(to), actor: 'owner:own_1' }) as never;

describe('the bars of a lane', () => {
  it('are the pauses and holds of the channel and of its projects', () => {
    const spans = [
      span('channel_pause', 'tgt_1', -60, -30),
      span('channel_pause', 'tgt_2', -60, -30),
      span('project_pause', 'prj_1', -10, 10),
      span('project_pause', 'prj_2', -10, 10),
      span('endpoint_disabled', 'tgt_1', -10, null),
    ];
    const bars = barsOf(channel, ['prj_1'], spans, NOW);
    expect(bars.map(({ kind }) => kind)).toEqual(['pause', 'project_pause']);
    expect(presentBar(bars, NOW)?.projectId).toBe('prj_1');
  });

  it('take from the channel what the history does not have yet', () => {
    const paused = { ...channel, paused_until: at(30) };
    expect(barsOf(paused, [], [], NOW)).toEqual([
      { kind: 'pause', from: NOW, to: NOW + 30 * 60_000, actor: null, projectId: null },
    ]);
    expect(barsOf(paused, [], [span('channel_pause', 'tgt_1', -5, 30)], NOW)).toHaveLength(1);
    const held = { ...channel, status: 'needs_attention' as const, attention: { since: at(-9) } as never };
    expect(barsOf(held, [], [], NOW)[0]).toMatchObject({ kind: 'hold', from: NOW - 9 * 60_000, to: null });
  });

  it('name first what a person must end', () => {
    const bars = barsOf({ ...channel, status: 'disabled', paused_until: at(30) }, [], [], NOW);
    expect(presentBar(bars, NOW)?.kind).toBe('disabled');
    expect(presentBar(bars, NOW + 1)?.kind).toBe('disabled');
    expect(presentBar([], NOW)).toBeUndefined();
  });
});
