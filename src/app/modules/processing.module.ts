import { Module } from '@nestjs/common';
import { ADDRESS_POLICY, type AddressPolicy } from '../../outbound-http/address-policy.js';
import { GuardedClient } from '../../outbound-http/guarded-client.js';
import { CircuitBreaker } from '../../processing/translation/circuit-breaker.js';
import { LibreTranslate } from '../../processing/translation/libre-translate.js';
import { SecretVault } from '../../secrets/vault.js';
import { Resources } from '../resources.js';
import { SecretsModule } from './secrets.module.js';

/** How long a worker waits for a translation, in ms. */
const TRANSLATION_MS = 30_000;

/** Processes posts before publication: provides the translation service client. */
@Module({
  imports: [SecretsModule],
  providers: [
    {
      provide: CircuitBreaker,
      inject: [ADDRESS_POLICY, SecretVault, Resources],
      useFactory: async (policy: AddressPolicy, vault: SecretVault, resources: Resources) => {
        const client = new GuardedClient({ policy, timeouts: { headersMs: TRANSLATION_MS } });
        await resources.add(() => client.close());
        return new CircuitBreaker(new LibreTranslate(client, vault, TRANSLATION_MS));
      },
    },
  ],
  exports: [CircuitBreaker],
})
export class ProcessingModule {}
