import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Keys } from '../../config/generated-keys.js';
import { POOL } from '../../postgres/tokens.js';
import { SecretVault } from '../../secrets/vault.js';
import { KEYS } from '../process-options.js';
import { PostgresModule } from './postgres.module.js';

/** Encrypted secrets. */
@Module({
  imports: [PostgresModule],
  providers: [
    {
      provide: SecretVault,
      inject: [POOL, KEYS],
      useFactory: (pool: Pool, { secretsKey }: Keys) => new SecretVault(pool, secretsKey),
    },
  ],
  exports: [SecretVault],
})
export class SecretsModule {}
