import type { channel as channelDecider } from '../../../domain/channel/channel.decider.js';
import type { Origin } from '../../../kernel/events.js';
import type { PublishPayload } from '../../../payload/payload.js';
import type { PlatformChannel, Publisher, Rendering, SendContext } from '../../../platforms/publisher.js';
import type { ProcessedPost } from '../../../processing/process-post.js';
import type { ScheduledPublication } from '../../../projections/publish-schedule/publish-schedule.tables.js';
import type { ShutdownSignals } from '../../engine/shutdown-signals.js';
import type { RefusedMedia } from '../inputs/shared-inputs.js';

/** A connected channel, folded from its stream. */
export type Channel = NonNullable<ReturnType<typeof channelDecider.evolve>>;

/** Renders a post for its network. Results of completed steps may change the steps that follow. */
export type Render = (results: SendContext['results']) => Rendering;

/** A publication that this process may work on because it holds the channel's lease. */
export interface ClaimedPublication {
  readonly row: ScheduledPublication;
  /** Id of the worker under which this process holds the channel's lease. */
  readonly worker: string;
  readonly signals: ShutdownSignals;
  /** The origin of the attempt's events. */
  readonly origin: Origin;
}

/** The immutable facts of an attempt. */
export interface PublicationAttempt extends ClaimedPublication {
  /** Lets the owner's next publication prepare. Call it before network calls and waits; only the first call counts. */
  readonly endStart: () => void;
  readonly channel: Channel;
  /** How far the system clock was ahead of the monotonic clock when the attempt was prepared, in ms. */
  readonly clockLead: number;
  readonly payload: PublishPayload;
  readonly ownerId: string;
  readonly publisher: Publisher;
  /** The channel in the form that publishers expect. */
  readonly target: PlatformChannel;
  /** Revision of the project whose processing produced the text (D-28). */
  readonly projectRevision: string;
  readonly render: Render;
  /** Media that cannot be sent, as found during preparation. */
  readonly refusedMedia: RefusedMedia;
}

/** Returns the renderer of a processed post; a post that is filtered or held back has no steps. */
export const rendererOf = (
  { publisher, target }: Pick<PublicationAttempt, 'publisher' | 'target'>,
  processed: ProcessedPost,
): Render => {
  if (processed.kind !== 'post') return () => EMPTY_RENDERING;
  const { post, warnings } = processed;
  if (warnings.length === 0) return (results) => publisher.render(post, target, results);
  return (results) => {
    const rendering = publisher.render(post, target, results);
    return { ...rendering, warnings: [...warnings, ...rendering.warnings] };
  };
};

const EMPTY_RENDERING: Rendering = { steps: [], warnings: [], textAfterTrim: '', trimmedChars: 0 };
