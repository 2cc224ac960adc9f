import { Module } from '@nestjs/common';
import { ErasureNotes } from '../../erasure/erasure-notes.js';
import { KeyStatus } from '../../secrets/key-status.js';
import { SecretVault } from '../../secrets/vault.js';
import { PostgresModule } from './postgres.module.js';

/** Encrypted secrets, and the notes about pending erasures. */
@Module({
  imports: [PostgresModule],
  providers: [ErasureNotes, SecretVault, KeyStatus],
  exports: [KeyStatus, SecretVault, ErasureNotes],
})
export class SecretsModule {}
