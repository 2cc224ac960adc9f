import { fileURLToPath } from 'node:url';
import { until } from '../../e2e/until.js';
import {
  newChannel,
  newEndpoint,
  type NewEndpoint,
  newOwner,
  newProject,
  type Owner,
  publish,
  type Stage,
} from './stage.js';

/** No rate limits; the plan `mini` has webhook input and two posts a month. */
export const LIMITS_PROFILE = fileURLToPath(new URL('limits.json', import.meta.url));

/** The fields of a publication that tests look at. */
export interface Publication {
  readonly id: string;
  readonly state: string;
  readonly not_before: string | null;
  readonly waiting_for: null | {
    readonly rule: string;
    readonly until: string | null;
    readonly event_id: string | null;
    readonly text: string;
  };
  readonly attempts: readonly {
    readonly started_at: string;
    readonly outcome: string | null;
    readonly error: unknown;
  }[];
}

/** A channel in a project with an endpoint, all of one owner: where a post comes in, and where it goes. */
export class Line {
  private constructor(
    private readonly stage: Stage,
    readonly owner: Owner,
    readonly channel: { readonly id: string; readonly chatId: string },
    readonly project: string,
    readonly endpoint: NewEndpoint,
  ) {}

  /** @param owner a new one, where none is given */
  static async open(stage: Stage, owner?: Owner): Promise<Line> {
    const holder = owner ?? (await newOwner(stage));
    const channel = await newChannel(holder);
    const project = await newProject(holder, [channel.id]);
    const endpoint = await newEndpoint(holder, [project], { min_interval: 0 });
    return new Line(stage, holder, channel, project, endpoint);
  }

  /** Publishes, and answers the post's id. */
  send(payload: object = { text: 'Hello' }): Promise<string> {
    return publish(this.stage, this.endpoint, payload);
  }

  async publicationOf(postId: string): Promise<Publication> {
    return (await this.owner.caller.get(`/posts/${postId}`).expect(200)).body.publications[0];
  }

  /** Waits until a post has come to a state. */
  inState(postId: string, state: string): Promise<Publication> {
    return this.when(postId, `${postId} is ${state}`, (publication) => publication.state === state);
  }

  /** Waits until a rule holds a post. */
  async waitingFor(postId: string, rule: string): Promise<NonNullable<Publication['waiting_for']>> {
    const what = `${postId} waits for ${rule}`;
    return (await this.when(postId, what, ({ waiting_for }) => waiting_for?.rule === rule)).waiting_for!;
  }

  private when(postId: string, what: string, is: (publication: Publication) => boolean): Promise<Publication> {
    return until(what, async () => {
      const publication = await this.publicationOf(postId);
      return is(publication) ? publication : null;
    });
  }
}
