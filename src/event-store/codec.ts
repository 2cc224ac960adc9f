import { hash } from 'node:crypto';
import type { Instant } from '../kernel/clock.js';
import {
  type Catalogue,
  type DomainEvent,
  type EventSchema,
  isKeyActor,
  type Origin,
  type RecordedEvent,
} from '../kernel/events.js';
import { deriveUuid } from '../kernel/ids.js';
import {
  ADDRESS,
  type ContentPath,
  keyIdOf,
  openData,
  parsePaths,
  parseRest,
  sealData,
  splitContent,
} from './content.js';
import { attachedKey, type ContentKey, type ContentKeys } from './content-keys.js';
import type { NewEvent, StoredEvent } from './port.js';

/** Error for a stored event that this program cannot read. */
export class UndecodableEvent extends Error {
  override readonly name = 'UndecodableEvent';

  constructor(
    message: string,
    /** True if a newer program wrote the event; the event itself is intact. */
    readonly isNewer: boolean,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** True if the error means that the event's text is damaged, so that no program can read it. */
export const isDamaged = (error: unknown): boolean => error instanceof UndecodableEvent && !error.isNewer;

/** Location of a new event in its stream. */
export interface EventLocation {
  readonly stream: string;
  readonly revision: bigint;
  /** Hash of the stream's previous event; empty for the first one. */
  readonly previousHash: string;
}

/** Context of a command. Event ids are derived from the command id, so that repeating an append is harmless. */
export interface CommandContext extends Origin {
  readonly commandId: string;
  readonly at: Instant;
  /** Owner of the events' content; absent if an event, its aggregate or a resource that it names tells the owner. */
  readonly contentOwner?: string;
}

/** Returns the id of the `index`-th event (from 0) that a command writes in a stream. The id is deterministic. */
export const deriveEventId = (commandId: string, stream: string, index: number): string =>
  deriveUuid(`${commandId}/${stream}/${index}`);

/** An event in its stored form, with the hash that the next event is chained to. */
interface EncodedEvent {
  readonly event: NewEvent;
  readonly hash: string;
}

interface Envelope {
  readonly version: number;
  readonly at: Instant;
  readonly actor: string;
  readonly request_id: string;
  readonly causation_id: string;
  readonly correlation_id: string;
  readonly ip: string | null;
  readonly actor_name?: string;
  readonly hash: string;
}

/**
 * Property of a stored event that caches its decoded form. A WeakMap with thousands of live keys would slow down each
 * garbage collection.
 */
const DECODED = Symbol('decoded');

interface DecodedEvent extends StoredEvent {
  [DECODED]?: RecordedEvent;
}

/**
 * Converts between domain events and the store's text: envelope, schema version, upcasting, sealed content (D-100), and
 * the hash chain that lets an auditor prove that nothing was changed.
 */
export class EventCodec {
  private readonly schemas: ReadonlyMap<string, EventSchema>;
  private readonly paths: ReadonlyMap<string, readonly ContentPath[]>;

  /** @param keys null to write content unsealed, and to read sealed content as if it were erased */
  constructor(
    catalogue: Catalogue,
    readonly keys: ContentKeys | null = null,
  ) {
    this.schemas = new Map(Object.entries(catalogue));
    this.paths = new Map(Object.entries(catalogue).map(([type, { content = [] }]) => [type, parsePaths(content)]));
  }

  /** All event types that can be decoded. */
  get types(): readonly string[] {
    return [...this.schemas.keys()];
  }

  /** True if the events hold something to seal: content, or the address of a client. */
  hasContent(events: readonly DomainEvent[], { clientAddress }: CommandContext): boolean {
    const isFromClient = clientAddress !== null && events.length > 0;
    return isFromClient || events.some(({ type }) => this.schemaOf(type).content !== undefined);
  }

  /**
   * Encodes an event.
   * @param key seals its content; null to leave it open
   * @throws Error if the catalogue does not list its type
   */
  encode(
    event: DomainEvent,
    index: number,
    location: EventLocation,
    context: CommandContext,
    key: ContentKey | null = null,
  ): EncodedEvent {
    const id = deriveEventId(context.commandId, location.stream, index);
    const { version } = this.schemaOf(event.type);
    let data: string | null = null;
    let isAddressSealed = false;
    if (key) {
      const { rest, content } = splitContent(event.data, this.paths.get(event.type)!);
      isAddressSealed = context.clientAddress !== null;
      const sealed = isAddressSealed ? { [ADDRESS]: context.clientAddress, ...content } : content;
      if (sealed !== null) data = sealData(key, id, rest, sealed);
    }
    data ??= JSON.stringify(event.data);
    const unsigned = serializeEnvelope(version, context, isAddressSealed ? null : context.clientAddress);
    const hash = chainHash(location, id, event.type, unsigned, data);
    const metadata = `${unsigned.slice(0, -1)},"hash":"${hash}"}`;
    return { event: { id, type: event.type, data, metadata, isCanonical: true }, hash };
  }

  /** Parses the envelope of a stored event. */
  readEnvelope({ metadata }: Pick<NewEvent, 'metadata'>): Envelope {
    return JSON.parse(metadata) as Envelope;
  }

  /** Decodes like {@link decode}, but only once for all subscribers that receive the same event object. */
  decodeCached<E extends DomainEvent = DomainEvent>(stored: DecodedEvent): RecordedEvent<E> {
    const decoded = stored[DECODED];
    const isCurrent = decoded && (decoded.contentErased || !this.isErased(stored));
    return (isCurrent ? decoded : (stored[DECODED] = this.decode(stored))) as RecordedEvent<E>;
  }

  /** Decodes an event in advance for {@link decodeCached}. Ignores errors, because `decodeCached` throws them. */
  decodeAhead(stored: StoredEvent): void {
    try {
      this.decodeCached(stored);
    } catch {
      return;
    }
  }

  /**
   * Decodes an event at the current schema version.
   * @throws UndecodableEvent for an unknown type, a newer version or invalid JSON
   */
  decode<E extends DomainEvent = DomainEvent>(stored: StoredEvent): RecordedEvent<E> {
    return this.openOrExplain(stored, () => this.parse<E>(stored));
  }

  private openOrExplain<T>(stored: StoredEvent, read: () => T): T {
    try {
      return read();
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      const place = `${stored.stream}@${stored.revision}`;
      throw new UndecodableEvent(`the event at ${place} is damaged: ${cause.message}`, false, { cause });
    }
  }

  private parse<E extends DomainEvent>(stored: StoredEvent): RecordedEvent<E> {
    const { version, at, actor, actor_name, request_id, causation_id, correlation_id, ip, hash } =
      this.readEnvelope(stored);
    const { data, address, isSealed, isErased } = this.openData(stored);
    return {
      stream: stored.stream,
      revision: stored.revision,
      position: stored.position,
      id: stored.id,
      type: stored.type,
      version,
      at,
      actor,
      requestId: request_id,
      causationId: causation_id,
      correlationId: correlation_id,
      clientAddress: address ?? ip,
      ...(actor_name !== undefined && { actorName: actor_name }),
      hash,
      ...(isErased && { contentErased: true }),
      ...(isSealed && { sealedData: stored.data }),
      data: this.upcast(stored.type, version, data),
    };
  }

  /**
   * Parses an event's data, and opens its content.
   * @throws SyntaxError if it is damaged; Error if the content's key was not loaded, or cannot be decrypted
   */
  private openData(stored: StoredEvent): { data: unknown; address: string | null; isSealed?: true; isErased?: true } {
    const id = keyIdOf(stored.data);
    if (id === null) return { data: JSON.parse(stored.data), address: null };
    const key = this.keyOf(stored, id);
    if (!key) return { data: parseRest(stored.data, id), address: null, isSealed: true, isErased: true };
    return { ...openData(key, stored.id, stored.data), isSealed: true };
  }

  /**
   * Returns an event's data with its content, as it was written, and the client's address; null if nothing in it is
   * sealed. @throws as {@link decode}
   */
  open(stored: StoredEvent): { readonly data: unknown; readonly ip: string | null; readonly isErased: boolean } | null {
    const { data, address, isSealed, isErased = false } = this.openOrExplain(stored, () => this.openData(stored));
    return isSealed ? { data, ip: address, isErased } : null;
  }

  /** Returns the key of an event's content; null once it is erased. */
  private keyOf(stored: StoredEvent, id: string): ContentKey | null {
    const { keys } = this;
    if (!keys || keys.isErased(id)) return null;
    const attached = attachedKey(stored);
    const key = attached === undefined ? keys.find(id) : attached;
    if (key === undefined)
      throw new Error(`the key of the content of ${stored.stream}@${stored.revision} is not loaded`);
    return key;
  }

  private isErased({ data }: StoredEvent): boolean {
    const id = this.keys && keyIdOf(data);
    return id !== null && this.keys!.isErased(id);
  }

  /** True if an event's hash matches its own text and the previous event's hash. */
  verifyHash(stored: StoredEvent, previousHash: string): boolean {
    const { hash, ...unsigned } = this.readEnvelope(stored);
    const location = { stream: stored.stream, revision: stored.revision, previousHash };
    return hash === chainHash(location, stored.id, stored.type, JSON.stringify(unsigned), stored.data);
  }

  private upcast(type: string, version: number, data: unknown): unknown {
    const schema = this.schemaOf(type);
    if (version > schema.version)
      throw new UndecodableEvent(
        `${type} has version ${version}, but this program supports at most ${schema.version}`,
        true,
      );
    let current = data;
    for (let from = version; from < schema.version; from++) {
      const step = schema.upcasters?.[from];
      if (!step) throw new Error(`${type} has no upcaster from version ${from} to ${from + 1}`);
      current = step(current as never);
    }
    return current;
  }

  private schemaOf(type: string) {
    const schema = this.schemas.get(type);
    if (!schema) throw new UndecodableEvent(`unknown event type ${type}`, true);
    return schema;
  }
}

/** Serialises the part of an envelope that the hash covers, byte for byte as `JSON.stringify` would. */
const serializeEnvelope = (
  version: number,
  { at, actor, actorName, requestId, causationId, correlationId }: CommandContext,
  clientAddress: string | null,
): string => {
  const request = quoteJson(requestId);
  const causation = causationId === requestId ? request : quoteJson(causationId);
  const correlation = correlationId === requestId ? request : quoteJson(correlationId);
  const ip = clientAddress === null ? 'null' : quoteJson(clientAddress);
  const name = actorName === undefined || !isKeyActor(actor) ? '' : `,"actor_name":${quoteJson(actorName)}`;
  return `{"version":${version},"at":${at},"actor":${quoteJson(actor)},"request_id":${request},"causation_id":${causation},"correlation_id":${correlation},"ip":${ip}${name}}`;
};

const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/;

const quoteJson = (text: string): string => (NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : JSON.stringify(text));

/** Returns the SHA-256 of the values, one per line; only the data, the last value, may span several lines. */
const chainHash = (location: EventLocation, id: string, type: string, unsigned: string, data: string): string =>
  hash(
    'sha256',
    `${location.previousHash}\n${location.stream}\n${location.revision}\n${id}\n${type}\n${unsigned}\n${data}`,
  );
