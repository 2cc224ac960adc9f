/** Formatting as readers see it; offset and length in UTF-16 code units. */
export interface LedgerEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly [detail: string]: string | number;
}

/** A button with a link. */
export interface LedgerButton {
  readonly text: string;
  readonly url: string;
}

/**
 * A media file in a message. `file`: name in the stand-in's media folder; null if the medium was given by URL or is too
 * large to store. `hash`: the first 32 hex digits of the SHA-256; null if it was given by URL.
 */
export interface LedgerMedium {
  readonly type: string;
  readonly file: string | null;
  readonly url: string | null;
  readonly mime: string;
  readonly bytes: number;
  readonly name: string;
  readonly hash: string | null;
}

/** One message that readers can see. */
export interface LedgerEntry {
  /** Sequence number from 1, without gaps, in order of acceptance. */
  readonly seq: number;
  /** Time of acceptance: ISO 8601, UTC, milliseconds. */
  readonly at: string;
  readonly platform: string;
  readonly channel: string;
  readonly channel_title: string;
  /** Public name without `@`, if the channel has one. */
  readonly channel_handle: string | null;
  readonly message_id: string;
  /** Id shared by all messages of an album. */
  readonly group_id: string | null;
  readonly reply_to: string | null;
  readonly text: string;
  readonly entities: readonly LedgerEntity[];
  readonly buttons: readonly (readonly LedgerButton[])[];
  readonly media: readonly LedgerMedium[];
  /** SHA-256 (hex) of text, entities, buttons and media: the same for duplicates. */
  readonly content_hash: string;
  readonly call_id: string;
  /** The bot that sent it, on networks where bots do not see each other's messages. */
  readonly sent_by?: string;
}

/** What a message shows. */
export type LedgerContent = Pick<LedgerEntry, 'text' | 'entities' | 'buttons' | 'media'>;

/** Text as readers see it. */
export type FormattedText = Pick<LedgerEntry, 'text' | 'entities'>;

/** The fields of a new message that a network provides; the ledger adds the rest. */
export type NewLedgerEntry = Omit<LedgerEntry, 'seq' | 'at' | 'platform' | 'content_hash'>;
