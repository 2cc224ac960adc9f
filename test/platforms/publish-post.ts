import type { JsonObject } from '../../src/kernel/ids.js';
import type {
  PlatformChannel,
  PlatformPost,
  Publisher,
  SendContext,
  StepOutcome,
} from '../../src/platforms/publisher.js';

/** Returns an empty post with some fields set. */
export const postOf = (more: Partial<PlatformPost> = {}): PlatformPost => ({
  text: '',
  entities: [],
  media: [],
  buttons: [],
  isAdvertisement: false,
  ...more,
});

/** Progress of a post: its last outcome and the results of its steps. */
export interface Published {
  readonly outcome: StepOutcome | null;
  readonly results: Readonly<Record<string, JsonObject>>;
  readonly warnings: readonly string[];
  readonly textAfterTrim: string;
}

/** Runs the steps of a post while they succeed. Renders the post again after each step, as a worker does. */
export const publishPost = async (
  publisher: Publisher,
  post: PlatformPost,
  channel: PlatformChannel,
  context: Omit<SendContext, 'results' | 'channel'> & { readonly results?: SendContext['results'] },
): Promise<Published> => {
  const results: Record<string, JsonObject> = { ...context.results };
  let outcome: StepOutcome | null = null;
  for (;;) {
    const { steps, warnings, textAfterTrim } = publisher.render(post, channel, results);
    const step = steps.find(({ name }) => !(name in results));
    const end = { outcome, results, warnings: warnings.map(({ code }) => code), textAfterTrim };
    if (!step) return end;
    outcome = await publisher.send(step, { ...context, channel, results });
    if (outcome.kind !== 'done') return { ...end, outcome };
    results[step.name] = outcome.result;
  }
};
