import type { channel as channelDecider } from '../../../domain/channel/channel.decider.js';
import type { PublicationState } from '../../../domain/publication/publication.decider.js';
import type { Loaded } from '../../../event-store/aggregate-store.js';
import type { Origin } from '../../../kernel/events.js';
import type { PublishPayload } from '../../../payload/payload.js';
import type { PlatformChannel, Publisher, Rendering, SendContext, Step } from '../../../platforms/publisher.js';
import type { Processed } from '../../../processing/process-post.js';
import type { ScheduledPublication } from '../../../projections/publish-schedule/publish-schedule.tables.js';
import type { Ending } from '../shutdown-signals.js';

/** A channel as its stream has it. */
export type Channel = NonNullable<ReturnType<typeof channelDecider.evolve>>;

/** One publication on its way: what is known of it while it is being worked on. */
export interface Work {
  readonly row: ScheduledPublication;
  /** Name under which this process holds the channel. */
  readonly worker: string;
  readonly ending: Ending;
  readonly origin: Origin;
  readonly channel: Channel;
  readonly payload: PublishPayload;
  readonly ownerId: string;
  /** The network, and the channel as it gets to see it. */
  readonly publisher: Publisher;
  readonly target: PlatformChannel;
  /** Revision of the project whose processing made the text (D-28). */
  readonly projectRevision: string;
  /** What the post becomes, as far as is known. */
  readonly render: (results: SendContext['results']) => Rendering;
  /** The publication's stream as this worker left it. */
  loaded: Loaded<PublicationState>;
}

/** A publication of which is not known yet what its project makes of it. */
export type Unprocessed = Omit<Work, 'render' | 'projectRevision'>;

/** How a processed post becomes calls, and what is told of it; of one that does not go there are none. */
export const rendererOf = ({ publisher, target }: Unprocessed, processed: Processed): Work['render'] => {
  if (processed.kind !== 'post') return () => NOTHING;
  const { post, warnings } = processed;
  if (warnings.length === 0) return (results) => publisher.render(post, target, results);
  return (results) => {
    const rendering = publisher.render(post, target, results);
    return { ...rendering, warnings: [...warnings, ...rendering.warnings] };
  };
};

/** No calls, and nothing to tell. */
export const NOTHING: Rendering = { steps: [], warnings: [], textAfterTrim: '', trimmedChars: 0 };

/** The name of a step that readers would see; null for any other. */
export const visible = (step: Step | undefined): string | null => (step?.visible ? step.name : null);

/** The first step of a rendering that is not done. */
export const nextStep = ({ steps }: Rendering, results: SendContext['results']): Step | undefined =>
  steps.find(({ name }) => !(name in results));
