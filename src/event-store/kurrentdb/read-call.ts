import type { ClientReadableStream } from '@grpc/grpc-js';
import type { KurrentDBClient } from '@kurrent/kurrentdb-client';
import shared from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/shared_pb.js';
import streamsGrpc from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import protobuf from 'protobufjs/minimal.js';
import type { NewEvent, Position, StoredEvent, TypeFilter } from '../port.js';
import { openGrpcClient, type RenewableClient, reportFailure } from './clients.js';
import { internalsOf, isClientCancellationError } from './library-internals.js';
import { type GrpcCall, openOwnCall, readConnectionOptions } from './own-connection.js';

/**
 * True if parsing the text as JSON and serialising it again yields the same text. The client works with parsed values,
 * but the text must be kept byte for byte, because hashes cover it. Text in `JSON.stringify` form is sent as JSON,
 * which the server's own web pages can display. Any other text is sent unchanged: data as bytes, metadata as a string
 * within JSON, because the client always parses metadata.
 */
const isCanonical = (text: string): boolean => {
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
};

/** Key that holds metadata whose text is not canonical JSON. */
const EXACT_TEXT_KEY = 'exact_text';

const WRAPPED_START = `{"${EXACT_TEXT_KEY}"`;

const isWrapped = (metadata: unknown): metadata is { readonly [EXACT_TEXT_KEY]: string } =>
  typeof metadata === 'object' && metadata !== null && Object.keys(metadata).join() === EXACT_TEXT_KEY;

/** An event as sent to the server: canonical data as JSON, any other data as bytes. `metadata` may be wrapped. */
export interface WireEvent extends Omit<NewEvent, 'isCanonical'> {
  readonly isJson: boolean;
}

/** Converts an event to the form that is sent to the server. */
export const toWireEvent = ({ id, type, data, metadata, isCanonical: isKnown }: NewEvent): WireEvent => {
  if (isKnown) return { id, type, isJson: true, data, metadata };
  const isPlain = isCanonical(metadata) && !(metadata.startsWith(WRAPPED_START) && isWrapped(JSON.parse(metadata)));
  return {
    id,
    type,
    isJson: isCanonical(data),
    data,
    metadata: isPlain ? metadata : JSON.stringify({ [EXACT_TEXT_KEY]: metadata }),
  };
};

/** Returns the metadata of an event exactly as it was appended. */
export const toPlainMetadata = (text: string): string => {
  if (!text.startsWith(WRAPPED_START)) return text;
  try {
    const metadata: unknown = JSON.parse(text);
    return isWrapped(metadata) ? metadata[EXACT_TEXT_KEY] : text;
  } catch {
    return text; // written by another program
  }
};

/** True for one of the server's own events, which $all also contains. */
export const isSystemEvent = ({ stream, type }: Pick<StoredEvent, 'stream' | 'type'>): boolean =>
  type.startsWith('$') || stream.startsWith('$');

/** Reader and writer of protobuf messages. */
export const { Reader, Writer } = protobuf;
export type Writing = ReturnType<typeof Writer.create>;
export type Reading = ReturnType<typeof Reader.create>;

/** Tag of a field that holds bytes, a string or a message. */
export const bytesField = (field: number): number => (field << 3) | 2;

/** Tag of a field that holds a number. */
export const numberField = (field: number): number => field << 3;

/** Reads an embedded message. @param readField returns undefined for a field that it does not read */
export const readFields = (reader: Reading, readField: (tag: number) => unknown): void => {
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (readField(tag) === undefined) reader.skipType(tag & 7);
  }
};

/** Number of low bits of a uint64 that are read as a number: seven groups of seven bits. */
const LOW_BITS = 49n;

/** Reads a uint64. The library's own function returns a number unless the package `long` is installed. */
export const readBigInt = (reader: Reading): bigint => {
  const low = readGroups(reader, 7);
  // The last byte read indicates whether more groups follow.
  if ((reader.buf[reader.pos - 1] ?? 0) < 128) return BigInt(low);
  return (BigInt(readGroups(reader, 3)) << LOW_BITS) | BigInt(low);
};

/** Reads at most the given number of seven-bit groups. */
const readGroups = (reader: Reading, most: number): number => {
  let value = 0;
  let unit = 1;
  for (let group = 0; group < most; group++) {
    const byte = reader.buf[reader.pos++] ?? 0;
    value += (byte & 127) * unit;
    if (byte < 128) break;
    unit *= 128;
  }
  return value;
};

/** Reads a message that holds one string. */
export const readText = (reader: Reading, field: number): string => {
  let text = '';
  readFields(reader, (tag) => (tag === bytesField(field) ? (text = reader.string()) : undefined));
  return text;
};

/** Reads a position. Ordinary appends commit where they were prepared, so one number is the whole position. */
export const readCommitPosition = (reader: Reading): bigint => {
  let position = 0n;
  readFields(reader, (tag) => (tag === numberField(1) ? (position = readBigInt(reader)) : undefined));
  return position;
};

const { Options } = streams.ReadReq;

/** A server message in response to a read or a subscription. */
export type ReadMessage =
  | { readonly kind: 'event'; readonly event: StoredEvent }
  | { readonly kind: 'checkpoint'; readonly position: Position }
  | { readonly kind: 'confirmation' | 'caughtUp' | 'fellBehind' | 'noStream' | 'other' };

export type ReadCall = ClientReadableStream<ReadMessage>;

/** Starting point of a read: the start or the end, regardless of the direction, or a revision or position. */
export type ReadStart = 'start' | 'end' | bigint;

/** Builds a request for up to `count` events of a stream. */
export const requestStream = (
  stream: string,
  from: ReadStart,
  direction: 'forwards' | 'backwards',
  count: number,
): streams.ReadReq => {
  const part = new Options.StreamOptions().setStreamIdentifier(
    new shared.StreamIdentifier().setStreamName(new Uint8Array(Buffer.from(stream))),
  );
  if (from === 'start') part.setStart(new shared.Empty());
  else if (from === 'end') part.setEnd(new shared.Empty());
  else part.setRevision(from.toString());
  return requestEvents(new Options().setStream(part), direction, count);
};

/** Builds a request for up to `count` events of $all. A position is inclusive forwards and exclusive backwards. */
export const requestAll = (from: ReadStart, direction: 'forwards' | 'backwards', count: number): streams.ReadReq =>
  requestEvents(new Options().setAll(partOfAll(from)), direction, count);

/** Builds a request for all existing and future events of $all that follow a position and match a filter. */
export const requestSubscription = (from: ReadStart, filter: TypeFilter): streams.ReadReq => {
  const expression = new Options.FilterOptions.Expression().setRegex(toTypePattern(filter));
  const options = new Options()
    .setAll(partOfAll(from))
    .setSubscription(new Options.SubscriptionOptions())
    .setFilter(
      new Options.FilterOptions()
        .setEventType(expression)
        .setCount(new shared.Empty())
        .setCheckpointintervalmultiplier(1),
    );
  return withTextIds(options);
};

/** Returns a regular expression for the types that a filter selects. It excludes the server's own types. */
const toTypePattern = ({ types, except = [] }: TypeFilter): string => {
  if (types) return `^(?:${types.map(escapeType).join('|')})$`;
  return except.length === 0 ? '^[^$]' : `^(?!\\$)(?!(?:${except.map(escapeType).join('|')})$)`;
};

const escapeType = (type: string): string => type.replaceAll(/[^A-Za-z0-9_]/g, String.raw`\$&`);

const partOfAll = (from: ReadStart): streams.ReadReq.Options.AllOptions => {
  const part = new Options.AllOptions();
  if (from === 'start') return part.setStart(new shared.Empty());
  if (from === 'end') return part.setEnd(new shared.Empty());
  const text = from.toString();
  return part.setPosition(new Options.Position().setCommitPosition(text).setPreparePosition(text));
};

const requestEvents = (
  options: streams.ReadReq.Options,
  direction: 'forwards' | 'backwards',
  count: number,
): streams.ReadReq => {
  const { FORWARDS, BACKWARDS } = Options.ReadDirection;
  options.setReadDirection(direction === 'forwards' ? FORWARDS : BACKWARDS).setNoFilter(new shared.Empty());
  return withTextIds(options.setCount(String(count)));
};

const withTextIds = (options: streams.ReadReq.Options): streams.ReadReq =>
  new streams.ReadReq().setOptions(
    options.setUuidOption(new Options.UUIDOption().setString(new shared.Empty())).setResolveLinks(false),
  );

/**
 * Sends a request over a client's connection, with its credentials. As with the client's own calls, a new connection
 * replaces a lost one, or one to a former leader. The caller must cancel the call unless it has ended. The client's own
 * calls are not used: they convert every event several times (ADR-121), its reads use another connection that is never
 * closed, and cancelling a call closes the connection that all other calls use (ADR-127).
 * @throws the client's errors if it finds no node of the cluster
 */
export const openRead = async (client: KurrentDBClient, request: streams.ReadReq): Promise<ReadCall> => {
  const { path } = streamsGrpc.StreamsService.read;
  const encode = (message: streams.ReadReq): Buffer => Buffer.from(message.serializeBinary());
  const grpc = await openGrpcClient(client);
  const callArguments = internalsOf(client).callArguments({}, { deadline: Infinity });
  const call = grpc.makeServerStreamRequest(path, encode, decodeMessage, request, ...callArguments);
  call.on('error', (error: Error) => {
    if (!isClientCancellationError(error)) reportFailure(client, grpc, error);
  });
  return call;
};

/** Callbacks for a subscription's messages and its end. */
export interface SubscriptionListener {
  readonly onMessage: (message: ReadMessage) => void;
  /** Called once, after the last message. @param error null if the server ended the subscription without an error */
  readonly onEnd: (error: Error | null) => void;
}

/** An open subscription. */
export type Subscription = Pick<GrpcCall, 'pause' | 'resume' | 'cancel'>;

/**
 * Opens a subscription over a separate connection (ADR-200).
 * @throws the client's errors if it finds no node of the cluster, or the node does not respond
 */
export const openSubscription = async (
  clients: RenewableClient,
  timeoutMs: number,
  request: streams.ReadReq,
  { onMessage, onEnd }: SubscriptionListener,
): Promise<Subscription> => {
  const options = readConnectionOptions(clients.connectionString);
  const call = await openOwnCall(clients.getClient(), streamsGrpc.StreamsService.read.path, options, timeoutMs, {
    onMessage: (bytes) => onMessage(decodeMessage(bytes)),
    onDrain: () => undefined,
    onGoAway: () => undefined,
    onEnd,
  });
  call.writeLast(request.serializeBinary());
  return call;
};

const decodeMessage = (bytes: Uint8Array): ReadMessage => {
  const reader = Reader.create(bytes);
  let message: ReadMessage = { kind: 'other' };
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === bytesField(1)) {
      const event = readResolvedEvent(reader);
      if (event) message = { kind: 'event', event };
      continue;
    }
    if (tag === bytesField(3)) {
      message = { kind: 'checkpoint', position: readCommitPosition(reader) };
      continue;
    }
    if (tag === bytesField(2)) message = { kind: 'confirmation' };
    else if (tag === bytesField(4)) message = { kind: 'noStream' };
    else if (tag === bytesField(8)) message = { kind: 'caughtUp' };
    else if (tag === bytesField(9)) message = { kind: 'fellBehind' };
    reader.skipType(tag & 7);
  }
  return message;
};

/** Reads a `ReadEvent` message; returns undefined for a link whose event is missing. */
const readResolvedEvent = (reader: Reading): StoredEvent | undefined => {
  let event: StoredEvent | undefined;
  readFields(reader, (tag) => (tag === bytesField(1) ? (event = readEvent(reader)) : undefined));
  return event;
};

const readEvent = (reader: Reading): StoredEvent => {
  const event = { id: '', type: '', stream: '', revision: 0n, position: 0n, data: '', metadata: '' };
  readFields(reader, (tag) => {
    if (tag === bytesField(1)) return (event.id = readText(reader, 2));
    if (tag === bytesField(2)) return (event.stream = readText(reader, 3));
    if (tag === numberField(3)) return (event.revision = readBigInt(reader));
    if (tag === numberField(5)) return (event.position = readBigInt(reader));
    if (tag === bytesField(6)) return readType(reader, event);
    if (tag === bytesField(7)) return (event.metadata = toPlainMetadata(reader.string()));
    return tag === bytesField(8) ? (event.data = reader.string()) : undefined;
  });
  return event;
};

/** Reads an entry of an event's system metadata; only the type is needed. */
const readType = (reader: Reading, event: { type: string }): true => {
  let key = '';
  readFields(reader, (tag) => {
    if (tag === bytesField(1)) return (key = reader.string());
    return tag === bytesField(2) && key === 'type' ? (event.type = reader.string()) : undefined;
  });
  return true;
};
