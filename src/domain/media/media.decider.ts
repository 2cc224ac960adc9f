import type { Instant } from '../../kernel/clock.js';
import { assertNever, type Decider } from '../../kernel/events.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { reject } from '../../kernel/result.js';
import type { MediaDeletionReason, MediaEvent, MediaUploaded } from './media.events.js';

export type MediaCommand =
  /** Adds a file, or renews it if its owner has the same content already. */
  | {
      readonly type: 'UploadMedia';
      readonly mediaId: string;
      readonly upload: MediaUploaded['data'];
      /** Name of the file that the store is known to lack; the new one then takes its place. */
      readonly missingFile: string | null;
    }
  /** Notes that a post links to the file. */
  | { readonly type: 'LinkMedia'; readonly mediaId: string; readonly postId: string; readonly at: Instant }
  | {
      readonly type: 'DeleteMedia';
      readonly mediaId: string;
      readonly reason: MediaDeletionReason;
      /** Deletes only if nothing was uploaded or renewed since this time. */
      readonly renewedAt?: Instant;
    };

/** State of an owner's content; null if it was never uploaded. */
export type MediaState =
  | null
  | (MediaUploaded['data'] & {
      /** Time of the latest upload of this content. */
      readonly renewedAt: Instant;
      readonly isLinked: boolean;
      readonly deleted: boolean;
    });

/** An owner's uploaded file. Its id derives from owner and content, so the same content is stored once (D-90). */
export const media: Decider<MediaCommand, MediaState, MediaEvent, 'not_found'> = {
  category: 'media',
  initial: null,

  ownerOf: (state) => state?.ownerId ?? null,

  decide(command, state) {
    const { mediaId } = command;
    switch (command.type) {
      case 'UploadMedia': {
        const { upload, missingFile } = command;
        if (!state || state.deleted) return [{ type: 'MediaUploaded', data: upload }];
        const renewed = { mediaId, ownerId: state.ownerId, renewedAt: upload.uploadedAt };
        const replaces = missingFile !== null && missingFile === state.file;
        return [{ type: 'MediaRenewed', data: replaces ? { ...renewed, file: upload.file } : renewed }];
      }
      case 'LinkMedia': {
        if (!state || state.deleted || state.isLinked) return [];
        const { ownerId } = state;
        return [{ type: 'MediaLinked', data: { mediaId, ownerId, postId: command.postId, linkedAt: command.at } }];
      }
      case 'DeleteMedia': {
        if (!state || state.deleted) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'file' }));
        if (command.renewedAt !== undefined && command.renewedAt !== state.renewedAt) return [];
        const { ownerId, file } = state;
        return [{ type: 'MediaDeleted', data: { mediaId, ownerId, reason: command.reason, file } }];
      }
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'MediaUploaded')
      return { ...event.data, renewedAt: event.data.uploadedAt, isLinked: false, deleted: false };
    if (!state) return state;
    switch (event.type) {
      case 'MediaRenewed': {
        const { renewedAt, file = state.file } = event.data;
        return { ...state, renewedAt, file };
      }
      case 'MediaLinked':
        return { ...state, isLinked: true };
      case 'MediaDeleted':
        return { ...state, deleted: true };
      default:
        return assertNever(event);
    }
  },
};
