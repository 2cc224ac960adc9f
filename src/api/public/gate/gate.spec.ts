import type { FastifyRequest } from 'fastify';
import type { AcceptPost, NewPost } from '../../../commands/post/accept-post.js';
import type { KnownKeys, Replay } from '../../../commands/post/key-claims.js';
import { ConditionFailed } from '../../../event-store/port.js';
import { PUBLIC_ONLY } from '../../../outbound-http/url-rules.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { Gate } from './gate.js';
import type { GateRequest } from './gate-request.js';
import type { Identification } from './identification.js';
import type { LimitGuard, PostVerdict } from './limit-guard.js';
import type { ContentCheck, ParsedPost } from './parsed-post.js';

const MEDIA = { text: 'hi', media: [{ type: 'photo', url: 'https://host.test/a.jpg' }] };
const admitted: PostVerdict = { outcome: 'admitted', takenAt: 'now', condition: null };
const answer = { postId: 'post_1', traceId: null, queuedTargets: 1 };
const accepted = { outcome: 'accepted', answer };
const replay = { answer, bodyHash: 'other' } as unknown as Replay;

interface Script {
  readonly body?: object;
  /** Verdicts; the last one is repeated. */
  readonly verdicts: readonly PostVerdict[];
  /** The result of each append; the last one is repeated. */
  readonly appends?: readonly (object | Error)[];
  readonly areUnread?: boolean;
}

/** Sends one post through a gate whose steps follow a script, and returns the steps that it took. */
const receive = async ({ body = { text: 'hi' }, verdicts, appends = [accepted], areUnread = false }: Script) => {
  const steps: string[] = [];
  const next = <Item>(items: readonly Item[], done: string): Item =>
    items[Math.min(steps.filter((step) => step.startsWith(done)).length, items.length - 1)]!;
  let version = 0;
  const identified = (step: string): Promise<EndpointSnapshot> => {
    steps.push(step);
    const snapshot = {
      endpoint_id: 'ep_1',
      version: String(++version),
      projects: [{ project_id: 'prj_1', channels: [] }],
    };
    return Promise.resolve(snapshot as unknown as EndpointSnapshot);
  };
  const request = { headers: {}, raw: {}, logEntry: {}, receivedBytes: 0, arrivedAt: 0 } as unknown as FastifyRequest;
  const bytes = Buffer.from(JSON.stringify(body));
  const gateRequest = { request, sender: null, body: { receive: () => Promise.resolve({ ok: true, bytes }) } };
  const identification = {
    openEndpointRequest: () => gateRequest as unknown as GateRequest,
    identify: () => identified('identify'),
    identifyAfresh: () => identified('identify afresh'),
  } as unknown as Identification;
  const limits = {
    findKeys: () => ({ keys: [], replay: null }) as unknown as KnownKeys,
    judgePost: ({ version: of }: EndpointSnapshot, { isAcceptable }: { isAcceptable: boolean }) => {
      const verdict = next(verdicts, 'judge');
      steps.push(`judge ${of}`);
      return Promise.resolve(isAcceptable || verdict.outcome !== 'admitted' ? verdict : { outcome: 'admissible' });
    },
    takeFromBudget: (_request: FastifyRequest, _endpoint: EndpointSnapshot, budget: string) => {
      steps.push(`budget of ${budget}`);
      return Promise.resolve(true);
    },
    areUnread: () => areUnread,
    releaseTokens: () => Promise.resolve(void steps.push('release tokens')),
  } as unknown as LimitGuard;
  const content = {
    findAcceptable: (_endpoint: EndpointSnapshot, post: ParsedPost, areMediaProbed: boolean) =>
      post.content.ok && (!post.content.payload.media || areMediaProbed)
        ? { payload: post.content.payload, channelIds: ['tgt_1'] }
        : null,
    check: (_: unknown, post: unknown) => {
      steps.push('check');
      return Promise.resolve(post);
    },
  } as unknown as ContentCheck;
  const accept = {
    execute: (post: NewPost) => {
      const result = next(appends, 'accept');
      steps.push(`accept ${String(post.condition?.version ?? 'unconditionally')}`);
      return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
    },
  } as unknown as AcceptPost;
  const gate = new Gate(PUBLIC_ONLY, identification, limits, content, accept, new PlatformCatalogue([]), {
    now: () => 0,
  });
  const result = await gate.receivePost(request, 'slug').then(
    (received) => received.result as object,
    (error: unknown) => error as object,
  );
  return { steps, result };
};

describe('the way of a post through the gate', () => {
  it('identifies, judges and accepts', async () => {
    const { steps, result } = await receive({ verdicts: [admitted] });
    expect(steps).toEqual(['identify', 'judge 1', 'accept unconditionally']);
    expect(result).toEqual(accepted);
  });

  it('judges again after it has probed the media, which takes time', async () => {
    const { steps } = await receive({ body: MEDIA, verdicts: [admitted] });
    expect(steps).toEqual(['identify', 'judge 1', 'check', 'judge 1', 'accept unconditionally']);
  });

  it('counts a replay, and accepts nothing', async () => {
    const { steps, result } = await receive({ verdicts: [{ outcome: 'replay', replay }] });
    expect(steps).toEqual(['identify', 'judge 1', 'budget of replays']);
    expect(result).toEqual({ outcome: 'replay', replay });
  });

  it('identifies a changed endpoint afresh, before it judges or accepts by it', async () => {
    const { steps } = await receive({ verdicts: [{ outcome: 'stale' }, admitted] });
    expect(steps).toEqual(['identify', 'judge 1', 'identify afresh', 'judge 2', 'accept unconditionally']);
  });

  it('starts afresh where the append finds the endpoint changed', async () => {
    const condition = { subject: 'ep_1', version: '1' };
    const { steps, result } = await receive({
      verdicts: [{ outcome: 'admitted', takenAt: null, condition }, admitted],
      appends: [new ConditionFailed(condition), accepted],
    });
    const once = ['identify', 'judge 1', 'accept 1', 'release tokens'];
    expect(steps).toEqual([...once, 'identify afresh', 'judge 2', 'accept unconditionally']);
    expect(result).toEqual(accepted);
  });

  it('gives up on an endpoint that changes all the time', async () => {
    const { steps, result } = await receive({ verdicts: [{ outcome: 'stale' }] });
    expect(result).toMatchObject({ status: 503, code: 'unavailable' });
    expect(steps.filter((step) => step.startsWith('judge'))).toHaveLength(10);
  });

  it('releases the tokens of a post that lost a race, and of one whose outcome is unknown', async () => {
    const lost = await receive({ verdicts: [admitted], appends: [{ outcome: 'replay', replay }] });
    expect(lost.steps.slice(2)).toEqual(['accept unconditionally', 'release tokens']);
    expect(lost.result).toEqual({ outcome: 'replay', replay });
    const unknown = await receive({ verdicts: [admitted], appends: [new Error('the store is away')] });
    expect(unknown.steps.slice(2)).toEqual(['accept unconditionally', 'release tokens']);
    expect(unknown.result).toMatchObject({ message: 'the store is away' });
  });

  it('counts a replay that only the append could find', async () => {
    const { steps } = await receive({
      verdicts: [admitted],
      appends: [{ outcome: 'replay', replay }],
      areUnread: true,
    });
    expect(steps.slice(2)).toEqual(['accept unconditionally', 'budget of replays', 'release tokens']);
  });
});
