import { setTimeout as sleep } from 'node:timers/promises';
import { postIdOf, RetryingClient } from './client.js';
import type { Network } from './e2e-harness.js';
import type { Endpoint, ManagementClient } from './management-client.js';
import type { Random } from './random.js';
import { until } from './until.js';

/** Time from the first acceptance to the first due time: ms per post, and the minimum in ms. */
const LEAD_MS = { each: 30, least: 4_000 };
/** Changes are sent at most this long before a post is due, in ms, so that some come too late. */
const RACE_MS = 400;
/** Minimum distance of a new due time, in ms: longer than a change takes to be written. */
const MOVED_BY_MS = 5_000;
const LANES = 4;
const FINAL = ['published', 'in_doubt', 'dismissed'];

/** Planned posts on one gateway that are changed while they are released, and the disturbance meanwhile. */
export interface PlannedScenario {
  readonly telegram: Network;
  readonly manage: ManagementClient;
  readonly endpoint: Endpoint;
  readonly random: Random;
  /** Current address of the API. */
  readonly url: () => string;
  readonly posts: number;
  /** Time between two due times, in ms. */
  readonly everyMs: number;
  /** Starts before the first due time; `remainingMs` returns the time until the last post is due. */
  readonly disturb: (remainingMs: () => number) => Promise<void>;
}

/** A planned post, and what its clients know about it. */
interface Plan {
  readonly id: string;
  dueAt: number;
  /** Texts that may be published: two if the outcome of a change is unknown. */
  texts: string[];
  /** False once its place in the order is unknown, or a change has released it. */
  isOrdered: boolean;
  /** True if a cancellation was accepted, before or after the release. */
  isCancelled: boolean;
}

interface ShownPost {
  readonly publish_at: string | null;
  readonly released_at: string | null;
  readonly publications: readonly { readonly state: string }[];
}

/**
 * Plans posts, changes some of them when they are about to be released, and audits: each post is released once, not
 * early, with the last content that was accepted, and in the order of the due times; no cancelled post is published.
 * @returns number of publications in doubt
 */
export const runPlannedScenario = async (scenario: PlannedScenario): Promise<number> => {
  const { manage, posts, everyMs, disturb } = scenario;
  const startAt = Date.now() + Math.max(LEAD_MS.least, posts * LEAD_MS.each);
  const plans = await planPosts(scenario, startAt);
  const endAt = startAt + posts * everyMs;
  await sleep(Math.max(0, startAt - RACE_MS - Date.now()));
  const remainingMs = () => endAt - Date.now();
  await Promise.all([disturb(remainingMs), changePosts(scenario, plans, endAt)]);
  const shown = new Map<Plan, ShownPost>();
  for (const plan of plans)
    shown.set(
      plan,
      await until(`${plan.id} is over`, async () => {
        const post = await manage.get<ShownPost>(`/posts/${plan.id}`);
        const states = post.publications.map(({ state }) => state);
        if (!states.every((state) => FINAL.includes(state))) throw new Error(JSON.stringify(states));
        return post;
      }),
    );
  return audit(scenario, plans, shown);
};

/** Plans posts that are due one after the other, in a random order of acceptance. */
const planPosts = async (
  { endpoint, random, url, posts, everyMs }: PlannedScenario,
  startAt: number,
): Promise<Plan[]> => {
  const client = new RetryingClient('planner', () => [url()]);
  const waiting = Array.from({ length: posts }, (_, n) => ({ n, rank: random.next() })).sort((a, b) => a.rank - b.rank);
  const plans: Plan[] = [];
  const lane = async (): Promise<void> => {
    for (let next; (next = waiting.pop());) {
      const [text, dueAt] = [`post ${next.n}, first text`, startAt + next.n * everyMs];
      const payload = { text, publish_at: new Date(dueAt).toISOString() };
      const { answer } = await client.send(endpoint, `post ${next.n}`, payload);
      // A post that was accepted when it was already due comes after others.
      const isOrdered = Date.now() + RACE_MS < dueAt;
      plans.push({ id: postIdOf(answer), dueAt, texts: [text], isOrdered, isCancelled: false });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return plans;
};

/** Changes posts shortly before they are due, until the last one is due. */
const changePosts = async (scenario: PlannedScenario, plans: readonly Plan[], endAt: number): Promise<void> => {
  const { random } = scenario;
  const changed = new Set<Plan>();
  const lane = async (n: number): Promise<void> => {
    for (let count = 0; Date.now() < endAt; count++) {
      await sleep(random.below(100));
      const now = Date.now();
      const near = plans.filter((plan) => !changed.has(plan) && Math.abs(plan.dueAt - now - RACE_MS / 2) < RACE_MS / 2);
      if (near.length < 2) continue;
      const plan = near[random.below(near.length)]!;
      changed.add(plan);
      await changePost(scenario, plan, `changed by ${n}, ${count}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, n) => lane(n)));
};

const changePost = async (scenario: PlannedScenario, plan: Plan, text: string): Promise<void> => {
  const kind = scenario.random.below(4);
  const movedTo = Date.now() + MOVED_BY_MS + scenario.random.below(1_000);
  const publishAt = { publish_at: new Date(kind === 3 ? plan.dueAt : movedTo).toISOString() };
  if (kind === 0) {
    const { status, isRepeated } = await send(scenario, plan, 'DELETE');
    plan.isCancelled = status === 200;
    plan.isOrdered &&= !isRepeated;
    return;
  }
  const body = kind === 1 ? { publish_at: null } : kind === 2 ? publishAt : { text, ...publishAt };
  const { status, isRepeated } = await send(scenario, plan, kind === 3 ? 'PUT' : 'PATCH', body);
  const isAccepted = status === 200;
  if (kind === 3 && isAccepted) plan.texts = [text];
  if (kind === 3 && !isAccepted && isRepeated) plan.texts.push(text);
  if (kind === 2 && isAccepted) plan.dueAt = movedTo;
  // The change itself released it, or may have released it.
  if (isAccepted ? kind === 1 || Date.now() > plan.dueAt : isRepeated) plan.isOrdered = false;
};

/** Sends a change until it is answered. `isRepeated`: an earlier try may have been written. */
const send = async ({ endpoint, url }: PlannedScenario, { id }: Plan, method: string, body?: object) => {
  for (let isRepeated = false; ; isRepeated = true) {
    const answer = await fetch(`${url()}${endpoint.path}/posts/${id}`, {
      method,
      headers: { authorization: `Bearer ${endpoint.token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => null); // the connection was refused or broke
    const status = answer?.status ?? 503;
    // 422: the time of a repeated change lies too far in the past by now. 429: the endpoint's budget of changes is used up.
    const isAnswer = [200, 409, 429].includes(status) || (isRepeated && status === 422);
    if (isAnswer) return { status, isRepeated };
    if (status !== 503) throw new Error(`${method} ${id}: ${status}`);
    await sleep(200);
  }
};

const audit = async (
  { telegram, manage, endpoint }: PlannedScenario,
  plans: readonly Plan[],
  shown: ReadonlyMap<Plan, ShownPost>,
): Promise<number> => {
  for (const plan of plans) {
    const { publish_at, released_at } = shown.get(plan)!;
    if (publish_at !== null && released_at !== null) expect(released_at >= publish_at).toBe(true);
    if (!plan.isCancelled) continue;
    const path = `/history/events?aggregate=post&id=${plan.id}&type=PlannedPublicationsCancelled`;
    await until(`${plan.id} was either cancelled while it was planned, or released before`, async () => {
      const { items } = await manage.get<{ items: object[] }>(path);
      return items.length > 0 === (released_at === null);
    });
  }
  let doubts = 0;
  for (const [n, { chatId }] of endpoint.channels.entries()) {
    const wall = (await telegram.control.readLedger({ channel: chatId })).map(({ text }) => text);
    expect(new Set(wall).size).toBe(wall.length);
    const placeOf = (plan: Plan): number => wall.findIndex((text) => plan.texts.includes(text));
    for (const plan of plans) {
      const isOnWall = placeOf(plan) >= 0;
      const { state } = shown.get(plan)!.publications[n] ?? { state: 'dismissed' };
      if (state === 'in_doubt') doubts += 1;
      if (state !== 'in_doubt') expect([plan, chatId, isOnWall]).toEqual([plan, chatId, state === 'published']);
    }
    const known = plans.flatMap(({ texts }) => texts);
    expect(wall.filter((text) => !known.includes(text))).toEqual([]);
    const ordered = plans
      .filter((plan) => plan.isOrdered && placeOf(plan) >= 0)
      .sort((a, b) => placeOf(a) - placeOf(b));
    const dueTimes = ordered.map(({ dueAt }) => dueAt);
    expect(dueTimes).toEqual(dueTimes.toSorted((a, b) => a - b));
  }
  return doubts;
};
