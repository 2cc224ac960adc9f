import { hash } from 'node:crypto';
import type { Catalogue, EventSchema } from '../kernel/catalogue.js';
import type { DomainEvent, Origin, RecordedEvent } from '../kernel/events.js';
import { derivedUuid } from '../kernel/ids.js';
import type { Instant } from '../kernel/instant.js';
import type { NewEvent, StoredEvent } from './port.js';

/** Where in its stream an event is about to stand. */
export interface Place {
  readonly stream: string;
  readonly revision: bigint;
  /** Hash of the stream's event before it; empty for the first. */
  readonly previousHash: string;
}

/** What a command brings along: its id makes the event ids, so that a repeated append is the same append. */
export interface Execution extends Origin {
  readonly commandId: string;
  readonly at: Instant;
}

/** Id of the event that a command writes as its `index`-th (from 0) in a stream: the same command, the same ids. */
export const eventId = (commandId: string, stream: string, index: number): string =>
  derivedUuid(`${commandId}/${stream}/${index}`);

/** An event as it is stored, and the hash that the next one is chained to. */
export interface EncodedEvent {
  readonly event: NewEvent;
  readonly hash: string;
}

/** The envelope as it is written. */
interface Metadata {
  readonly version: number;
  readonly at: Instant;
  readonly actor: string;
  readonly request_id: string;
  readonly causation_id: string;
  readonly correlation_id: string;
  readonly hash: string;
}

/**
 * Between domain events and the store's text: envelope, schema version, upcasting, and the hash chain that lets an
 * auditor prove that nothing was changed.
 */
export class EventCodec {
  private readonly decoded = new WeakMap<StoredEvent, RecordedEvent>();

  private readonly schemas: ReadonlyMap<string, EventSchema>;

  constructor(catalogue: Catalogue) {
    this.schemas = new Map(Object.entries(catalogue));
  }

  /** Every event type that can be decoded. */
  get types(): readonly string[] {
    return [...this.schemas.keys()];
  }

  /** @throws Error for a type that the catalogue does not know. */
  encode(event: DomainEvent, index: number, place: Place, execution: Execution): EncodedEvent {
    const id = eventId(execution.commandId, place.stream, index);
    const data = JSON.stringify(event.data);
    const unsigned = envelopeOf(this.schema(event.type).version, execution);
    const hash = chained(place, id, event.type, unsigned, data);
    const metadata = `${unsigned.slice(0, -1)},"hash":"${hash}"}`;
    return { event: { id, type: event.type, data, metadata }, hash };
  }

  /** What stands round an event's data. */
  envelope({ metadata }: Pick<NewEvent, 'metadata'>): Metadata {
    return JSON.parse(metadata) as Metadata;
  }

  /** As {@link decode}, once for all who are handed the very same event: the log's subscribers. */
  decodeOnce<E extends DomainEvent = DomainEvent>(stored: StoredEvent): RecordedEvent<E> {
    let event = this.decoded.get(stored);
    if (!event) this.decoded.set(stored, (event = this.decode(stored)));
    return event as RecordedEvent<E>;
  }

  /** Decodes at today's version. @throws Error for an unknown type, a newer version, or text that is no JSON. */
  decode<E extends DomainEvent = DomainEvent>(stored: StoredEvent): RecordedEvent<E> {
    const { version, at, actor, request_id, causation_id, correlation_id, hash } = JSON.parse(
      stored.metadata,
    ) as Metadata;
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
      hash,
      data: this.upcast(stored.type, version, JSON.parse(stored.data)),
    };
  }

  /** True where the stored event's hash follows from the one before it and from its own text. */
  verify(stored: StoredEvent, previousHash: string): boolean {
    const { hash, ...unsigned } = JSON.parse(stored.metadata) as Metadata;
    const place = { stream: stored.stream, revision: stored.revision, previousHash };
    return hash === chained(place, stored.id, stored.type, JSON.stringify(unsigned), stored.data);
  }

  private upcast(type: string, version: number, data: unknown): unknown {
    const schema = this.schema(type);
    if (version > schema.version)
      throw new Error(`${type} has version ${version}; this program knows ${schema.version}`);
    let current = data;
    for (let from = version; from < schema.version; from++) {
      const step = schema.upcasters?.[from];
      if (!step) throw new Error(`${type} has no way from version ${from} to ${from + 1}`);
      current = step(current as never);
    }
    return current;
  }

  private schema(type: string) {
    const schema = this.schemas.get(type);
    if (!schema) throw new Error(`unknown event type ${type}`);
    return schema;
  }
}

/** What an event's hash covers of its envelope; the very text that `JSON.stringify` makes of it. */
const envelopeOf = (version: number, { at, actor, requestId, causationId, correlationId }: Execution): string => {
  const request = quoted(requestId);
  const causation = causationId === requestId ? request : quoted(causationId);
  const correlation = correlationId === requestId ? request : quoted(correlationId);
  return `{"version":${version},"at":${at},"actor":${quoted(actor)},"request_id":${request},"causation_id":${causation},"correlation_id":${correlation}}`;
};

/** Text of which JSON needs to escape nothing. */
const PLAIN = /^[ !#-[\]-~]*$/;

const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** SHA-256 over the hash before, the place, the envelope and the data, a line each; none but the last may hold a line feed. */
const chained = (place: Place, id: string, type: string, unsigned: string, data: string): string =>
  hash('sha256', `${place.previousHash}\n${place.stream}\n${place.revision}\n${id}\n${type}\n${unsigned}\n${data}`);
