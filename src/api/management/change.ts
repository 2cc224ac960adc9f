import { type Execution, originOfRequest } from '../../commands/origin.js';
import type { Actor } from '../../kernel/events.js';
import { derivedUuid, type IdPrefix, repeatableId } from '../../kernel/ids.js';
import type { Instant } from '../../kernel/instant.js';
import type { SecretVault } from '../../secrets/vault.js';

/**
 * One change that a caller asks for. With an Idempotency-Key everything in it follows from caller and key, so that a
 * repeat (at the same time, in another process, after a crash) is the same command: the same ids, events and secrets.
 */
export class Change {
  /** For the command: its id, its time, and where it comes from. */
  readonly execution: Execution;
  private drawn = false;

  /** @param named `null`: without a key, named after the request alone */
  constructor(
    actor: Actor,
    requestId: string,
    at: Instant,
    private readonly named: { readonly key: string; readonly since: Instant } | null,
    private readonly vault: SecretVault,
  ) {
    const commandId = named ? `manage/${actor}/${named.since}/${named.key}` : `manage/${requestId}`;
    this.execution = { ...originOfRequest(actor, requestId), commandId, at };
  }

  /** The id of the thing that this change makes. */
  newId(prefix: IdPrefix): string {
    const { commandId, at } = this.execution;
    return repeatableId(prefix, `${commandId}/${prefix}`, this.named?.since ?? at);
  }

  /**
   * Secrets that are shown once. Under a key they are drawn once as well and lie sealed until the answer is kept: whoever
   * carries the change out shows what it is carried out with.
   */
  async draw<S extends Record<string, string>>(random: () => S): Promise<S> {
    if (!this.named) return random();
    this.drawn = true;
    await this.vault.put(random(), this.sealedId);
    // Erased meanwhile: another request has answered, nothing drawn here will take effect or be shown.
    return ((await this.vault.get(this.sealedId)) as S | null) ?? random();
  }

  /** Erases what was drawn: an answer is kept, or there will be none. */
  async forget(): Promise<void> {
    if (this.drawn) await this.vault.erase(this.sealedId);
  }

  private get sealedId(): string {
    return derivedUuid(`${this.execution.commandId}/shown-once`);
  }
}
