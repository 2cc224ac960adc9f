import type { PublicationError, PublicationEvent } from '../../../src/domain/publication/publication.events.js';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import type { StandInControl } from '../../../src/stand-ins/kit/control-client.js';
import type { LedgerEntry } from '../../../src/stand-ins/kit/ledger.js';
import { type Answer, postIdOf } from '../../e2e/client.js';
import { until } from '../../e2e/until.js';
import type { NetworkName } from '../../platforms/wire/networks.js';
import type { PublishingStage } from './publishing-harness.js';

/** management-api.md: publication, as far as these tests look at it. */
export interface PublicationView {
  readonly id: string;
  readonly target_id: string;
  readonly state: string;
  readonly sequence: number;
  readonly waiting_for: { readonly rule: string; readonly until: string | null } | null;
  readonly attempts: readonly { readonly outcome: string | null; readonly error: PublicationError | null }[];
  readonly message_ids: readonly string[];
}

/** Where a post comes in, and where it goes: one endpoint, one channel. */
export class Line {
  /** Posts by their publications. */
  private readonly posts = new Map<string, string>();

  constructor(
    readonly network: NetworkName,
    readonly channelId: string,
    /** As the network's calls and ledger name it. */
    readonly chat: string,
    private readonly stage: PublishingStage,
    readonly credentials: Readonly<Record<string, string>>,
    readonly post: (payload: object, headers?: Readonly<Record<string, string>>) => Promise<Answer>,
  ) {}

  get control(): StandInControl {
    return this.stage.networks[this.network].control;
  }

  /** Publishes, and answers the publication's id. */
  async send(payload: object): Promise<string> {
    const answer = await this.post(payload);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`);
    const post = postIdOf(answer);
    const { id } = await until(`post ${post} has its publication`, () => this.ofPost(post));
    this.posts.set(id, post);
    return id;
  }

  async publication(id: string): Promise<PublicationView> {
    return (await this.ofPost(this.posts.get(id)!))!;
  }

  private async ofPost(post: string): Promise<PublicationView | undefined> {
    const { publications } = await this.stage.manage.get<{ publications: PublicationView[] }>(`/posts/${post}`);
    return publications[0];
  }

  /** Waits until a publication is as it should be. */
  when(id: string, what: string, is: (publication: PublicationView) => boolean): Promise<PublicationView> {
    return until(`${id} ${what}`, async () => {
      const found = await this.publication(id);
      if (!is(found)) throw new Error(JSON.stringify(found));
      return found;
    });
  }

  inState(id: string, ...states: readonly string[]): Promise<PublicationView> {
    return this.when(id, `is ${states.join(' or ')}`, ({ state }) => states.includes(state));
  }

  /** Waits for the event by which an attempt ends. @param n which such event, from 1 */
  async outcome(id: string, n = 1): Promise<RecordedEvent<PublicationEvent>> {
    const ends = /^Publication(?:Succeeded|Postponed|Failed|InDoubt|Filtered)$/;
    return until(`${id} has outcome ${n}`, async () => {
      const events = await this.stage.events(`publication-${id}`);
      return events.filter(({ type }) => ends.test(type))[n - 1] as RecordedEvent<PublicationEvent> | undefined;
    });
  }

  /** The messages that readers see, oldest first. */
  wall(chat = this.chat): Promise<readonly LedgerEntry[]> {
    return this.control.ledger({ channel: chat });
  }

  async texts(chat = this.chat): Promise<string[]> {
    return (await this.wall(chat)).map(({ text }) => text);
  }

  /** The same credentials, given anew: what a person does when a network refuses them. */
  async replaceCredentials(): Promise<void> {
    await this.stage.manage.patch(`/channels/${this.channelId}`, { credentials: this.credentials });
  }
}
