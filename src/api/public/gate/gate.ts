import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isOneAppend } from '../../../commands/post/accept-post.js';
import { KeyClaims, type KeysSeen, type Replay } from '../../../commands/post/key-claims.js';
import { namedTargets } from '../../../commands/pause/named-targets.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import type { AppendCondition } from '../../../event-store/port.js';
import { type Clock, CLOCK } from '../../../kernel/clock.js';
import { isRejection, type Rejection } from '../../../kernel/result.js';
import type { Budget } from '../../../limits/limiter.js';
import { type AddressPolicy, addressPolicy } from '../../../outbound-http/address-policy.js';
import type { Media, PublishPayload } from '../../../payload/payload.js';
import type { EndpointAccess } from '../../../projections/discovery/endpoint-access.queries.js';
import { headerText } from '../../transport/header-text.js';
import { HttpProblem } from '../../transport/http-problem.js';
import { invalidTargets } from '../invalid-targets.js';
import { MediaCheck } from '../media-check.js';
import { Entrance } from './admission.js';
import { LimitGuard, type Passed } from './limit-guard.js';
import { invalidBody } from './refusals.js';
import { readSentPost, type SentPost } from './parsed-post.js';
import { bodySizeOf, type ReceivedBody } from '../../transport/raw-body.js';
import type { Visit } from './gate-request.js';

/** A request that may go on: who asks, and the body exactly as it came. */
export interface Admitted {
  readonly endpoint: EndpointAccess;
  readonly body: Buffer;
}

/** One whose body may be too long to be read. */
export interface Passing {
  readonly endpoint: EndpointAccess;
  readonly body: ReceivedBody;
}

/** A post that may be accepted. */
export interface NewPost {
  readonly endpoint: EndpointAccess;
  readonly sent: SentPost;
  readonly payload: PublishPayload;
  /** The endpoint's channels that it is meant for, each once. */
  readonly channelIds: readonly string[];
  readonly seen: KeysSeen;
  /** See {@link Gate.giveBack}. */
  readonly takenAt: string | null;
  /** What its append is to find out; null: it was asked for already. See {@link Gate.readmit}. */
  readonly condition: AppendCondition | null;
  readonly visit: Visit;
  readonly replay: null;
}

/** A post that was answered before (D-9). */
export interface RepeatedPost {
  readonly endpoint: EndpointAccess;
  readonly sent: SentPost;
  readonly replay: Replay;
}

/**
 * The order in which a request is judged (D-7): maintenance, authentication, the endpoint's state, the plan, the media
 * type; a replay, the month, the rate limits; the body, its targets. The first that refuses answers. An endpoint's
 * picture may come from memory: whom it lets in the limiter's call confirms, or, where nothing is limited, the append that
 * accepts the post, so that a rotated token is dead at once.
 */
@Injectable()
export class Gate {
  private readonly addresses: AddressPolicy;
  /**
   * Events and endpoints lie in one database: the limiter says whether a key is new, in the call that is made anyway, and
   * an append whether an endpoint has changed.
   */
  private readonly isOneDatabase: boolean;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly entrance: Entrance,
    private readonly claims: KeyClaims,
    private readonly limits: LimitGuard,
    private readonly media: MediaCheck,
  ) {
    this.addresses = addressPolicy(settings.allowPrivateAddresses);
    this.isOneDatabase = settings.eventStoreUrl === null;
  }

  /** Discovery and pauses, up to where their bodies are understood. @throws Refusal */
  async admit(request: FastifyRequest, slug: string, budget: 'discovery' | 'pauses'): Promise<Admitted> {
    const { endpoint, body } = await this.pass(this.entrance.toEndpoint(request, slug), budget);
    if (!body.ok) throw invalidBody(endpoint, body.problem);
    return { endpoint, body: body.bytes };
  }

  /**
   * The sandbox finds its endpoint by the token, which may be a test token; it is for every plan (D-12), so of what may
   * have switched an endpoint off its owner alone counts. A body that cannot be read is for it to tell of (D-44).
   * @throws Refusal
   */
  async admitToSandbox(request: FastifyRequest): Promise<Passing> {
    return this.pass(this.entrance.toSandbox(request), 'sandbox');
  }

  /** Publishing, up to acceptance. @throws Refusal */
  async admitPost(request: FastifyRequest, slug: string): Promise<NewPost | RepeatedPost> {
    const visit = this.entrance.toEndpoint(request, slug);
    await visit.arrival;
    const entering = this.entrance.enter(visit);
    const entered = entering instanceof Promise ? await entering : entering;
    const reading = readSentPost(
      whole(entered, await visit.body),
      headerText(request, 'idempotency-key'),
      this.addresses,
    );
    const sent = reading instanceof Promise ? await reading : reading;
    request.notes!.traceId = sent.traceId;

    const seen = this.isOneDatabase
      ? this.claims.presume(entered.endpoint_id, sent.keys)
      : await this.claims.look(entered.endpoint_id, sent.keys, this.clock.now());
    const unasked = this.admitUnasked(visit, entered, seen, sent);
    if (unasked) return unasked;
    return this.goOn(visit, await this.passLimits(visit, { endpoint: entered, seen }, sent), sent);
  }

  /** A post whose append has found its endpoint changed: it enters once more, and is asked for this time. @throws Refusal */
  async readmit({ visit, seen, sent }: NewPost): Promise<NewPost | RepeatedPost> {
    const endpoint = await this.entrance.enterAfresh(visit);
    return this.goOn(visit, await this.passLimits(visit, { endpoint, seen }, sent), sent);
  }

  /** A post was not accepted after all, through no fault of its sender: it has used nothing up. Never throws. */
  giveBack(post: NewPost): Promise<void> {
    return this.limits.giveBack(post);
  }

  /**
   * Where nothing is limited, and the post is accepted by one append, nobody has to be asked: that append finds out
   * whether the endpoint stands as it was seen, and whether the keys are new. Null for every other post.
   */
  private admitUnasked(visit: Visit, endpoint: EndpointAccess, seen: KeysSeen, sent: SentPost): NewPost | null {
    if (!this.isOneDatabase || !this.limits.countsNothing(endpoint) || !sent.content.ok) return null;
    const { payload } = sent.content;
    const isWritten = endpoint.projects.length > 0 || sent.keys.length > 0;
    if (!isWritten || payload.media !== undefined || !isOneAppend(bodySizeOf(visit.request))) return null;
    const channelIds = channelsOf(endpoint, payload);
    if (isRejection(channelIds)) return null;
    const condition = { subject: endpoint.endpoint_id, version: endpoint.version };
    return { endpoint, sent, payload, channelIds, seen, takenAt: null, condition, visit, replay: null };
  }

  private async pass(visit: Visit, budget: Budget): Promise<Passing> {
    await visit.arrival;
    const entered = await this.entrance.enter(visit);
    const body = whole(entered, await visit.body);
    return { endpoint: await this.limits.take(visit, entered, budget), body };
  }

  /** Month and rate limits, or a replay. @param mediaAreChecked of a post with media it is only then sure that it is accepted */
  private passLimits(
    visit: Visit,
    { endpoint, seen }: Omit<Passed, 'takenAt'>,
    sent: SentPost,
    mediaAreChecked = false,
  ): Passed | Promise<Passed> {
    if (seen.replay) return { endpoint, seen, takenAt: null };
    const isAccepted = (current: EndpointAccess): boolean =>
      sent.content.ok &&
      (mediaAreChecked || sent.content.payload.media === undefined) &&
      !isRejection(channelsOf(current, sent.content.payload));
    return this.limits.takePost(visit, { endpoint, seen }, isAccepted);
  }

  private goOn(visit: Visit, passed: Passed, sent: SentPost): NewPost | Promise<NewPost | RepeatedPost> {
    return passed.seen.replay ? this.repeat(visit, passed, sent) : this.checkContent(visit, passed, sent);
  }

  /** A replay, which has a limit of its own (D-17). */
  private async repeat(visit: Visit, { endpoint, seen }: Passed, sent: SentPost): Promise<RepeatedPost> {
    return { endpoint: await this.limits.take(visit, endpoint, 'replays'), sent, replay: seen.replay! };
  }

  /** The body, of which only media have to be waited for; then its targets (D-7). */
  private checkContent(
    visit: Visit,
    passed: Passed,
    sent: SentPost,
    mediaAreChecked = false,
  ): NewPost | Promise<NewPost | RepeatedPost> {
    const { endpoint, seen, takenAt } = passed;
    const { content } = sent;
    if (!content.ok) return this.refuse(endpoint, content);
    const { payload } = content;
    if (payload.media && !mediaAreChecked) return this.checkMedia(visit, passed, sent, payload.media);
    const channelIds = channelsOf(endpoint, payload);
    if (isRejection(channelIds)) throw invalidTargets(endpoint, channelIds);
    return { endpoint, sent, payload, channelIds, seen, takenAt, condition: null, visit, replay: null };
  }

  /** With all that is wrong with its media, too (D-6). @throws Refusal */
  private async refuse(
    endpoint: EndpointAccess,
    { problem, mediaLeft = [] }: SentPost['content'] & { readonly ok: false },
  ): Promise<never> {
    const more = mediaLeft.length > 0 ? await this.media.problemsOf(mediaLeft) : [];
    throw invalidBody(endpoint, new HttpProblem(problem.status, problem.code, [...problem.problems, ...more]));
  }

  /** Looking at media takes time: afterwards keys, limits and targets are asked once more. */
  private async checkMedia(
    visit: Visit,
    passed: Passed,
    sent: SentPost,
    media: readonly Media[],
  ): Promise<NewPost | RepeatedPost> {
    const { problems } = await this.media.check(media);
    if (problems.length > 0) throw invalidBody(passed.endpoint, new HttpProblem(400, 'invalid_payload', problems));
    const sure = await this.passLimits(visit, passed, sent, true);
    return sure.seen.replay ? this.repeat(visit, sure, sent) : this.checkContent(visit, sure, sent, true);
  }
}

/** A body that has not come to its end was never sent; one that is too long is told of in its turn. @throws Refusal */
const whole = (endpoint: EndpointAccess, body: ReceivedBody): ReceivedBody => {
  if (!body.ok && body.problem.code !== 'body_too_large') throw invalidBody(endpoint, body.problem);
  return body;
};

/** The channels that a post is meant for; without a project nothing is published, and no target is wrong (D-10). */
const channelsOf = (
  { projects }: EndpointAccess,
  { targets = [] }: PublishPayload,
): readonly string[] | Rejection<'invalid_targets'> => {
  if (projects.length === 0) return [];
  const named = namedTargets(
    projects,
    targets.map(({ id }) => id),
  );
  return isRejection(named) ? named : named.channelIds;
};
