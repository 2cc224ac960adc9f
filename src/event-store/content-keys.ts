import { createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { Instant } from '../kernel/clock.js';
import type { StoredEvent } from './port.js';

/** Seals the content of one owner's events in one month (D-100). */
export interface ContentKey {
  readonly id: string;
  /** 32 bytes; as an object, because a cipher starts faster with it. */
  readonly secret: KeyObject;
  /** Computed from the secret, as an input for nonces. */
  readonly salt: string;
}

/** @param bytes 32 bytes */
export const createContentKey = (id: string, bytes: Buffer): ContentKey => ({
  id,
  secret: createSecretKey(bytes),
  salt: hash('sha256', Buffer.concat([Buffer.from('nonce '), bytes]), 'base64'),
});

/** The keys of events' content, which lie outside the log, so that content can be erased. */
export interface ContentKeys {
  /**
   * Returns the key for new events of an owner, durable before any event is sealed with it. Once the owner's content is
   * erased, a key that nothing can open again.
   * @param ownerId empty for events that belong to no owner
   * @throws Unavailable
   */
  obtain(ownerId: string, at: Instant): ContentKey | Promise<ContentKey>;
  /** Returns a key that was loaded before; null if it was erased; undefined if it was not loaded. */
  find(id: string): ContentKey | null | undefined;
  /**
   * Loads keys, and returns them; null for those that were erased.
   * @param used when each key sealed an event, by its id
   * @throws Unavailable if one is missing
   */
  load(used: ReadonlyMap<string, Instant>): Promise<ReadonlyMap<string, ContentKey | null>>;
  /** True if the key was erased after it was loaded. */
  isErased(id: string): boolean;
  /** Drops the keys that any process has erased by now. @throws Unavailable */
  dropErased(): Promise<void>;
}

/**
 * Type of the event that follows an erasure of keys. Each reader drops the erased keys first, so nothing that follows
 * it in the log is opened with them.
 */
export const CONTENT_ERASED = 'OwnerContentErased';

/** UTC month of a time: `2026-11`. */
export const monthOf = (at: Instant): string => new Date(at).toISOString().slice(0, 7);

/** Property of an event that was read: the key of its content, or null once it is erased. */
const KEY = Symbol('content key');

interface KeyedEvent extends StoredEvent {
  [KEY]?: ContentKey | null;
}

/** Remembers the key with which an event's content is opened. */
export const attachKey = (event: KeyedEvent, key: ContentKey | null): void => void (event[KEY] = key);

/** Returns the key that {@link attachKey} remembered. */
export const attachedKey = (event: KeyedEvent): ContentKey | null | undefined => event[KEY];
