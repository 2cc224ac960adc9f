import fc from 'fast-check';
import { Schedule, type Timeline } from './timeline.js';

let schedule: Schedule;
beforeAll(async () => (schedule = await Schedule.start()));
afterAll(() => schedule.stop());

const CHANNELS = ['north', 'south'];
const PROJECTS = ['one', 'two'];

type Step = { readonly after: number } & (
  | { readonly do: 'accept'; readonly project: string; readonly channel: string }
  | { readonly do: 'pauseChannel' | 'pauseProject'; readonly minutes: number; readonly name: string }
  | { readonly do: 'resumeChannel' | 'resumeProject'; readonly name: string }
);

const after = fc.constantFrom(0, 0.5, 1, 3);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('accept' as const),
      after,
      project: fc.constantFrom(...PROJECTS),
      channel: fc.constantFrom(...CHANNELS),
    }),
  },
  ...(['Channel', 'Project'] as const).flatMap((kind) => {
    const name = fc.constantFrom(...(kind === 'Channel' ? CHANNELS : PROJECTS));
    return [
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant(`pause${kind}` as const),
          after,
          name,
          minutes: fc.integer({ min: 1, max: 8 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant(`resume${kind}` as const), after, name }) },
    ];
  }),
);

interface AcceptedPost {
  readonly name: string;
  readonly minute: number;
  readonly channel: string;
  readonly project: string;
  /** End of its project's pause; 0: accepted outside a pause. */
  notBefore: number;
}

/** The specification's rules for pauses and posts, independent of the schedule. All times are minutes. */
class Model {
  readonly waiting: AcceptedPost[] = [];
  private readonly ends = new Map<string, number>();
  private readonly lastBacklogMinute = new Map<string, number>();
  private posts = 0;

  private endOf(name: string): number {
    return this.ends.get(name) ?? 0;
  }

  accept(minute: number, project: string, channel: string): string {
    const name = `post ${++this.posts}`;
    const end = this.endOf(project);
    this.waiting.push({ name, minute, channel, project, notBefore: end > minute ? end : 0 });
    return name;
  }

  setEnd(name: string, minute: number, end: number): void {
    this.ends.set(name, end);
    for (const post of this.waiting) if (post.project === name && post.notBefore > minute) post.notBefore = end;
  }

  pause(name: string, minute: number, minutes: number): void {
    this.setEnd(name, minute, Math.max(this.endOf(name), minute + minutes));
  }

  resume(name: string, minute: number): void {
    if (this.endOf(name) > minute) this.setEnd(name, minute, minute);
  }

  /** Checks that a published post was allowed to go, in order, and spaced. */
  checkPublished(name: string, minute: number): void {
    const index = this.waiting.findIndex((post) => post.name === name);
    const [post] = this.waiting.splice(index, 1);
    const { channel, notBefore, minute: acceptedAt } = post!;
    expect({ name, minute, early: minute < Math.max(acceptedAt, notBefore, this.endOf(channel)) }).toMatchObject({
      early: false,
    });
    const earlier = this.waiting.slice(0, index).filter((other) => other.channel === channel);
    expect(earlier.filter((other) => other.notBefore <= minute)).toEqual([]);
    if (notBefore === 0 && acceptedAt >= this.endOf(channel)) return;
    expect(minute - (this.lastBacklogMinute.get(channel) ?? -1)).toBeGreaterThanOrEqual(1);
    this.lastBacklogMinute.set(channel, minute);
  }
}

/** Runs the steps on the schedule and on the model. */
const runSteps = async (time: Timeline, model: Model, steps: readonly Step[]): Promise<void> => {
  let minute = 0;
  let seen = 0;
  const publish = async (): Promise<void> => {
    const published = await time.publish(minute);
    for (; seen < published.length; seen++) model.checkPublished(...published[seen]!);
  };
  for (const step of steps) {
    minute += step.after;
    await publish();
    switch (step.do) {
      case 'accept':
        await time.accept(model.accept(minute, step.project, step.channel), step);
        break;
      case 'pauseChannel':
      case 'pauseProject':
        model.pause(step.name, minute, step.minutes);
        await time[step.do](step.minutes, step.name);
        break;
      case 'resumeChannel':
      case 'resumeProject':
        model.resume(step.name, minute);
        await time[step.do](step.name);
    }
  }
  minute += 8 + steps.length; // the longest pause, and a minute for each post
  await publish();
};

it(
  'publishes every post, none early, out of order, or within a minute of the previous one of a backlog, for any pauses (D-20, D-21)',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 24 }), async (steps) => {
        const model = new Model();
        await runSteps(schedule.newTimeline(), model, steps);
        expect(model.waiting).toEqual([]);
      }),
      { numRuns: process.env.TEST_LONG ? 500 : 25, seed: 21 },
    );
  },
  process.env.TEST_LONG ? 600_000 : 300_000,
);
