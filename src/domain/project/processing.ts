import type { Entity } from '../../payload/payload.js';
import type { Platform } from '../channel/channel.events.js';

/** D-28: a post goes on only where no `exclude` matches and, where there are any, an `include` does. */
export type Filter = {
  readonly mode: 'include' | 'exclude';
  /** Whole words, without case. */
  readonly words?: readonly string[];
  /** RE2. */
  readonly pattern?: string;
  /** Absent: on all. */
  readonly platforms?: readonly Platform[];
};

/** D-28: from the last place where it stands, to the end. One of both. */
export type Footer = { readonly marker?: string; readonly pattern?: string };

/** D-28: words that are replaced. */
export type Replacement = {
  readonly from: string;
  readonly to: string;
  readonly whole_word?: boolean;
  readonly ignore_case?: boolean;
};

/** D-28: a LibreTranslate-compatible service. */
export type Translation = {
  readonly provider: 'libretranslate';
  readonly url: string;
  /** Where the sealed API key (`{ api_key }`) lies; absent: the service needs none. */
  readonly api_key_id?: string;
  /** Language codes; the source may be `auto`. */
  readonly source: string;
  readonly target: string;
  readonly on_failure: 'publish_original' | 'retry';
};

/** D-28: what stands below the text, after a blank line. */
export type Signature = {
  readonly text: string;
  readonly entities?: readonly Entity[];
  readonly platforms?: readonly Platform[];
};

/** What a project does to posts on their way, in the order of D-28; every part is optional (management-api.md: `processing`). */
export type Processing = {
  readonly filters?: readonly Filter[];
  readonly footer?: Footer;
  readonly replacements?: readonly Replacement[];
  readonly translation?: Translation;
  readonly signature?: Signature;
};
