import type { Media } from '../payload/payload.js';
import type { ConnectedPublisher, MediaLimits, PlatformChannel, PlatformPace, PublisherOptions } from './publisher.js';

/**
 * Everything that generic code knows about a network. A network is one folder below src/platforms; its descriptor is
 * listed in `catalogue.ts`.
 */
export interface PlatformDescriptor {
  /** Identifier in the API, in events and in tables: lower-case letters, digits and hyphens. */
  readonly id: string;
  /** Display name. */
  readonly title: string;
  readonly baseUrl: BaseUrl;
  /** Fields of a channel's credentials, by name, in the order in which they are checked. */
  readonly credentials: Readonly<Record<string, CredentialField>>;
  /** Returns additional public facts about the credentials. They become part of the channel's address. */
  readonly addressOf?: (secret: Readonly<Record<string, string>>) => PlatformChannel['address'];
  /**
   * Settings specific to channels on this network, by name, in addition to the settings that every channel has
   * (management-api.md: settings).
   */
  readonly settings: Readonly<Record<string, SettingField>>;
  readonly limits: PlatformLimits;
  readonly preview: PlatformPreview;
  /** True for the network that carries notices to owners; `notice_chat` holds credentials for it. */
  readonly carriesNotices?: true;
  readonly createPublisher: (options: PublisherOptions) => ConnectedPublisher;
}

/** Location of a network's API (management-api.md: Settings). */
export interface BaseUrl {
  /** Name of the setting that overrides the URL. */
  readonly setting: string;
  /** First path segment after the base URL in a call, for the setting's description. */
  readonly path: string;
  /** The network's own base URL (networks.md §1), without a trailing slash. */
  readonly default: string;
}

/** Rule for one field of a channel's credentials. */
export type CredentialField =
  /** A token or key: visible ASCII, encrypted at rest, never shown. `example` completes "is missing: send …". */
  | { readonly kind: 'secret'; readonly example: string }
  | { readonly kind: 'optional_secret' }
  /**
   * The id of a chat or group, which is public. `inWords` completes "must be …"; `example` completes "is missing: send
   * …".
   */
  | { readonly kind: 'address'; readonly form: RegExp; readonly inWords: string; readonly example: string };

/** Rule for one setting of a channel; `default` applies if the channel does not set it. */
export type SettingField =
  | { readonly kind: 'choice'; readonly values: readonly string[]; readonly default: string }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly default: number };

/** Limits of a network. */
export interface PlatformLimits {
  /** Maximum UTF-16 units of a text without media. */
  readonly text: number;
  /** Maximum UTF-16 units of a text with media, if the network has a separate limit for it. */
  readonly caption?: number;
  /** Limits of one medium, by type. A medium of a type that is not listed becomes a link in the text (D-22). */
  readonly media: Readonly<Partial<Record<Media['type'], MediaLimits>>>;
  readonly pace: PlatformPace;
}

/** How the sandbox previews a network (publish-api.md: POST /v1/sandbox/test). */
export interface PlatformPreview {
  /** True if the sandbox previews the network even if the endpoint has no channel on it (D-4). */
  readonly always: boolean;
  /** Address in previewed calls if the endpoint has no channel on the network. */
  readonly address: PlatformChannel['address'];
}
