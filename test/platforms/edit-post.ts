import type {
  EditOutcome,
  EditRefusal,
  EditRendering,
  PlatformChannel,
  PlatformPost,
  PublishedPost,
  Publisher,
  SendContext,
} from '../../src/platforms/publisher.js';

/** What became of an edit. */
export interface Edited {
  /** Codes and messages of a refusal before any call. */
  readonly refusal?: EditRefusal['refusal'];
  /** Outcomes of the steps, by name; ends with the first that is not done. */
  readonly outcomes: Readonly<Record<string, EditOutcome>>;
  readonly warnings: readonly string[];
  /** Calls that the last rendering lists. */
  readonly steps: EditRendering['steps'];
  /** The post as published afterwards, if all steps are done. */
  readonly published: PublishedPost;
}

/** Publishes a post as a worker does, and returns what it keeps: all results except for the last step's. */
export const publishForEdit = async (
  publisher: Publisher,
  post: PlatformPost,
  channel: PlatformChannel,
  context: Omit<SendContext, 'results' | 'channel'>,
): Promise<PublishedPost> => {
  const results: Record<string, SendContext['results'][string]> = {};
  const messageIds: string[] = [];
  let last = '';
  for (;;) {
    const { steps } = publisher.render(post, channel, results);
    const step = steps.find(({ name }) => !(name in results));
    if (!step) {
      const { [last]: _, ...kept } = results;
      return { post, results: kept, messageIds };
    }
    const outcome = await publisher.send(step, { ...context, channel, results });
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
    messageIds.push(...outcome.messageIds);
    results[step.name] = outcome.result;
    last = step.name;
  }
};

/** Edits a post step by step, rendered again after each upload. */
export const editPost = async (
  publisher: Publisher,
  published: PublishedPost,
  post: PlatformPost,
  channel: PlatformChannel,
  context: Omit<SendContext, 'results' | 'channel'>,
): Promise<Edited> => {
  const results: Record<string, SendContext['results'][string]> = {};
  const outcomes: Record<string, EditOutcome> = {};
  for (;;) {
    const rendered = publisher.renderEdit!(published, post, channel, results);
    if ('refusal' in rendered) return { refusal: rendered.refusal, outcomes, warnings: [], steps: [], published };
    const { steps, warnings, resultsAfter } = rendered;
    const end = { outcomes, steps, warnings: warnings.map(({ code }) => code) };
    const step = steps.find(({ name }) => !(name in outcomes));
    if (!step) return { ...end, published: { post, results: resultsAfter, messageIds: published.messageIds } };
    const outcome = await publisher.edit!(step, { ...context, channel, results });
    outcomes[step.name] = outcome;
    if (outcome.kind !== 'done') return { ...end, published };
    if (step.messageId === null) results[step.name] = outcome.result;
  }
};
