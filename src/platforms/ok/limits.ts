import type { PlatformLimits } from '../platform-catalogue.js';

const MB = 1_048_576;

/** OK's limits (networks.md §1). */
export const OK_LIMITS = {
  /** Maximum UTF-16 units of a topic's text, unless the channel sets `text_limit` (D-4). */
  text: 5_000,
  /** OK documents a size limit for videos; for photos, the payload's limit applies. Audio cannot be uploaded. */
  media: {
    photo: { maxBytes: 20 * MB, formats: ['image/jpeg', 'image/png', 'image/gif'] },
    video: { maxBytes: 2_048 * MB, formats: ['video/mp4', 'video/quicktime', 'video/webm'] },
  },
  /** Conservative values, because OK documents no rate limits. */
  pace: {
    perChannel: [{ calls: 1, perMs: 1_000 }],
    perCredential: [{ calls: 5, perMs: 1_000 }],
  },
} as const satisfies PlatformLimits;

/** The network's display name. */
export const TITLE = 'OK';
