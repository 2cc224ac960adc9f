import { type CommandContext, originOfRequest, type RequestOrigin } from '../../commands/origin.js';
import type { Actor } from '../../kernel/events.js';
import { deriveTimedId, deriveUuid, type IdPrefix } from '../../kernel/ids.js';
import type { Instant } from '../../kernel/instant.js';
import type { SecretVault } from '../../secrets/vault.js';

/**
 * A requested change. With an Idempotency-Key, its ids are derived from the caller, the key and the time the key was
 * claimed, and its secrets are generated once. A retry (even a concurrent one, in another process, or after a crash) is
 * therefore the same command: the same ids, events and secrets.
 */
export class Change {
  /** The command's id, time and origin. */
  readonly context: CommandContext;
  private hasDrawn = false;

  /** @param keyClaim null without a key; ids are then derived from the request's id */
  constructor(
    actor: Actor,
    request: RequestOrigin,
    at: Instant,
    private readonly keyClaim: { readonly key: string; readonly since: Instant } | null,
    private readonly vault: SecretVault,
  ) {
    const commandId = keyClaim ? `manage/${actor}/${keyClaim.since}/${keyClaim.key}` : `manage/${request.id}`;
    this.context = { ...originOfRequest(actor, request), commandId, at };
  }

  /** Returns the id of the resource that this change creates. */
  newId(prefix: IdPrefix): string {
    const { commandId, at } = this.context;
    return deriveTimedId(prefix, `${commandId}/${prefix}`, this.keyClaim?.since ?? at);
  }

  /**
   * Generates the secrets that are shown only in this response. With a key, they are stored encrypted until the
   * response is stored, so every process that executes the change shows the same secrets.
   */
  async drawSecrets<S extends Record<string, string>>(random: () => S): Promise<S> {
    if (!this.keyClaim) return random();
    this.hasDrawn = true;
    await this.vault.storeSecret(random(), null, this.drawnSecretsId);
    // If they were erased in the meantime, another request has already responded; new secrets will neither take effect
    // nor be shown.
    return ((await this.vault.readSecret(this.drawnSecretsId)) as S | null) ?? random();
  }

  /** Erases the generated secrets. Call this once a response is stored or the change was rejected. */
  async eraseDrawnSecrets(): Promise<void> {
    if (this.hasDrawn) await this.vault.eraseSecret(this.drawnSecretsId);
  }

  private get drawnSecretsId(): string {
    return deriveUuid(`${this.context.commandId}/shown-once`);
  }
}
