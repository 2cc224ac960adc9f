import { createPrivateKey, createPublicKey, hash, hkdfSync, type KeyObject, sign, verify } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreNotes } from '../../event-store/port.js';
import type { JsonObject } from '../../kernel/ids.js';
import type { EndedLog } from './ended-logs.js';

/** First bytes of an Ed25519 private key in PKCS #8; its seed follows (RFC 8410). */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');
/** Signature type of Ed25519 in signed notes. */
const ED25519 = Buffer.from([1]);
const KEY_ID_BYTES = 4;

/** Derives the seed for a log's key from the first log's seed. @param suffix of the origin; empty for the first log */
export const deriveKeyOfLog = (key: Buffer, suffix: string): Buffer =>
  suffix === '' ? key : Buffer.from(hkdfSync('sha256', key, '', `crosspost history log ${suffix}`, 32));

/** The state of the log that a checkpoint describes. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

/** Signs checkpoints as notes with Ed25519 (C2SP signed-note, tlog-checkpoint). */
export class CheckpointSigner {
  /** Public key for verification: `<name>+<key ID>+<key>`. */
  readonly vkey: string;
  private readonly privateKey: KeyObject;
  private readonly keyId: Buffer;

  /** @param origin name of the log and of the key @param seed 32 bytes */
  constructor(
    readonly origin: string,
    seed: Buffer,
  ) {
    this.privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, seed]), format: 'der', type: 'pkcs8' });
    const publicKey = createPublicKey(this.privateKey);
    const key = Buffer.concat([ED25519, Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')]);
    this.keyId = hash('sha256', Buffer.concat([Buffer.from(`${origin}\n`), key]), 'buffer').subarray(0, KEY_ID_BYTES);
    this.vkey = `${origin}+${this.keyId.toString('hex')}+${key.toString('base64')}`;
  }

  /** Returns the signed checkpoint of a tree. @param extension additional lines (C2SP tlog-checkpoint) */
  sign(size: number, root: Buffer, extension: readonly string[] = []): string {
    const lines = [this.origin, String(size), root.toString('base64'), ...extension];
    const text = `${lines.join('\n')}\n`;
    const signature = Buffer.concat([this.keyId, sign(null, Buffer.from(text), this.privateKey)]);
    return `${text}\n\u2014 ${this.origin} ${signature.toString('base64')}\n`;
  }
}

const NOTE = /^((\S+)\n(0|[1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\n(?:[^\n]+\n)*)\n((?:\u2014 [^\n]+\n)+)$/;

/** Parses a checkpoint without verifying its signature. Returns null for text in any other form. */
export const parseCheckpoint = (note: string): Checkpoint | null => {
  const [, , origin, size, root] = (NOTE.exec(note) ?? []) as readonly string[];
  return origin === undefined ? null : { origin, size: Number(size), root: Buffer.from(root!, 'base64') };
};

/** Parses a checkpoint and verifies it. Returns null unless it is well-formed and validly signed by the key `vkey`. */
export const openCheckpoint = (note: string, vkey: string): Checkpoint | null => {
  const form = NOTE.exec(note);
  const [name, keyId, key] = splitVerifierKey(vkey);
  if (!form) return null;
  const [, text, origin, size, root, signatures] = form as unknown as [string, ...string[]];
  if (origin !== name) return null;
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: key.subarray(ED25519.length).toString('base64url') },
    format: 'jwk',
  });
  const isSigned = signatures!
    .split('\n')
    .filter((line) => line.startsWith(`\u2014 ${name} `))
    .map((line) => Buffer.from(line.slice(line.lastIndexOf(' ') + 1), 'base64'))
    .some(
      (signature) =>
        signature.subarray(0, KEY_ID_BYTES).equals(keyId) &&
        verify(null, Buffer.from(text!), publicKey, signature.subarray(KEY_ID_BYTES)),
    );
  return isSigned ? { origin, size: Number(size), root: Buffer.from(root!, 'base64') } : null;
};

/** Splits `<name>+<key ID>+<key>`; the key in base64 may contain a `+`, the name may not. */
const splitVerifierKey = (vkey: string): [name: string, keyId: Buffer, key: Buffer] => {
  const [name = '', keyId = '', ...key] = vkey.split('+');
  return [name, Buffer.from(keyId, 'hex'), Buffer.from(key.join('+'), 'base64')];
};

/** The newest published checkpoint of the log, kept outside the database (ADR-213). */
export interface PublishedCheckpoint extends JsonObject {
  readonly suffix: string;
  readonly vkey: string;
  readonly checkpoint: string;
  /** Position of the last event that it covers. */
  readonly position: string;
  /** Logs that had ended by then. */
  readonly ended: readonly EndedLog[];
}

const NOTE_NAME = 'history-checkpoint';

/**
 * Keeps the newest published checkpoint where restoring the database cannot undo it: in a file below DATA_DIR and, if
 * the event store is a separate server, in the event store.
 */
export class PublishedCheckpoints {
  constructor(
    private readonly notes: StoreNotes | null,
    /** Folder for the file; the file is named after the event store. */
    private readonly folder: string,
    private readonly storeId: () => string | null,
  ) {}

  /** Returns the newest checkpoint; null if none is known. @throws Unavailable */
  async read(): Promise<PublishedCheckpoint | null> {
    const [noted, kept] = await Promise.all([this.notes?.readNote(NOTE_NAME), this.readFile()]);
    return newerOf(asPublished(noted), asPublished(kept));
  }

  /** Writes a checkpoint. Readers may see it once this resolves; disk errors are ignored. @throws Unavailable */
  async announce(published: PublishedCheckpoint): Promise<void> {
    await Promise.all([this.notes?.writeNote(NOTE_NAME, published), this.writeFile(published)]);
  }

  private async writeFile(published: PublishedCheckpoint): Promise<void> {
    const file = this.file();
    if (file === null) return;
    try {
      await mkdir(this.folder, { recursive: true });
      await writeFile(`${file}.new`, JSON.stringify(published));
      await rename(`${file}.new`, file);
    } catch {
      // The file is a second copy: the database has the checkpoint.
    }
  }

  private async readFile(): Promise<unknown> {
    const file = this.file();
    return file === null
      ? null
      : readFile(file, 'utf8')
          .then(JSON.parse)
          .catch(() => null);
  }

  private file(): string | null {
    const id = this.storeId();
    return id === null ? null : join(this.folder, `${id}.json`);
  }
}

const asPublished = (value: unknown): PublishedCheckpoint | null => {
  const { checkpoint, vkey, suffix, position, ended } = (value ?? {}) as Partial<PublishedCheckpoint>;
  const isOne = [checkpoint, vkey, suffix, position].every((text) => typeof text === 'string') && Array.isArray(ended);
  return isOne && parseCheckpoint(checkpoint!) ? (value as PublishedCheckpoint) : null;
};

const newerOf = (a: PublishedCheckpoint | null, b: PublishedCheckpoint | null): PublishedCheckpoint | null => {
  if (!a || !b) return a ?? b;
  if (a.suffix !== b.suffix) return a.ended.some(({ suffix }) => suffix === b.suffix) ? a : b;
  return parseCheckpoint(a.checkpoint)!.size >= parseCheckpoint(b.checkpoint)!.size ? a : b;
};
