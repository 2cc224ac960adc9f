import type { channel as channelDecider } from '../../../domain/channel/channel.decider.js';
import type { Origin } from '../../../kernel/events.js';
import type { PublishPayload } from '../../../payload/payload.js';
import type { PlatformChannel, Publisher, Rendering, SendContext } from '../../../platforms/publisher.js';
import type { ProcessedPost } from '../../../processing/process-post.js';
import type { ScheduledPublication } from '../../../projections/publish-schedule/publish-schedule.tables.js';
import type { ShutdownSignals } from '../../engine/shutdown-signals.js';
import type { RefusedMedia } from '../inputs/shared-media.js';

/** A connected channel, folded from its stream. */
export type Channel = NonNullable<ReturnType<typeof channelDecider.evolve>>;

/** Renders a post for its network. Results of completed steps may change the steps that follow. */
export type Render = (results: SendContext['results']) => Rendering;

/** A publication that this process may work on, as it holds the channel's lease. */
export interface ClaimedPublication {
  readonly row: ScheduledPublication;
  /** Worker id under which this process holds the channel's lease. */
  readonly worker: string;
  readonly signals: ShutdownSignals;
}

/** A claimed publication, and the origin of the attempt's events. */
export interface RecordedAttempt extends ClaimedPublication {
  readonly origin: Origin;
}

/** Everything about an attempt at one publication that stays the same from its start to its end. */
export interface PublicationAttempt extends RecordedAttempt {
  readonly channel: Channel;
  /** Lead of the system clock over the monotonic one, ms, when the attempt was made ready. */
  readonly clockLead: number;
  readonly payload: PublishPayload;
  readonly ownerId: string;
  readonly publisher: Publisher;
  /** The channel in the form that the publisher takes. */
  readonly target: PlatformChannel;
  /** Revision of the project whose processing made the text (D-28). */
  readonly projectRevision: string;
  readonly render: Render;
  /** The media that cannot be sent, as the preparation found them. */
  readonly refusedMedia: RefusedMedia;
}

/** An attempt before its project's processing has run. */
export type UnprocessedAttempt = Omit<PublicationAttempt, 'render' | 'projectRevision' | 'refusedMedia'>;

/** Returns the renderer of a processed post. A post that processing keeps back has no steps and no warnings. */
export const rendererOf = ({ publisher, target }: UnprocessedAttempt, processed: ProcessedPost): Render => {
  if (processed.kind !== 'post') return () => EMPTY_RENDERING;
  const { post, warnings } = processed;
  if (warnings.length === 0) return (results) => publisher.render(post, target, results);
  return (results) => {
    const rendering = publisher.render(post, target, results);
    return { ...rendering, warnings: [...warnings, ...rendering.warnings] };
  };
};

const EMPTY_RENDERING: Rendering = { steps: [], warnings: [], textAfterTrim: '', trimmedChars: 0 };
