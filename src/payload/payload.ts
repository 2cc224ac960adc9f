import type { JsonObject } from '../kernel/ids.js';
import { MAX_URL_LENGTH } from '../outbound-http/url-rules.js';
import { HEAVY_BYTES } from '../validation/json-body.js';
import { JSON_LIMITS } from '../validation/json-scan.js';
import type { Overrides } from './overrides.js';

/** Formatting of a range of text; offset and length in UTF-16 code units (publish-api.md: Publish payload). */
export interface Entity {
  readonly type: EntityType;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
  readonly custom_emoji_id?: string;
}

/** See publish-api.md: Publish payload. */
export const ENTITY_TYPES = [
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'code',
  'pre',
  'blockquote',
  'expandable_blockquote',
  'text_link',
  'mention',
  'url',
  'email',
  'phone_number',
  'hashtag',
  'custom_emoji',
] as const;
/** A formatting type. */
export type EntityType = (typeof ENTITY_TYPES)[number];

/** See publish-api.md: Publish payload. */
export const MEDIA_TYPES = ['photo', 'video', 'audio'] as const;
/** A file at a URL. */
export interface Media {
  readonly type: (typeof MEDIA_TYPES)[number];
  readonly url: string;
}

/** A file as networks receive it. */
export interface LocatedMedium extends Media {
  /** Id of the upload, if it is one; `url` is then its public address. */
  readonly id?: string;
  /** The upload's own file name; null if it has none. */
  readonly filename?: string | null;
  /** True if readers cannot open the upload's address. */
  readonly isPrivate?: boolean;
}

/** An uploaded file, as posts name it (D-90). */
export interface Upload {
  /** Filled in before the post is accepted, if the client left it out. */
  readonly type: Media['type'];
  readonly id: string;
}

/** A file in a post. */
export type PostMedium = Media | Upload;

/** A URL button: `https://` or `tg://`. */
export interface Button {
  readonly text: string;
  readonly url: string;
}

/** A publish payload that passed every check. Absent and empty fields are omitted (D-43). */
export interface PublishPayload {
  readonly text?: string;
  readonly entities?: readonly Entity[];
  readonly media?: readonly PostMedium[];
  readonly buttons?: readonly (readonly Button[])[];
  readonly is_advertisement?: boolean;
  /** True if readers should get no notification. */
  readonly silent?: boolean;
  /** True if the post should be pinned once it is published. */
  readonly pin?: boolean;
  readonly ad_pause_minutes?: number;
  readonly ad_target_pause_minutes?: number;
  readonly targets?: readonly { readonly id: string }[];
  readonly external_id?: string;
  readonly trace_id?: string;
  readonly metadata?: JsonObject;
  /** Content that differs by network or target (D-61). */
  readonly overrides?: Overrides;
  /** RFC 3339 date-time, as it was sent (D-60). */
  readonly publish_at?: string;
}

/**
 * Limits of a payload (publish-api.md: Limits), shown in discovery's capabilities. Text lengths are in UTF-16 units.
 */
export const LIMITS = {
  text: 15_895,
  media: 10,
  buttonRows: 8,
  buttonsPerRow: 8,
  payloadBytes: JSON_LIMITS.bytes,
  pauseMinutes: 1_440,
  keyLength: 128,
  urlLength: MAX_URL_LENGTH,
} as const;

/** Maximum number of characters in a `trace_id`. */
export const TRACE_ID_LENGTH = 1_024;

/** JSON size, in bytes, above which a payload is stored in parts, separately from its event (D-42, ADR-19). */
export const STORED_APART_BYTES = HEAVY_BYTES;
