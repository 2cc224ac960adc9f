import type { MediaEvent } from '../../../src/domain/media/media.events.js';
import type { SamplesOf } from '../samples.js';

const mediaId = 'med_0195931f3c007000a00000000000000a';
const ownerId = 'own_0195931f3c007000a000000000000001';
const file = `${ownerId}/0195931f3c007000a00000000000000b`;
const at = 1_741_953_600_000;

/** Sample events of uploaded files. */
export const media: SamplesOf<MediaEvent> = {
  MediaUploaded: [
    {
      mediaId,
      ownerId,
      type: 'video',
      mime: 'video/mp4',
      extension: 'mp4',
      bytes: 10_485_760,
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      width: 1_920,
      height: 1_080,
      durationSeconds: 61.4,
      filename: 'Праздник 🌷.mp4',
      address: 'kq3vZ0s8tQ2m4y1xN7bRfA',
      file,
      uploadedAt: at,
    },
  ],
  MediaRenewed: [{ mediaId, ownerId, renewedAt: at + 1_000, file: `${ownerId}/0195931f3c007000a00000000000000c` }],
  MediaLinked: [{ mediaId, ownerId, postId: 'post_0195931f3c007000a00000000000000d', linkedAt: at + 2_000 }],
  MediaDeleted: [{ mediaId, ownerId, reason: 'expired', file }],
};
