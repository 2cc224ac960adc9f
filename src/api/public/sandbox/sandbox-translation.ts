import { setMaxListeners } from 'node:events';
import type { OnModuleDestroy } from '@nestjs/common';
import { GuardedClient } from '../../../outbound-http/guarded-client.js';
import type { AddressPolicy } from '../../../outbound-http/address-policy.js';
import { LibreTranslate } from '../../../processing/translation/libre-translate.js';
import type { Translate, TranslationResult } from '../../../processing/translation/translation.js';
import type { SecretVault } from '../../../secrets/vault.js';

/** Time limit of a translation, in ms: a client waits for the sandbox's answer. Publishing waits longer. */
const TIMEOUT_MS = 10_000;

/** Translates the texts that the sandbox shows (D-38). Nothing is stored. */
export class SandboxTranslation implements OnModuleDestroy {
  private readonly client: GuardedClient;
  private readonly translator: LibreTranslate;
  private readonly closing = new AbortController();

  /** @param policy the private addresses that may be called */
  constructor(policy: AddressPolicy, vault: SecretVault) {
    setMaxListeners(0, this.closing.signal); // one listener per running request, which is no leak
    this.client = new GuardedClient({ policy });
    this.translator = new LibreTranslate(this.client, vault, TIMEOUT_MS);
  }

  /** Creates the translator of one request: it translates the same text into the same language once, for all networks. */
  createTranslate(): Translate {
    const asked = new Map<string, Promise<TranslationResult>>();
    return (content, how) => {
      const key = JSON.stringify([content, how]);
      const answer = asked.get(key) ?? this.translator.translate(content, how, this.closing.signal);
      asked.set(key, answer);
      return answer;
    };
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.abort();
    await this.client.close();
  }
}
