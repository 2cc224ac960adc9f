import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Keys } from '../../config/generated-keys.js';
import { ErasureNotes } from '../../erasure/erasure-notes.js';
import { POOL } from '../../postgres/tokens.js';
import { SecretVault } from '../../secrets/vault.js';
import { KEYS } from '../process-options.js';
import { PostgresModule } from './postgres.module.js';

/** Encrypted secrets, and the notes of what is to be erased. */
@Module({
  imports: [PostgresModule],
  providers: [
    { provide: ErasureNotes, inject: [POOL], useFactory: (pool: Pool) => new ErasureNotes(pool) },
    {
      provide: SecretVault,
      inject: [POOL, KEYS],
      useFactory: (pool: Pool, { secretsKey }: Keys) => new SecretVault(pool, secretsKey),
    },
  ],
  exports: [SecretVault, ErasureNotes],
})
export class SecretsModule {}
