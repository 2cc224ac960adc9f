import { setMaxListeners } from 'node:events';
import type { OnModuleDestroy } from '@nestjs/common';
import { GuardedClient } from '../../../outbound-http/guarded-client.js';
import type { AddressPolicy } from '../../../outbound-http/address-policy.js';
import { LibreTranslate } from '../../../processing/translation/libre-translate.js';
import type { Translate, Translated } from '../../../processing/translation/translation.js';
import type { SecretVault } from '../../../secrets/vault.js';

/** Somebody waits for the sandbox's answer; publishing is more patient. */
const PATIENCE_MS = 10_000;

/** Translates what the sandbox shows (D-38): nothing of it is kept. */
export class SandboxTranslation implements OnModuleDestroy {
  private readonly client: GuardedClient;
  private readonly translator: LibreTranslate;
  private readonly closing = new AbortController();

  /** @param policy which private addresses may be reached */
  constructor(policy: AddressPolicy, vault: SecretVault) {
    setMaxListeners(0, this.closing.signal); // one for each request under way; that is no leak
    this.client = new GuardedClient({ policy });
    this.translator = new LibreTranslate(this.client, vault, PATIENCE_MS);
  }

  /** For one request: the same text in the same language is asked for once, for all networks. */
  once(): Translate {
    const asked = new Map<string, Promise<Translated>>();
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
