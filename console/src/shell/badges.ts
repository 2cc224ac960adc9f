import type { Overview } from '../api/overview.js';

/** Returns how many things need attention, by the screen where they are put right. */
export const countBadges = (overview: Overview | undefined): Readonly<Record<string, number>> => {
  const count = (...codes: readonly string[]): number =>
    (overview?.attention ?? []).filter(({ code }) => codes.includes(code)).reduce((sum, item) => sum + item.count, 0);
  const all = overview?.attention ?? [];
  return {
    // As the heading of the overview counts: things for an owner, kinds of things for the operator of all.
    '/': overview?.owner ? all.reduce((sum, item) => sum + item.count, 0) : all.length,
    '/channels': count('channel_needs_attention'),
    '/endpoints': count('endpoint_disabled'),
    '/outputs': count('webhook_output_disabled'),
    '/projections': count('projection_stopped'),
  };
};
