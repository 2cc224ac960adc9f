import type { Overview } from '../api/overview.js';

/** Returns how many things need attention, by the screen where they can be fixed. */
export const countBadges = (overview: Overview | undefined): Readonly<Record<string, number>> => {
  const count = (...codes: readonly string[]): number =>
    (overview?.attention ?? []).filter(({ code }) => codes.includes(code)).reduce((sum, item) => sum + item.count, 0);
  const all = overview?.attention ?? [];
  return {
    // Counted as in the overview's heading: each problem if one owner is shown, types of problems if all owners are.
    '/': overview?.owner ? all.reduce((sum, item) => sum + item.count, 0) : all.length,
    '/plan': count('approval_needed'),
    '/channels': count('channel_needs_attention'),
    '/endpoints': count('endpoint_disabled'),
    '/outputs': count('webhook_output_disabled'),
    '/projections': count('projection_stopped'),
  };
};
