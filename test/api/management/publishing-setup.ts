import { fileURLToPath } from 'node:url';
import { until } from '../../e2e/until.js';
import {
  createChannel,
  type CreatedEndpoint,
  createEndpoint,
  createOwner,
  createProject,
  type ManagementHarness,
  sendPost,
  type TestOwner,
} from './management-harness.js';

/** A limits profile without rate limits, in which the plan `mini` has webhook input and two posts a month. */
export const LIMITS_PROFILE = fileURLToPath(new URL('limits.json', import.meta.url));

/** The fields of a publication that tests read. */
export interface Publication {
  readonly id: string;
  readonly state: string;
  readonly not_before: string | null;
  readonly waiting_for: null | {
    readonly rule: string;
    readonly until: string | null;
    readonly event_id: string | null;
    readonly text: string;
    readonly blocked_by: string | null;
    readonly figures: {
      readonly attempt: number | null;
      readonly of: number | null;
      readonly platform_says: string | null;
      readonly first_sequence: number | null;
      readonly blocked_by_rule: string | null;
    };
  };
  readonly attempts: readonly {
    readonly started_at: string;
    readonly outcome: string | null;
    readonly error: unknown;
  }[];
}

/** An owner's endpoint, its project and the project's channel: all that a post needs to be published. */
export class PublishingSetup {
  private constructor(
    private readonly harness: ManagementHarness,
    readonly owner: TestOwner,
    readonly channel: { readonly id: string; readonly chatId: string },
    readonly project: string,
    readonly endpoint: CreatedEndpoint,
  ) {}

  /** @param owner default: a new one */
  static async create(harness: ManagementHarness, owner?: TestOwner): Promise<PublishingSetup> {
    const ofOwner = owner ?? (await createOwner(harness));
    const channel = await createChannel(ofOwner);
    const project = await createProject(ofOwner, [channel.id]);
    const endpoint = await createEndpoint(ofOwner, [project], { min_interval: 0 });
    return new PublishingSetup(harness, ofOwner, channel, project, endpoint);
  }

  /** Sends a post and returns its id. */
  sendPost(payload: object = { text: 'Hello' }): Promise<string> {
    return sendPost(this.harness, this.endpoint, payload);
  }

  async readPublication(postId: string): Promise<Publication> {
    return (await this.owner.caller.get(`/posts/${postId}`).expect(200)).body.publications[0];
  }

  /** Waits until a post's publication reaches a state. */
  waitForState(postId: string, state: string): Promise<Publication> {
    return this.waitUntil(postId, `${postId} is ${state}`, (publication) => publication.state === state);
  }

  /** Waits until a rule holds a post's publication. */
  async waitForRule(postId: string, rule: string): Promise<NonNullable<Publication['waiting_for']>> {
    const what = `${postId} waits for ${rule}`;
    return (await this.waitUntil(postId, what, ({ waiting_for }) => waiting_for?.rule === rule)).waiting_for!;
  }

  /** Waits until the explanation of why a post waits contains a text. */
  async waitForText(postId: string, part: string): Promise<NonNullable<Publication['waiting_for']>> {
    const isReached = ({ waiting_for }: Publication) => waiting_for?.text.includes(part) === true;
    return (await this.waitUntil(postId, `${postId} waits: ${part}`, isReached)).waiting_for!;
  }

  private waitUntil(
    postId: string,
    what: string,
    isReached: (publication: Publication) => boolean,
  ): Promise<Publication> {
    return until(what, async () => {
      const publication = await this.readPublication(postId);
      return isReached(publication) ? publication : null;
    });
  }
}
