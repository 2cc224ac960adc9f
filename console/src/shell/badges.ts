import type { Overview } from '../api/overview.js';

/** Returns how many things need attention, by the screen where they are put right. */
export const countBadges = (overview: Overview | undefined): Readonly<Record<string, number>> => {
  const count = (...codes: readonly string[]): number =>
    (overview?.attention ?? []).filter(({ code }) => codes.includes(code)).reduce((sum, item) => sum + item.count, 0);
  return {
    '/': overview?.attention.length ?? 0,
    '/channels': count('channel_needs_attention'),
    '/endpoints': count('endpoint_disabled'),
    '/outputs': count('webhook_output_disabled'),
    '/projections': count('projection_stopped'),
  };
};
