import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { POOL } from '../postgres/tokens.js';
import { readActiveKey, readFormerKeys } from './database-keys.js';
import { findSessionsWithoutKey, KeyRing, type SecretsKey } from './key-ring.js';
import { countSecrets } from './reseal-job.js';

/** The keys that the database needs, the keys that this process has, and how many secrets they seal. */
export interface KeyStatusReport {
  /** SECRETS_KEY of this process. */
  readonly configured: SecretsKey;
  /** The key that seals new secrets. */
  readonly active: SecretsKey;
  /** SECRETS_KEY_PREVIOUS of this process. */
  readonly previous: readonly SecretsKey[];
  /** Ids of former keys that values may still need. */
  readonly needed: readonly string[];
  readonly secrets: number;
  /** Number of secrets that are not sealed with SECRETS_KEY. */
  readonly sealedOtherwise: number;
}

/** Reads the progress of replacing SECRETS_KEY. */
@Injectable()
export class KeyStatus {
  constructor(
    @Inject(POOL) private readonly pool: Pick<Pool, 'query'>,
    private readonly ring: KeyRing,
  ) {}

  async read(): Promise<KeyStatusReport> {
    const configured = this.ring.first;
    const { all, sealedOtherwise } = await countSecrets(this.pool, configured);
    return {
      configured,
      active: await readActiveKey(this.pool, this.ring),
      previous: this.ring.keys.slice(1),
      needed: await readFormerKeys(this.pool),
      secrets: all,
      sealedOtherwise,
    };
  }

  /** Returns the database sessions of processes that do not have a key. */
  findSessionsWithout(key: SecretsKey): Promise<readonly string[]> {
    return findSessionsWithoutKey(this.pool, key);
  }
}
