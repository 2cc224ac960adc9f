import type { PlatformLimits } from '../platform-catalogue.js';

const MB = 1_048_576;

/** VK's limits (networks.md §1, §3). */
export const VK_LIMITS = {
  /** Maximum length of a wall post (publish-api.md: Limits), in UTF-16 units. */
  text: 15_895,
  /** VK documents no size limit for videos, so the payload's own limit applies. There is no method for audio. */
  media: {
    photo: { maxBytes: 50 * MB, maxSum: 14_000, maxRatio: 20, formats: ['image/jpeg', 'image/png', 'image/gif'] },
    video: { maxBytes: 2_048 * MB, formats: ['video/mp4', 'video/quicktime', 'video/webm'] },
  },
  /** A user token allows 3 calls per second, a community token 20; the two look alike (networks.md §3). */
  pace: {
    perChannel: [{ calls: 1, perMs: 1_000 }],
    perCredential: [{ calls: 3, perMs: 1_000 }],
  },
} as const satisfies PlatformLimits;

/** The network's display name. */
export const TITLE = 'VK';
