import { type Instant, iso } from '../../kernel/clock.js';
import {
  assertNever,
  type Catalogue,
  type DomainEvent,
  type ShownAggregate,
  withContent,
} from '../../kernel/events.js';

/** Type of an uploaded file, as in a post's `media[]`. */
export type UploadedType = 'photo' | 'video' | 'audio';

/** What the bytes of an uploaded file show; null where it is unknown. */
export interface UploadedFacts {
  readonly type: UploadedType;
  readonly mime: string;
  /** Usual extension of the format, without a dot: `jpg`. */
  readonly extension: string;
  readonly bytes: number;
  /** SHA-256 of the content, hex. */
  readonly sha256: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSeconds: number | null;
}

/** An owner's file was uploaded: it is durable in the store, which holds the bytes. No event contains them (D-90). */
export type MediaUploaded = DomainEvent<
  'MediaUploaded',
  UploadedFacts & {
    readonly mediaId: string;
    readonly ownerId: string;
    /** Name that the client gave it; null if it gave none. */
    readonly filename: string | null;
    /** Unguessable part of its public address, which posts and webhooks contain. */
    readonly address: string;
    /** Name of the file in the store. */
    readonly file: string;
    readonly uploadedAt: Instant;
  }
>;
/** The same content was uploaded again, which starts the time until it expires again (D-90). */
export type MediaRenewed = DomainEvent<
  'MediaRenewed',
  {
    readonly mediaId: string;
    readonly ownerId: string;
    readonly renewedAt: Instant;
    /** Name of the file in the store, if the former file was missing there. */
    readonly file?: string;
  }
>;
/** A post that is about to be published links to the file, which is then kept until its owner deletes it (D-92). */
export type MediaLinked = DomainEvent<
  'MediaLinked',
  {
    readonly mediaId: string;
    readonly ownerId: string;
    readonly postId: string;
    readonly linkedAt: Instant;
  }
>;
/** Why a file was deleted: at a request, because it expired, or with its owner. */
export type MediaDeletionReason = 'requested' | 'expired' | 'owner_deleted';
/** The file was deleted: no answer shows it, and the store's copy is erased (D-56). */
export type MediaDeleted = DomainEvent<
  'MediaDeleted',
  {
    readonly mediaId: string;
    readonly ownerId: string;
    readonly reason: MediaDeletionReason;
    /** Name of the file in the store. */
    readonly file: string;
  }
>;

/** Events in the stream of an owner's content: after a deletion, the same content may be uploaded again. */
export type MediaEvent = MediaUploaded | MediaRenewed | MediaLinked | MediaDeleted;

export const mediaEvents = {
  MediaUploaded: withContent(['filename']),
  MediaRenewed: { version: 1 },
  MediaLinked: { version: 1 },
  MediaDeleted: { version: 1 },
} satisfies Catalogue & Record<MediaEvent['type'], unknown>;

/** An uploaded file as history shows it. */
export type ShownMedia = {
  readonly id: string;
  readonly owner_id: string;
  readonly type: UploadedType;
  readonly mime: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly filename: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly duration_seconds: number | null;
  readonly created_at: string;
  readonly renewed_at: string | null;
  /** When a published post first linked to it; null if none does. */
  readonly linked_at: string | null;
  readonly deleted_at: string | null;
  readonly deleted_because: MediaDeletionReason | null;
};

/** Folds uploaded files. */
export const shownMedia: ShownAggregate<ShownMedia, MediaEvent> = {
  name: 'media',
  category: 'media',
  version: 1,

  evolve(state, event) {
    if (event.type === 'MediaUploaded') {
      const { mediaId: id, ownerId: owner_id, durationSeconds: duration_seconds, uploadedAt, ...facts } = event.data;
      const { type, mime, bytes, sha256, filename, width, height } = facts;
      const shown = { id, owner_id, type, mime, bytes, sha256, filename, width, height, duration_seconds };
      return {
        ...shown,
        created_at: iso(uploadedAt),
        renewed_at: null,
        linked_at: null,
        deleted_at: null,
        deleted_because: null,
      };
    }
    if (!state) return state;
    switch (event.type) {
      case 'MediaRenewed':
        return { ...state, renewed_at: iso(event.data.renewedAt) };
      case 'MediaLinked':
        return { ...state, linked_at: iso(event.data.linkedAt) };
      case 'MediaDeleted':
        return { ...state, deleted_at: iso(event.at), deleted_because: event.data.reason };
      default:
        return assertNever(event);
    }
  },
};
