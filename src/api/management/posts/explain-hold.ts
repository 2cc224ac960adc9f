import { iso, isoOrNull } from '../../../kernel/instant.js';
import type { ScheduledPublication } from '../../../projections/publish-schedule/publish-schedule.tables.js';
import type { Hold, ScheduledWithHold } from '../../../projections/publish-schedule/holds.queries.js';

/** Returns a sentence for people: the rule that holds a publication back, until when, and what ends it sooner (D-36). */
export const explainHold = ({ rule, until }: Hold, { context, publication }: ScheduledWithHold): string => {
  const channel = context.channelName === null ? 'The channel' : `The channel "${context.channelName}"`;
  const project = context.projectName === null ? 'The project' : `The project "${context.projectName}"`;
  const when = until === null ? '' : ` until ${iso(until)}`;
  switch (rule) {
    case 'project_pause':
      return `${project} was paused when the post arrived: it waits${when}, or until the project is resumed.`;
    case 'channel_pause':
      return `${channel} is paused${when}, or until it is resumed.`;
    case 'backlog_spacing':
      return `Posts that a pause has held back are published one at a time; this is next, at ${isoOrNull(until)}.`;
    case 'earlier_publication': {
      const number = context.first ? `number ${context.first.sequence} of this channel` : 'an earlier one';
      const state = context.first?.state === 'publishing' ? 'which is being published' : `which waits${when}`;
      return `Posts keep their order: ${number} goes first, ${state}. This is number ${publication.sequence}.`;
    }
    case 'retry':
      return `The last attempt failed; the next one begins at ${isoOrNull(until)}.`;
    case 'platform_limit':
      return `The network asked for a delay; the next attempt begins at ${isoOrNull(until)}.`;
    case 'needs_attention':
      if (!context.channelEnabled) return `${channel} is disabled: enable it to publish the posts that wait.`;
      return `${channel} needs new credentials: ${context.attention?.message ?? 'the network refused the current ones.'} Its posts are held${when}.`;
    case 'quota':
      return `The month's posts are used up. This one is published with a post pack, a larger plan, or in the new month at ${isoOrNull(until)}.`;
  }
};

/**
 * Describes a queued publication that no rule holds back: it is due and waits for a worker. Of the rules of the contract
 * (management-api.md: `waiting_for`), the nearest is the place in the queue, or the retry that is due.
 * @param row undefined, or being published: the schedule and the other read models differ for a moment
 */
export const describeNext = (
  row: Pick<ScheduledPublication, 'state' | 'attempt' | 'retry_event'> | undefined,
): { readonly hold: Hold; readonly text: string } => {
  const due = { until: null, eventId: row?.retry_event ?? null };
  if (row?.state === 'queued' && row.attempt > 0)
    return {
      hold: { rule: 'retry', ...due },
      text: 'The next attempt is due: it begins as soon as a worker takes it up.',
    };
  return {
    hold: { rule: 'earlier_publication', ...due },
    text: 'No publication of this channel is in front of this one: it is sent as soon as a worker takes it up.',
  };
};
