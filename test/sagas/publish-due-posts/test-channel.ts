import type { PublicationError, PublicationEvent } from '../../../src/domain/publication/publication.events.js';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import type { LedgerEntry } from '../../../stand-ins/kit/ledger-entry.js';
import { type Answer, postIdOf } from '../../e2e/client.js';
import { until } from '../../e2e/until.js';
import type { NetworkName } from '../../platforms/wire/networks.js';
import type { StandInControl } from '../../support/stand-in-control.js';
import type { PublishingHarness } from './publishing-harness.js';

/** A publication in the management API (management-api.md: publication), with the fields that these tests read. */
export interface PublicationView {
  readonly id: string;
  readonly target_id: string;
  readonly state: string;
  readonly sequence: number;
  readonly waiting_for: { readonly rule: string; readonly until: string | null } | null;
  readonly attempts: readonly { readonly outcome: string | null; readonly error: PublicationError | null }[];
  readonly message_ids: readonly string[];
}

/** One channel with its own endpoint. */
export class TestChannel {
  /** Post ids by publication id. */
  private readonly posts = new Map<string, string>();

  constructor(
    readonly network: NetworkName,
    readonly channelId: string,
    /** The chat's id in the network's calls and ledger. */
    readonly chat: string,
    private readonly harness: PublishingHarness,
    readonly credentials: Readonly<Record<string, string>>,
    readonly post: (payload: object, headers?: Readonly<Record<string, string>>) => Promise<Answer>,
  ) {}

  get control(): StandInControl {
    return this.harness.networks[this.network].control;
  }

  /** Publishes a post. @returns the publication's id */
  async publish(payload: object): Promise<string> {
    const answer = await this.post(payload);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`);
    const post = postIdOf(answer);
    const { id } = await until(`post ${post} has its publication`, () => this.findPublication(post));
    this.posts.set(id, post);
    return id;
  }

  async readPublication(id: string): Promise<PublicationView> {
    return (await this.findPublication(this.posts.get(id)!))!;
  }

  private async findPublication(post: string): Promise<PublicationView | undefined> {
    const { publications } = await this.harness.manage.get<{ publications: PublicationView[] }>(`/posts/${post}`);
    return publications[0];
  }

  /** Waits until a publication meets a condition. @param what the condition in words */
  waitUntil(id: string, what: string, isMet: (publication: PublicationView) => boolean): Promise<PublicationView> {
    return until(`${id} ${what}`, async () => {
      const found = await this.readPublication(id);
      if (!isMet(found)) throw new Error(JSON.stringify(found));
      return found;
    });
  }

  waitForState(id: string, ...states: readonly string[]): Promise<PublicationView> {
    return this.waitUntil(id, `is ${states.join(' or ')}`, ({ state }) => states.includes(state));
  }

  /** Waits for the event that ends an attempt. @param n number of the event, from 1 */
  async waitForOutcome(id: string, n = 1): Promise<RecordedEvent<PublicationEvent>> {
    const endEvents = /^Publication(?:Succeeded|Postponed|Failed|InDoubt|Filtered)$/;
    return until(`${id} has outcome ${n}`, async () => {
      const events = await this.harness.readEvents(`publication-${id}`);
      return events.filter(({ type }) => endEvents.test(type))[n - 1] as RecordedEvent<PublicationEvent> | undefined;
    });
  }

  /** Reads the messages that readers see, oldest first. */
  readWall(chat = this.chat): Promise<readonly LedgerEntry[]> {
    return this.control.readLedger({ channel: chat });
  }

  async readTexts(chat = this.chat): Promise<string[]> {
    return (await this.readWall(chat)).map(({ text }) => text);
  }

  /** Sets the same credentials again, as a person does after a network refused them. */
  async replaceCredentials(): Promise<void> {
    await this.harness.manage.patch(`/channels/${this.channelId}`, { credentials: this.credentials });
  }
}
