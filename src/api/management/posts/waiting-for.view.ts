import { iso, isoOrNull } from '../../../kernel/instant.js';
import type { Hold, Scheduled } from '../../../projections/publish-schedule/holds.queries.js';

/** Why a publication waits (D-36; management-api.md: `waiting_for`); null where nothing holds it back. */
export const waitingForView = (scheduled: Scheduled): object | null => {
  const { hold } = scheduled;
  if (!hold) return null;
  return { rule: hold.rule, until: isoOrNull(hold.until), event_id: hold.eventId, text: sentence(hold, scheduled) };
};

/** A sentence for people: what holds it, until when, and what ends it sooner. */
const sentence = ({ rule, until }: Hold, { context, publication }: Scheduled): string => {
  const channel = context.channelName === null ? 'The channel' : `The channel "${context.channelName}"`;
  const project = context.projectName === null ? 'The project' : `The project "${context.projectName}"`;
  const when = until === null ? '' : ` until ${iso(until)}`;
  switch (rule) {
    case 'project_pause':
      return `${project} was paused when the post came: it waits${when}, or until the project is resumed.`;
    case 'channel_pause':
      return `${channel} is paused${when}, or until it is resumed.`;
    case 'backlog_spacing':
      return `What a pause has held back goes out one after the other; this is next, at ${isoOrNull(until)}.`;
    case 'earlier_publication': {
      const number = context.first ? `number ${context.first.sequence} of this channel` : 'an earlier one';
      const state = context.first?.state === 'publishing' ? 'which is being published' : `which waits${when}`;
      return `Posts keep their order: ${number} goes first, ${state}. This is number ${publication.sequence}.`;
    }
    case 'retry':
      return `The last attempt did not go through; the next one begins at ${isoOrNull(until)}.`;
    case 'platform_limit':
      return `The network asked for a wait; the next attempt begins at ${isoOrNull(until)}.`;
    case 'needs_attention':
      if (!context.channelEnabled) return `${channel} is switched off: enable it to publish what waits.`;
      return `${channel} needs new credentials: ${context.attention?.message ?? 'the network refused the present ones'} It is held${when}.`;
    case 'quota':
      return `The month's posts are used up. It goes out with a post pack, a larger plan, or the new month at ${isoOrNull(until)}.`;
  }
};
