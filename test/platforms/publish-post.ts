import type { JsonObject } from '../../src/kernel/json.js';
import type {
  PlatformChannel,
  PlatformPost,
  Publisher,
  SendContext,
  StepOutcome,
} from '../../src/platforms/publisher.js';

/** A post without anything, to be filled. */
export const postOf = (more: Partial<PlatformPost> = {}): PlatformPost => ({
  text: '',
  entities: [],
  media: [],
  buttons: [],
  isAdvertisement: false,
  ...more,
});

/** How far a post came: its last outcome, and what its steps answered until then. */
export interface Published {
  readonly outcome: StepOutcome | null;
  readonly results: Readonly<Record<string, JsonObject>>;
  readonly warnings: readonly string[];
  readonly textAfterTrim: string;
}

/** Takes a post through all its steps as far as they succeed, rendering anew after each, as a worker does. */
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
