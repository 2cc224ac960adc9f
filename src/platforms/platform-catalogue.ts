import type { Media } from '../payload/payload.js';
import type {
  ConnectedPublisher,
  MediaLimits,
  PlatformChannel,
  PlatformPace,
  Publisher,
  PublisherOptions,
} from './publisher.js';

/** An address that people copy from a browser or an app. */
export interface ChatLink {
  /** In lower case, without `www.` and `m.`. */
  readonly host: string;
  /** Segments of the path, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** Without `#`. */
  readonly fragment: string;
}

/** Longest text that is read as a link. */
const MAX_LENGTH = 2_048;
/** A web address, with or without its scheme. */
const LINK = /^(?:https?:\/\/)?[a-z\d-]+(?:\.[a-z\d-]+)+(?::\d+)?(?:[/?#]|$)/i;

/** Reads a web address, with or without `https://`; undefined for any other text. */
export const parseChatLink = (text: string): ChatLink | undefined => {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH || !LINK.test(trimmed)) return undefined;
  const address = /^https?:/i.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (!URL.canParse(address)) return undefined;
  const { hostname, pathname, searchParams, hash } = new URL(address);
  return {
    host: hostname.replace(/^(?:www|m)\./, ''),
    path: pathname.split('/').filter(Boolean).map(decode),
    query: searchParams,
    fragment: decode(hash.slice(1)),
  };
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not UTF-8
  }
};

/** Format of an identifier, safe in JSON, table rows and HTML attributes. */
const ID = /^[a-z][a-z0-9-]{0,31}$/;

/** The networks of one process. Only the composition root knows which networks it contains. */
export class PlatformCatalogue {
  private readonly byId: ReadonlyMap<string, PlatformDescriptor>;

  /** @throws Error if two networks share an identifier or a base-URL setting, or an identifier is malformed */
  constructor(descriptors: readonly PlatformDescriptor[]) {
    const malformed = descriptors.find(({ id }) => !ID.test(id));
    if (malformed) throw new Error(`malformed network identifier ${JSON.stringify(malformed.id)}`);
    assertDistinct(descriptors.map(({ id }) => id));
    assertDistinct(descriptors.map(({ baseUrl }) => baseUrl.setting));
    this.byId = new Map(descriptors.map((descriptor) => [descriptor.id, descriptor]));
  }

  /** All networks, in display order. */
  get all(): readonly PlatformDescriptor[] {
    return [...this.byId.values()];
  }

  /** Identifiers of all networks, in display order. */
  get ids(): readonly string[] {
    return [...this.byId.keys()];
  }

  /** The network that carries notices to owners; undefined if there is none. */
  get noticeCarrier(): PlatformDescriptor | undefined {
    return this.all.find(({ carriesNotices }) => carriesNotices === true);
  }

  /** Returns undefined for an unknown network. */
  find(id: string): PlatformDescriptor | undefined {
    return this.byId.get(id);
  }

  /** @throws Error for an unknown network */
  get(id: string): PlatformDescriptor {
    const descriptor = this.byId.get(id);
    if (!descriptor) throw new Error(`unknown network ${JSON.stringify(id)}`);
    return descriptor;
  }

  /**
   * Returns the address fields that identify the chat, without other public facts about the credentials. For an unknown
   * network, returns the whole address.
   */
  chatOf(id: string, address: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const credentials = this.find(id)?.credentials;
    if (!credentials) return address;
    return Object.fromEntries(Object.entries(address).filter(([name]) => credentials[name]?.kind === 'address'));
  }

  /**
   * Creates a publisher for each network.
   * @param urls base URLs by identifier; default: the network's own
   * @param countUnknown counts errors that the network's table does not cover
   */
  createPublishers(
    urls: Readonly<Record<string, string>>,
    options: Omit<PublisherOptions, 'apiUrl' | 'countUnknown'> = {},
    countUnknown: (platform: string, code: string) => void = () => undefined,
  ): readonly ConnectedPublisher[] {
    return this.all.map(({ id, baseUrl, createPublisher }) =>
      createPublisher({
        ...options,
        apiUrl: urls[id] ?? baseUrl.default,
        countUnknown: (code) => countUnknown(id, code),
      }),
    );
  }
}

const assertDistinct = (names: readonly string[]): void => {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`two networks share ${repeated}`);
};

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
  | {
      readonly kind: 'address';
      readonly form: RegExp;
      readonly inWords: string;
      readonly example: string;
      /** Returns the id, or the public name as `@name`, in a link to the chat; undefined for a link to no chat. */
      readonly readLink?: (link: ChatLink) => string | undefined;
      /** Public names that the network turns into an id ({@link Publisher.findChat}), such as `@acme_news`. */
      readonly names?: RegExp;
    };

/** Rule for one setting of a channel; `default` applies if the channel does not set it. */
export type SettingField =
  | { readonly kind: 'choice'; readonly values: readonly string[]; readonly default: string }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly default: number };

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

export class Publishers {
  private readonly byPlatform: ReadonlyMap<string, Publisher>;

  constructor(publishers: readonly Publisher[]) {
    this.byPlatform = new Map(publishers.map((publisher) => [publisher.platform, publisher]));
  }

  get platforms(): readonly string[] {
    return [...this.byPlatform.keys()];
  }

  /** @throws Error for a network without a publisher */
  get(platform: string): Publisher {
    const publisher = this.byPlatform.get(platform);
    if (!publisher) throw new Error(`no publisher for ${platform}`);
    return publisher;
  }
}
