// More than 20 s: each random plan runs through a whole gateway, whose worker waits for the tests' clock.
import fc from 'fast-check';
import { iso } from '../../../src/kernel/clock.js';
import { type TestChannel, type TestEndpoint, TestGateway } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';
import { PlanModel } from './plan-model.js';

const LONG = Boolean(process.env.TEST_LONG);
const RUNS = LONG ? 200 : 6;
const STEPS = { minLength: 15, maxLength: 40 };
const MINUTE = 60_000;

/** The time of every process. It moves only when a test moves it, so that each release is expected at a known step. */
let now = Date.UTC(2026, 10, 27, 12);
let gateway: TestGateway;
let ownerId: string;

beforeAll(async () => {
  const clock = { now: () => now };
  gateway = await TestGateway.start({}, clock, { clock });
  ownerId = await gateway.createOwner();
});
afterAll(() => gateway.stop());

/** A step of a run; `post` is a random number that chooses one of the posts so far. */
const anyStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('plan' as const),
      needsApproval: fc.boolean(),
      minutes: fc.integer({ min: 1, max: 30 }),
      targets: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      post: fc.nat(),
      minutes: fc.option(fc.integer({ min: 1, max: 30 })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('replace' as const),
      post: fc.nat(),
      minutes: fc.option(fc.integer({ min: 1, max: 30 })),
      targets: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), post: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('approve' as const, 'reject' as const), post: fc.nat() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('resume' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('back' as const), minutes: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('step' as const), minutes: fc.integer({ min: 1, max: 15 }) }) },
);
type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

/** One run: a gateway's endpoint with two channels, and the model of it. */
class Run {
  private readonly model = new PlanModel();
  private readonly endpointOf = new Map<string, TestEndpoint>();
  private count = 0;

  private constructor(
    private readonly channels: readonly TestChannel[],
    /** An endpoint that publishes without approval, and one that requires it. */
    private readonly endpoints: readonly [TestEndpoint, TestEndpoint],
    private readonly start: bigint,
  ) {}

  static async begin(): Promise<Run> {
    const channels = [await gateway.createChannel(ownerId), await gateway.createChannel(ownerId)];
    const projects = [await gateway.createProject(ownerId, channels)];
    const endpoint = await gateway.createEndpoint(ownerId, projects);
    const careful = await gateway.createEndpoint(ownerId, projects, { requires_approval: true });
    return new Run(channels, [endpoint, careful], await gateway.infrastructure.store.readHead());
  }

  async execute(step: Step): Promise<void> {
    switch (step.kind) {
      case 'plan': {
        const [text, publishAt] = [this.nextText(), now + step.minutes * MINUTE];
        const endpoint = this.endpoints[Number(step.needsApproval)]!;
        const { status, body } = await endpoint.post('', this.payloadOf(text, step.targets, publishAt));
        expect([status, body.state]).toEqual([200, 'planned']);
        this.endpointOf.set(body.id, endpoint);
        return this.model.plan(body.id, text, publishAt, this.targetsOf(step.targets), step.needsApproval);
      }
      case 'move': {
        const id = this.model.choose(step.post);
        if (!id) return;
        const publishAt = step.minutes === null ? null : now + step.minutes * MINUTE;
        const answer = await this.change('PATCH', id, { publish_at: publishAt === null ? null : iso(publishAt) });
        return this.expectAnswer(answer, this.model.move(id, publishAt));
      }
      case 'replace': {
        const id = this.model.choose(step.post);
        if (!id) return;
        const [text, publishAt] = [this.nextText(), step.minutes === null ? null : now + step.minutes * MINUTE];
        const answer = await this.change('PUT', id, this.payloadOf(text, step.targets, publishAt));
        return this.expectAnswer(answer, this.model.replace(id, text, publishAt, this.targetsOf(step.targets)));
      }
      case 'cancel': {
        const id = this.model.choose(step.post);
        if (!id || this.model.isReleased(id)) return;
        expect((await this.change('DELETE', id)).body.cancelled).toBe(this.model.cancel(id));
        return;
      }
      case 'approve':
      case 'reject': {
        const id = this.model.choose(step.post);
        if (!id) return;
        const { revision } = await gateway.manage('GET', `/posts/${id}`);
        const body = step.kind === 'reject' ? { reason: 'not now' } : { revision };
        const answer = await gateway.callManagement('POST', `/posts/${id}/${step.kind}`, body);
        const expected = this.model.decide(id, step.kind, now);
        const code = answer.status === 200 ? this.model.stateOf(id) : answer.body.code;
        expect([answer.status === 200 || answer.status === 409, code]).toEqual([true, expected]);
        return;
      }
      case 'pause':
        await gateway.manage('POST', `/channels/${this.channels[0]!.id}/pause`, { minutes: 5 });
        return;
      case 'resume':
        await gateway.manage('POST', `/channels/${this.channels[0]!.id}/resume`);
        return;
      case 'back':
        now -= step.minutes * MINUTE;
        return;
      case 'step':
        return this.moveClock(step.minutes * MINUTE);
    }
  }

  /** Lets everything become due, and compares releases and walls with the model. */
  async finish(): Promise<void> {
    await this.moveClock(3 * 60 * MINUTE);
    await gateway.manage('POST', `/channels/${this.channels[0]!.id}/resume`);
    const events = await gateway.infrastructure.store.readAll({
      after: this.start,
      limit: 10_000,
      types: ['PostReleased'],
    });
    const released = events.map((event) => gateway.infrastructure.codec.decode(event).data as Released);
    expect(released.map(({ postId }) => postId)).toEqual(this.model.released);
    for (const { at, publishAt } of released) expect(at).toBeGreaterThanOrEqual(publishAt ?? at);
    for (const [n, { chatId }] of this.channels.entries()) {
      const expected = this.model.wallOf(n);
      for (let count = 1; count <= expected.length; count++) {
        await until(`${count} posts of ${chatId}`, async () => (await gateway.readWall(chatId)).length >= count);
        // The backlog of a pause goes out one post a minute.
        now += MINUTE;
      }
      expect(await gateway.readWall(chatId)).toEqual(expected);
    }
  }

  private async moveClock(ms: number): Promise<void> {
    now += ms;
    const due = this.model.releaseDue(now);
    for (const id of due)
      await until(`${id} is released`, async () => (await gateway.manage('GET', `/posts/${id}`)).released_at);
  }

  private expectAnswer(
    { status, body }: { status: number; body: { code?: string; state?: string } },
    expected: string,
  ): void {
    expect([status, body.code ?? body.state]).toEqual([status === 200 ? 200 : 409, expected]);
  }

  private nextText = (): string => `text ${++this.count}`;
  private targetsOf = (mask: number): number[] => [0, 1].filter((n) => mask & (1 << n));
  private payloadOf = (text: string, mask: number, publishAt: number | null) => ({
    text,
    ...(publishAt !== null && { publish_at: iso(publishAt) }),
    targets: this.targetsOf(mask).map((n) => ({ id: this.channels[n]!.id })),
  });

  private change(method: string, id: string, body?: object) {
    const { slug, token } = this.endpointOf.get(id)!;
    return gateway.call(method, `/v1/webhooks/${slug}/posts/${id}`, {
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  }
}

interface Released {
  readonly postId: string;
  readonly at: number;
  readonly publishAt: number | null;
}

/** Leaves a backlog behind a pause until the end of the run. */
const PAUSED_BACKLOG: Step[] = [
  { kind: 'pause' },
  ...[1, 2, 2].map((minutes) => ({ kind: 'plan', needsApproval: false, minutes, targets: 1 }) as const),
  { kind: 'step', minutes: 3 },
];

it(`releases random plans once, never early, with the last content, in order (${RUNS} runs)`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, STEPS), async (steps) => {
      const run = await Run.begin();
      for (const step of steps) await run.execute(step);
      await run.finish();
    }),
    { numRuns: RUNS, endOnFailure: true, examples: [[PAUSED_BACKLOG]] },
  );
});
