import type { Media } from '../payload/payload.js';
import type { ConnectedPublisher, MediaLimits, PlatformChannel, PlatformPace, PublisherOptions } from './publisher.js';

/** Everything that generic code knows about a network. `catalogue.ts` lists the descriptors. */
export interface PlatformDescriptor {
  /** Identifier in the API, in events and in tables: lower-case letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  readonly baseUrl: BaseUrl;
  /** Fields of a channel's credentials, by name, in the order in which they are checked. */
  readonly credentials: Readonly<Record<string, CredentialField>>;
  /** Returns additional public facts about the credentials. They become part of the channel's address. */
  readonly addressOf?: (secret: Readonly<Record<string, string>>) => PlatformChannel['address'];
  /** Settings, by name, in addition to those that every channel has (management-api.md: settings). */
  readonly settings: Readonly<Record<string, SettingField>>;
  readonly limits: PlatformLimits;
  readonly preview: PlatformPreview;
  /** True for the network that carries notices to owners; `notice_chat` holds credentials for it. */
  readonly carriesNotices?: true;
  readonly createPublisher: (options: PublisherOptions) => ConnectedPublisher;
}

/** Location of a network's API (management-api.md: Settings). */
interface BaseUrl {
  /** Name of the setting that overrides the URL. */
  readonly setting: string;
  /** Path segment that follows the base URL in a call; used in the setting's description. */
  readonly path: string;
  /** The network's own URL (networks.md §1), without a trailing slash. */
  readonly default: string;
}

/** Rule for one field of a channel's credentials. */
export type CredentialField =
  /** A token or key: visible ASCII, encrypted at rest, never shown. `example` completes "is missing: send …". */
  | { readonly kind: 'secret'; readonly example: string }
  | { readonly kind: 'optional_secret' }
  /** The public id of a chat or group. `inWords` completes "must be …"; `example` completes "is missing: send …". */
  | { readonly kind: 'address'; readonly form: RegExp; readonly inWords: string; readonly example: string };

/** Rule for one setting of a channel; `default` applies if the channel does not set it. */
export type SettingField =
  | { readonly kind: 'choice'; readonly values: readonly string[]; readonly default: string }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly default: number };

/** Limits of a network. */
export interface PlatformLimits {
  /** Maximum length of text without media, in UTF-16 units. */
  readonly text: number;
  /** Maximum length of text with media, in UTF-16 units; absent if `text` applies. */
  readonly caption?: number;
  /** Limits for one medium, by type. A medium of any other type becomes a link in the text (D-22). */
  readonly media: Readonly<Partial<Record<Media['type'], MediaLimits>>>;
  readonly pace: PlatformPace;
}

/** How the sandbox previews a network (publish-api.md: POST /v1/sandbox/test). */
interface PlatformPreview {
  /** True to preview the network even for an endpoint without a channel on it (D-4). */
  readonly always: boolean;
  /** Address in the calls previewed for an endpoint without a channel. */
  readonly address: PlatformChannel['address'];
}
