import type { JsonObject } from '../kernel/json.js';

/** Formatting of a stretch of text; offset and length in UTF-16 code units (publish-api.md: Publish payload). */
export interface Entity {
  readonly type: EntityType;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
  readonly custom_emoji_id?: string;
}

/** Spec: Publish payload, Entity. */
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
/** Name of a kind of formatting. */
export type EntityType = (typeof ENTITY_TYPES)[number];

/** Spec: Publish payload, Media. */
export const MEDIA_TYPES = ['photo', 'video', 'audio'] as const;
/** A file that a post shows, at the address where it can be fetched. */
export interface Media {
  readonly type: (typeof MEDIA_TYPES)[number];
  readonly url: string;
}

/** A URL button: `https://` or `tg://`. */
export interface Button {
  readonly text: string;
  readonly url: string;
}

/** A publish payload that has passed every check. Absent and empty fields are left out (D-43). */
export interface PublishPayload {
  readonly text?: string;
  readonly entities?: readonly Entity[];
  readonly media?: readonly Media[];
  readonly buttons?: readonly (readonly Button[])[];
  readonly is_advertisement?: boolean;
  readonly ad_pause_minutes?: number;
  readonly ad_target_pause_minutes?: number;
  readonly targets?: readonly { readonly id: string }[];
  readonly external_id?: string;
  readonly trace_id?: string;
  readonly metadata?: JsonObject;
}

/** Spec: Limits, and capabilities.limits of discovery. */
export const LIMITS = {
  text: 15_895,
  media: 10,
  buttonRows: 8,
  buttonsPerRow: 8,
  payloadBytes: 5_242_880,
  pauseMinutes: 1_440,
  keyLength: 128,
  urlLength: 2_048,
} as const;

/** Beyond this much JSON, in bytes, a payload is worked on in turns and stored apart: it must keep nobody waiting. */
export const HEAVY_BYTES = 65_536;

/** One thing that is wrong, where, and what to do (D-6). */
export interface Problem {
  /** `entities[2].offset`; empty for the body as a whole. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
}
