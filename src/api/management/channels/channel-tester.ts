import { Inject, Injectable } from '@nestjs/common';
import type { Credentials } from '../../../commands/channel.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { LOG, type Log } from '../../../kernel/log.js';
import { TEST_MESSAGES } from '../../../platforms/messages.js';
import { PlatformCatalogue, Publishers } from '../../../platforms/platform-catalogue.js';
import type { ChannelCheck, Publisher, TestContext } from '../../../platforms/publisher.js';
import { accountBudget, CallTurns } from '../../../postgres/call-turns.js';
import type { ChannelRow } from '../../../projections/discovery/discovery.tables.js';
import { sleepUnlessAborted } from '../../../runtime/sleep.js';
import { SecretVault, UnreadableSecret } from '../../../secrets/vault.js';
import { HttpProblem } from '../../transport/problem.view.js';
import { CHANNEL_MESSAGES } from '../messages.js';

/** The result of testing a channel (management-api.md: `POST /channels/{id}/test`). */
export interface ChannelTest {
  /** True if every check of publishing succeeded; `withdraw`, `edit` and `statistics` do not count. */
  readonly ok: boolean;
  readonly checks: readonly ChannelCheck[];
}

/** Checks of what can be done with published posts; they say nothing about publishing. */
const AFTER_PUBLISHING: ReadonlySet<string> = new Set(['withdraw', 'edit', 'statistics']);

/** Total time limit for all calls in a test, in ms. It is short, because the caller is waiting for the result. */
const TEST_LIMIT_MS = 5_000;

/**
 * Checks with a channel's network whether the credentials allow posting there, without posting. Calls respect the
 * account's pacing, like posts, and concurrent tests of a channel share one result.
 */
@Injectable()
export class ChannelTester {
  private readonly running = new Map<string, Promise<ChannelTest>>();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
    private readonly platforms: PlatformCatalogue,
    private readonly publishers: Publishers,
    private readonly vault: SecretVault,
    private readonly turns: CallTurns,
  ) {}

  /** Does not throw if the network is down or rejects the credentials; a check in the result reports the failure. */
  test(channel: ChannelRow): Promise<ChannelTest> {
    const key = `${channel.channel_id}/${channel.credentials_id}`;
    const running = this.running.get(key);
    if (running) return running;
    const test = this.run(channel).finally(() => this.running.delete(key));
    this.running.set(key, test);
    return test;
  }

  /**
   * Returns the credentials with the id of the chat in place of its public name, which only the network can look up.
   * @throws HttpProblem 422 if the network does not give the id
   */
  async resolveNames(platform: string, ownerId: string, { address, secret }: Credentials): Promise<Credentials> {
    const publisher = this.publishers.get(platform);
    const { credentials, title } = this.platforms.get(platform);
    const resolved: Record<string, string> = { ...address };
    for (const [name, value] of Object.entries(address)) {
      const field = credentials[name];
      if (field?.kind !== 'address' || field.form.test(value) || !publisher.findChat) continue;
      const signal = AbortSignal.timeout(TEST_LIMIT_MS);
      const awaitTurn = this.turnsOf(publisher, ownerId, signal);
      const found = await publisher.findChat(value, { credentials: secret, awaitTurn, signal });
      if ('error' in found || !field.form.test(found.id)) {
        const reason = 'error' in found ? found.error.message : TEST_MESSAGES.noSuchName({ network: title });
        const message = CHANNEL_MESSAGES.nameNotFound({ name: value, reason });
        throw new HttpProblem(422, 'invalid', [{ path: `credentials.${name}`, code: 'unknown_id', message }]);
      }
      resolved[name] = found.id;
    }
    return { address: resolved, secret };
  }

  private async run(channel: ChannelRow): Promise<ChannelTest> {
    const checks: ChannelCheck[] = [];
    const read = await this.readCredentials(channel.credentials_id);
    if (typeof read === 'string') return { ok: false, checks: [failedCheck(read)] };
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), TEST_LIMIT_MS);
    try {
      const publisher = this.publishers.get(channel.platform);
      const target = { id: channel.channel_id, address: channel.address, settings: { ...channel.settings } };
      const awaitTurn = this.turnsOf(publisher, channel.owner_id, limit.signal);
      const context = { credentials: read, channel: target, awaitTurn, signal: limit.signal };
      for await (const check of publisher.test(context)) checks.push(check);
    } catch (thrown) {
      this.log.error({ channel: channel.channel_id, err: thrown }, 'failed to test a channel');
      checks.push(failedCheck(CHANNEL_MESSAGES.testFailed));
    } finally {
      clearTimeout(timer);
    }
    return { ok: checks.every(({ name, ok }) => ok || AFTER_PUBLISHING.has(name)), checks };
  }

  private turnsOf({ platform, pace }: Publisher, ownerId: string, signal: AbortSignal): TestContext['awaitTurn'] {
    if (!this.settings.pacing) return async () => undefined;
    const limits = pace.perCredential.map(({ calls, perMs }) => [calls, perMs] as const);
    return async (credential) => {
      if (signal.aborted) return;
      const { waitMs } = await this.turns.reserve([accountBudget({ platform, ownerId, credential }, limits)]);
      if (waitMs > 0) await sleepUnlessAborted(waitMs, signal);
    };
  }

  /** Reads the credentials; returns an explanation for the user if they are missing or cannot be decrypted. */
  private async readCredentials(id: string): Promise<TestContext['credentials'] | string> {
    try {
      return (await this.vault.readSecret(id)) ?? CHANNEL_MESSAGES.credentialsMissing;
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      return CHANNEL_MESSAGES.credentialsUnreadable;
    }
  }
}

const failedCheck = (message: string): ChannelCheck => ({
  name: 'credentials',
  ok: false,
  message,
  platform_says: null,
});
