import { setMaxListeners } from 'node:events';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Translation } from '../../../domain/project/processing.js';
import type { PayRequests } from '../../../media/probe.js';
import { ADDRESS_POLICY, type AddressPolicy } from '../../../outbound-http/address-policy.js';
import { GuardedClient } from '../../../outbound-http/guarded-client.js';
import { RequestSlots } from '../../../outbound-http/request-slots.js';
import type { TextWithEntities } from '../../../payload/entities.js';
import { LibreTranslate, MOST_OF_A_TRANSLATION } from '../../../processing/translation/libre-translate.js';
import type { Translate, TranslationResult } from '../../../processing/translation/translation.js';
import { SecretVault } from '../../../secrets/vault.js';

/** Time limit of a translation, in ms. Publishing allows more time, because no client waits for it. */
const TIMEOUT_MS = 10_000;

/** Translates text for the sandbox (D-38), charged to the endpoint's probe budget (D-51). Stores nothing. */
@Injectable()
export class SandboxTranslation implements OnModuleDestroy {
  private readonly client: GuardedClient;
  private readonly closing = new AbortController();

  constructor(
    @Inject(ADDRESS_POLICY) policy: AddressPolicy,
    slots: RequestSlots,
    private readonly vault: SecretVault,
  ) {
    setMaxListeners(0, this.closing.signal); // one listener per running request, which is not a leak
    this.client = new GuardedClient({ policy, slots });
  }

  /**
   * Creates the translator for one request. It translates each text into a language only once for all networks, and
   * throws the error from `pay` if the probe budget does not cover a translation.
   * @param vault holds the services' API keys
   */
  createTranslate(pay: PayRequests, vault: Pick<SecretVault, 'readSecret'> = this.vault): Translate {
    const asked = new Map<string, Promise<TranslationResult>>();
    return (content, how) => {
      const key = JSON.stringify([content, how]);
      const answer = asked.get(key) ?? this.translate(pay, vault, content, how);
      asked.set(key, answer);
      return answer;
    };
  }

  private async translate(
    pay: PayRequests,
    vault: Pick<SecretVault, 'readSecret'>,
    content: TextWithEntities,
    how: Translation,
  ): Promise<TranslationResult> {
    const { meter, settle } = await pay(MOST_OF_A_TRANSLATION);
    const client: Pick<GuardedClient, 'request'> = {
      request: (url, request, overflow) => this.client.request(url, { ...request, meter }, overflow),
    };
    try {
      return await new LibreTranslate(client, vault, TIMEOUT_MS).translate(content, how, this.closing.signal);
    } finally {
      await settle();
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.abort();
    await this.client.close();
  }
}
