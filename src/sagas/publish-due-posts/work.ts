import type { channel as channelDecider } from '../../domain/channel/channel.decider.js';
import type { PublicationState } from '../../domain/publication/publication.decider.js';
import type { Loaded } from '../../event-store/streams.js';
import type { Origin } from '../../kernel/events.js';
import type { PublishPayload } from '../../payload/payload.js';
import type { PlatformChannel, Publisher, Rendering, SendContext, Step } from '../../platforms/publisher.js';
import type { ScheduledPublication } from '../../projections/publish-schedule/publish-schedule.tables.js';
import type { Ending } from './ending.js';

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
  /** The network, and the channel as it gets to see it. */
  readonly publisher: Publisher;
  readonly target: PlatformChannel;
  /** What the post becomes, as far as is known. */
  readonly render: (results: SendContext['results']) => Rendering;
  /** The publication's stream as this worker left it. */
  loaded: Loaded<PublicationState>;
}

/** The name of a step that readers would see; null for any other. */
export const visible = (step: Step | undefined): string | null => (step?.visible ? step.name : null);

/** The first step of a rendering that is not done. */
export const nextStep = ({ steps }: Rendering, results: SendContext['results']): Step | undefined =>
  steps.find(({ name }) => !(name in results));
