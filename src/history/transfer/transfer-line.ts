import type { EventCodec } from '../../event-store/codec.js';
import type { StoredEvent } from '../../event-store/port.js';
import { iso } from '../../kernel/clock.js';
import type { SealedContentKey } from '../../secrets/content-keys.js';
import { EVENT_ID } from '../read-log.js';
import { type EndedLog, isEndedLog } from '../transparency-log/ended-logs.js';
import { TRANSFER_MESSAGES } from './messages.js';

/** An event with its stream and revision. */
export type PlacedEvent = Omit<StoredEvent, 'position'>;

/** An event as stored, with its index in the transparency log. */
export interface EventLine {
  readonly kind: 'event';
  /** Index of the event's entry in the transparency log; null if the line has none. */
  readonly index: number | null;
  readonly event: PlacedEvent;
  readonly hash: string;
}

/** The entry of an event that retention has removed. */
export interface RemovedLine {
  readonly kind: 'removed';
  readonly index: number | null;
  readonly stream: string;
  readonly revision: bigint;
  readonly hash: string;
  /** Set only on the entry for an ended log: all logs that had ended by the time of the export. */
  readonly ended?: readonly EndedLog[];
}

/** A secret as the vault stores it. */
export interface SecretLine {
  readonly kind: 'secret';
  readonly id: string;
  readonly sealed: Buffer;
}

/** A key of events' content, as the database stores it. */
export interface KeyLine extends SealedContentKey {
  readonly kind: 'key';
}

/** A line of an exported history, or of its keys. `isLast`: no lines follow. */
export type TransferLine = (EventLine | RemovedLine | SecretLine | KeyLine) & { readonly isLast: boolean };

/** Error for a line that cannot belong to an exported history. */
export class MalformedLine extends Error {}

/**
 * Serialises an event (management-api.md: `GET /history/export`). `data` and `metadata` hold the stored JSON verbatim
 * if parsing and re-serialising reproduces it exactly. Otherwise `text` holds it as strings, because the hashes cover
 * the bytes.
 */
export const serializeEvent = (codec: EventCodec, stored: StoredEvent, index: number, hash: string): string => {
  const { stream, id, type, revision, position, data, metadata } = stored;
  const isExact = isCanonical(data) && isCanonical(metadata);
  const place = { stream, revision: Number(revision), position: String(position), index, id, type };
  if (!isExact) return JSON.stringify({ ...place, hash, text: { data, metadata } });
  const { version, at, actor, request_id, causation_id, correlation_id, ip } = codec.readEnvelope(stored);
  const envelope = { version, at: iso(at), actor, request_id, causation_id, correlation_id, ip, hash };
  const head = JSON.stringify({ ...place, ...envelope }).slice(0, -1);
  return `${head},"data":${data},"metadata":${metadata}}`;
};

/** Adds the content of an event to its line, if its data holds it sealed (D-100). @throws UndecodableEvent */
export const addContent = (line: string, codec: EventCodec, stored: StoredEvent): string => {
  const open = codec.open(stored);
  if (!open) return line;
  const { isErased, data, ip } = open;
  const added = JSON.stringify(isErased ? { content_erased: true } : { open: { data, ip } });
  return `${line.slice(0, -1)},${added.slice(1)}`;
};

/**
 * Serialises the entry of a removed event, or of an ended log.
 * @param position position of the preceding event, after which an export can resume
 */
export const serializeRemoved = (
  { stream, revision, hash }: Pick<RemovedLine, 'stream' | 'revision' | 'hash'>,
  index: number,
  position: bigint,
  ended?: readonly EndedLog[],
): string =>
  JSON.stringify({
    position: String(position),
    index,
    stream,
    revision: Number(revision),
    hash,
    ...(ended && { ended }),
  });

/** Serialises a secret. */
export const serializeSecret = ({ id, sealed }: Pick<SecretLine, 'id' | 'sealed'>): string =>
  JSON.stringify({ secret: { id, sealed: sealed.toString('base64') } });

/** Serialises a key of content. */
export const serializeKey = ({ id, ownerId, month, sealed }: SealedContentKey): string =>
  JSON.stringify({ content_key: { id, owner_id: ownerId, month, sealed: sealed?.toString('base64') ?? null } });

/** Marks the last line; without this mark, an export is incomplete. */
export const markLast = (line: string): string => `${line.slice(0, -1)},"last":true}`;

const isCanonical = (text: string): boolean => {
  try {
    return JSON.stringify(JSON.parse(text)) === text && text.startsWith('{');
  } catch {
    return false;
  }
};

/** Parses a line. @throws MalformedLine */
export const parseLine = (text: string): TransferLine => {
  const sent = parseObject(text);
  const isLast = sent.last === true;
  if (sent.secret !== undefined) {
    const { id, sealed } = (sent.secret ?? {}) as Record<string, unknown>;
    if (typeof id !== 'string' || typeof sealed !== 'string') throw new MalformedLine(TRANSFER_MESSAGES.noSecret);
    return { kind: 'secret', id, sealed: Buffer.from(sealed, 'base64'), isLast };
  }
  if (sent.content_key !== undefined) return { ...parseKey(sent.content_key), isLast };
  const { stream, revision, hash, id, type, index = null } = sent;
  const isPlace = typeof stream === 'string' && stream !== '' && !stream.startsWith('$') && isCount(revision);
  if (!isPlace || typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) throw new MalformedLine(NO_EVENT);
  if (index !== null && !isCount(index)) throw new MalformedLine(NO_EVENT);
  const place = { stream, revision: BigInt(revision) };
  if (id === undefined) {
    const ended = Array.isArray(sent.ended) ? sent.ended : [];
    if (!ended.every(isEndedLog)) throw new MalformedLine(NO_EVENT);
    return { kind: 'removed', index, ...place, hash, ended, isLast };
  }
  const { data, metadata } = textOf(sent);
  if (typeof id !== 'string' || !EVENT_ID.test(id) || typeof type !== 'string' || type === '' || type.startsWith('$'))
    throw new MalformedLine(NO_EVENT);
  return { kind: 'event', index, event: { ...place, id, type, data, metadata }, hash, isLast };
};

const parseKey = (sent: unknown): KeyLine => {
  const { id, owner_id: ownerId, month, sealed } = (sent ?? {}) as Record<string, unknown>;
  const isText = [id, ownerId, month].every((each) => typeof each === 'string') && id !== '';
  if (!isText || (sealed !== null && typeof sealed !== 'string')) throw new MalformedLine(TRANSFER_MESSAGES.noKey);
  const key = { id, ownerId, month } as Pick<KeyLine, 'id' | 'ownerId' | 'month'>;
  return { kind: 'key', ...key, sealed: sealed === null ? null : Buffer.from(sealed, 'base64') };
};

const NO_EVENT = TRANSFER_MESSAGES.noEvent;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const textOf = ({ text, data, metadata }: Record<string, unknown>): { data: string; metadata: string } => {
  const exact = (text ?? {}) as Record<string, unknown>;
  if (typeof exact.data === 'string' && typeof exact.metadata === 'string')
    return { data: exact.data, metadata: exact.metadata };
  if (typeof data !== 'object' || data === null || typeof metadata !== 'object' || metadata === null)
    throw new MalformedLine(NO_EVENT);
  return { data: JSON.stringify(data), metadata: JSON.stringify(metadata) };
};

const parseObject = (text: string): Record<string, unknown> => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new MalformedLine(TRANSFER_MESSAGES.noJson, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MalformedLine(TRANSFER_MESSAGES.noJson);
  return value as Record<string, unknown>;
};

/** The history cannot be imported here: the store is not empty, or lines are missing. */
export class ImportRefused extends Error {}
