import type { PlatformLimits } from '../descriptor.js';

const MB = 1_048_576;

/** MAX's limits (networks.md §1, §2, §3). */
export const MAX_LIMITS = {
  /** Limit of the `text` field, in UTF-16 units; it is unknown whether tags count (networks.md §2). */
  text: 4_000,
  media: {
    photo: { maxBytes: 50 * MB, maxSide: 7_680, formats: ['image/jpeg', 'image/png', 'image/gif'] },
    video: { maxBytes: 250 * MB, formats: ['video/mp4', 'video/quicktime', 'video/webm'] },
    audio: { maxBytes: 256 * MB, formats: ['audio/mpeg', 'audio/mp4', 'audio/ogg'] },
  },
  pace: {
    perChannel: [{ calls: 2, perMs: 1_000 }],
    perCredential: [{ calls: 30, perMs: 1_000 }],
  },
} as const satisfies PlatformLimits;
