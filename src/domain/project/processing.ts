import type { Entity } from '../../payload/payload.js';
import type { Platform } from '../channel/channel.events.js';

/**
 * A filter (D-28): a post passes if no `exclude` filter matches and, if there are any `include` filters, at least one
 * of them matches.
 */
export type Filter = {
  readonly mode: 'include' | 'exclude';
  /** Whole words, case-insensitive. */
  readonly words?: readonly string[];
  /** A regular expression in RE2 syntax. */
  readonly pattern?: string;
  /** All networks if absent. */
  readonly platforms?: readonly Platform[];
};

/**
 * A footer to remove (D-28): everything from its last occurrence to the end of the text is cut. Either `marker` or
 * `pattern` is set.
 */
export type Footer = { readonly marker?: string; readonly pattern?: string };

/** A replacement in the text (D-28). */
export type Replacement = {
  readonly from: string;
  readonly to: string;
  readonly whole_word?: boolean;
  readonly ignore_case?: boolean;
};

/** Translation by a LibreTranslate-compatible service (D-28). */
export type Translation = {
  readonly provider: 'libretranslate';
  readonly url: string;
  /** Id of the encrypted API key (`{ api_key }`); absent if the service needs none. */
  readonly api_key_id?: string;
  /** Language codes; the source may be `auto`. */
  readonly source: string;
  readonly target: string;
  readonly on_failure: 'publish_original' | 'retry';
};

/** A signature below the text, after a blank line (D-28). */
export type Signature = {
  readonly text: string;
  readonly entities?: readonly Entity[];
  readonly platforms?: readonly Platform[];
};

/**
 * How a project's posts are processed, in the order given in D-28. Every step is optional (management-api.md:
 * `processing`).
 */
export type Processing = {
  readonly filters?: readonly Filter[];
  readonly footer?: Footer;
  readonly replacements?: readonly Replacement[];
  readonly translation?: Translation;
  readonly signature?: Signature;
};
