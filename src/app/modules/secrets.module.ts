import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { ErasureNotes } from '../../erasure/erasure-notes.js';
import { POOL } from '../../postgres/tokens.js';
import { KeyRing } from '../../secrets/key-ring.js';
import { KeyStatus } from '../../secrets/key-status.js';
import { SecretVault } from '../../secrets/vault.js';
import { PostgresModule } from './postgres.module.js';

/** Encrypted secrets, and the notes of what is to be erased. */
@Module({
  imports: [PostgresModule],
  providers: [
    { provide: ErasureNotes, inject: [POOL], useFactory: (pool: Pool) => new ErasureNotes(pool) },
    {
      provide: SecretVault,
      inject: [POOL, KeyRing],
      useFactory: (pool: Pool, ring: KeyRing) => new SecretVault(pool, ring),
    },
    {
      provide: KeyStatus,
      inject: [POOL, KeyRing],
      useFactory: (pool: Pool, ring: KeyRing) => new KeyStatus(pool, ring),
    },
  ],
  exports: [KeyStatus, SecretVault, ErasureNotes],
})
export class SecretsModule {}
