import type { PlatformLimits } from '../descriptor.js';

const MB = 1_048_576;

/** Telegram's limits (networks.md §1, §2, §3). */
export const TELEGRAM_LIMITS = {
  /** Safe whether Telegram counts UTF-16 units or code points (networks.md §2). */
  text: 4_096,
  caption: 1_024,
  media: {
    photo: { maxBytes: 10 * MB, maxSum: 10_000, maxRatio: 20, formats: ['image/jpeg', 'image/png'] },
    video: { maxBytes: 50 * MB, formats: ['video/mp4', 'video/quicktime', 'video/webm'] },
    audio: { maxBytes: 50 * MB, formats: ['audio/mpeg', 'audio/mp4', 'audio/ogg'] },
  },
  /** Measured by third parties; a chat and a bot have separate budgets (networks.md §3, D-41). */
  pace: {
    perChannel: [
      { calls: 1, perMs: 1_000 },
      { calls: 20, perMs: 60_000 },
    ],
    perCredential: [{ calls: 30, perMs: 1_000 }],
  },
} as const satisfies PlatformLimits;
