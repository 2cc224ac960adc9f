import type { PlatformDescriptor } from './descriptor.js';
import type { ConnectedPublisher, PublisherOptions } from './publisher.js';

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
