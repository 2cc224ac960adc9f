import { createCipheriv, createDecipheriv, hash, type KeyObject } from 'node:crypto';
import type { Instant } from '../kernel/clock.js';
import type { JsonObject } from '../kernel/ids.js';
import { reasonOf } from '../kernel/result.js';
import type { ContentKey } from './content-keys.js';

/**
 * The sealed form of an event's data: the members that hold content are null, and `sealed`, the first member, holds
 * them: the key's id, a dot, and in base64, one after the other, the nonce, the tag and the ciphertext (AES-256-GCM).
 * Hashes and proofs are over this form, so they hold when the key is erased (D-100).
 */
const BEFORE = '{"sealed":"';

/** Name of the sealed member that holds the client's address. No member of an event has this name. */
export const ADDRESS = '$ip';

const ALGORITHM = 'aes-256-gcm';
/** Characters of a nonce of 12 bytes, and of a tag of 16 bytes, in base64. */
const NONCE_CHARS = 16;
const TAG_CHARS = 24;
const TAG = { authTagLength: 16 };

type Data = Readonly<Record<string, unknown>>;

/** Returns the id of the key that sealed an event's data; null if nothing in it is sealed. */
export const keyIdOf = (data: string): string | null => {
  if (!data.startsWith(BEFORE)) return null;
  const end = data.indexOf('.', BEFORE.length);
  return end < 0 ? null : data.slice(BEFORE.length, end);
};

/** Returns the time of a stored event; infinite if its envelope is damaged. */
export const timeOf = ({ metadata }: { readonly metadata: string }): Instant =>
  Number(/"at":(\d+)/.exec(metadata)?.[1] ?? Infinity);

/** Divides the text of data into the sealed content, without the key's id, and the rest, in which the content is null. */
const cutSealed = (data: string, keyId: string): { readonly sealed: string; readonly rest: string } => {
  const from = BEFORE.length + keyId.length + 1;
  const end = data.indexOf('"', from);
  const next = data[end + 1] === ',' ? end + 2 : end + 1;
  return { sealed: data.slice(from, end), rest: `{${data.slice(next)}` };
};

const isObject = (value: unknown): value is Data => typeof value === 'object' && value !== null;

/** The place of a member: its path, and its name, or that of the member that contains it and then its own. */
export type ContentPath = readonly [path: string, name: string, member: string | undefined];

/** Parses paths such as `payload` and `request.ip`. */
export const parsePaths = (paths: readonly string[]): readonly ContentPath[] =>
  paths.map((path) => {
    const [name, member] = path.split('.') as [string, string?];
    return [path, name, member];
  });

/** Divides data into its content, by path, and the rest, in which the content is null. */
export const splitContent = (
  data: unknown,
  paths: readonly ContentPath[],
): { rest: unknown; content: Record<string, unknown> | null } => {
  if (!isObject(data)) return { rest: data, content: null };
  let rest: Record<string, unknown> | null = null;
  let content: Record<string, unknown> | null = null;
  for (const [path, name, member] of paths) {
    const value = data[name];
    const found = member === undefined ? value : isObject(value) ? value[member] : undefined;
    if (found === null || found === undefined) continue;
    rest ??= { ...data };
    (content ??= {})[path] = found;
    rest[name] = member === undefined ? null : { ...(rest[name] as Data), [member]: null };
  }
  return { rest: rest ?? data, content };
};

/** Parses the rest of sealed data, in which the content is null. @throws SyntaxError */
export const parseRest = (data: string, keyId: string): Data => JSON.parse(cutSealed(data, keyId).rest) as Data;

/** Puts content back into the rest, except for the address. */
const joinContent = (rest: Record<string, unknown>, content: Data): void => {
  for (const path in content) {
    const dot = path.indexOf('.');
    if (dot >= 0) (rest[path.slice(0, dot)] as Record<string, unknown>)[path.slice(dot + 1)] = content[path];
    else if (path !== ADDRESS) rest[path] = content[path];
  }
};

/**
 * Returns the text of data whose content is sealed. The nonce derives from the content, so that a repeated append after
 * a crash writes the same bytes, which the hash of the next event covers.
 * @param eventId is authenticated too, so that no event's content can be put into another event
 */
export const sealData = (key: ContentKey, eventId: string, rest: unknown, content: object): string => {
  const { salt, secret } = key;
  // One buffer for the nonce, the authenticated id and the content, because each conversion of a text costs time.
  const bytes = Buffer.from(`${salt}${eventId}${JSON.stringify(content)}`);
  const nonce = hash('sha256', bytes, 'base64').slice(0, NONCE_CHARS);
  const end = salt.length + eventId.length;
  const cipher = createCipheriv(ALGORITHM, secret, Buffer.from(nonce, 'base64'));
  const text = cipher.setAAD(bytes.subarray(salt.length, end)).update(bytes.subarray(end));
  cipher.final();
  const sealed = `${nonce}${cipher.getAuthTag().toString('base64')}${text.toString('base64')}`;
  const open = JSON.stringify(rest);
  return `${BEFORE}${key.id}.${sealed}"${open === '{}' ? '' : ','}${open.slice(1)}`;
};

/**
 * Parses what {@link sealData} has sealed, with its content. Returns the client's address apart from it.
 * @throws SyntaxError if it is damaged, or was not sealed with this key, for this event
 */
export const openData = (
  key: ContentKey,
  eventId: string,
  data: string,
): { readonly data: Data; readonly address: string | null } => {
  const { secret } = key; // may throw, which does not mean damage
  const { sealed, rest } = cutSealed(data, key.id);
  const content = JSON.parse(decipher(secret, eventId, sealed)) as JsonObject;
  const joined = JSON.parse(rest) as Record<string, unknown>;
  joinContent(joined, content);
  return { data: joined, address: (content[ADDRESS] ?? null) as string | null };
};

const decipher = (secret: KeyObject, eventId: string, sealed: string): string => {
  const from = NONCE_CHARS + TAG_CHARS;
  try {
    const opened = createDecipheriv(ALGORITHM, secret, Buffer.from(sealed.slice(0, NONCE_CHARS), 'base64'), TAG)
      .setAAD(Buffer.from(eventId))
      .setAuthTag(Buffer.from(sealed.slice(NONCE_CHARS, from), 'base64'));
    const text = opened.update(sealed.slice(from), 'base64');
    opened.final();
    return text.toString('utf8');
  } catch (cause) {
    throw new SyntaxError(`its content cannot be opened: ${reasonOf(cause)}`, { cause });
  }
};
