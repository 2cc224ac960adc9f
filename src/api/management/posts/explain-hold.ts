import type { Attention } from '../../../domain/channel/channel.events.js';
import { iso, isoOrNull } from '../../../kernel/instant.js';
import { asSentence } from '../../../kernel/message.js';
import type { PlanHold } from '../../../projections/posts/post-plans.queries.js';
import {
  type DueWait,
  findDueWait,
  type Hold,
  type ScheduledWithHold,
} from '../../../projections/publish-schedule/holds.queries.js';
import { HOLD_MESSAGES as TEXTS } from '../messages.js';

/** Explains in a sentence which rule holds a publication back, until when, and what ends it sooner (D-36). */
export const explainHold = ({ rule, until }: Hold, { context, publication }: ScheduledWithHold): string => {
  const channel = context.channelName === null ? TEXTS.unnamedChannel : TEXTS.channel({ name: context.channelName });
  const project = context.projectName === null ? TEXTS.unnamedProject : TEXTS.project({ name: context.projectName });
  const when = until === null ? '' : TEXTS.until({ until: iso(until) });
  const end = String(isoOrNull(until));
  switch (rule) {
    case 'project_pause':
      return TEXTS.projectPause({ project, when });
    case 'channel_pause':
      return TEXTS.channelPause({ channel, when });
    case 'backlog_spacing':
      return TEXTS.backlogSpacing({ until: end });
    case 'earlier_publication': {
      const { sequence, state: stateOfFirst } = context.first!;
      const first = TEXTS.numberOfChannel({ number: sequence });
      const state = stateOfFirst === 'publishing' ? TEXTS.isPublished : TEXTS.waits({ when });
      const attempt = describeAttempt(context, TEXTS.itsAttempt);
      return TEXTS.earlierPublication({ first, state, attempt, number: publication.sequence });
    }
    case 'retry':
      return TEXTS.retry({ attempt: describeAttempt(context) || TEXTS.attemptFailed, until: end });
    case 'platform_limit':
      return TEXTS.platformLimit({ attempt: describeAttempt(context), until: end });
    case 'pace':
      return TEXTS.pace({ until: end });
    case 'share':
      return TEXTS.share;
    case 'needs_attention':
      return explainAttention(context, channel, publication.channel_id, when);
    case 'quota':
      return TEXTS.quota({ until: end });
  }
};

const explainAttention = (
  { channelEnabled, attention }: ScheduledWithHold['context'],
  channel: string,
  id: string,
  when: string,
): string => {
  const reason = describeAttention(attention);
  if (channelEnabled) return TEXTS.needsAttention({ channel, reason, when, id });
  return attention ? TEXTS.channelDisabledAndRefused({ channel, reason, id }) : TEXTS.channelDisabled({ channel });
};

/** Returns a sentence that states the refusal, what to do about it, and the network's own message. */
const describeAttention = (attention: Attention | null): string => {
  if (!attention) return TEXTS.networkRefuses;
  const { message, platform_says } = attention;
  return quote(platform_says === null ? { message } : { message, platform_says });
};

/** Describes the latest attempt and its error. Ends with a space; empty if there was no attempt. */
const describeAttempt = (
  { lastAttempt }: ScheduledWithHold['context'],
  name: typeof TEXTS.attempt = TEXTS.attempt,
): string => {
  if (!lastAttempt) return '';
  const { number, of, isUnderWay, error } = lastAttempt;
  const attempt = name({ number, of });
  if (isUnderWay) return error ? TEXTS.underWayAfter({ attempt, error: quote(error) }) : TEXTS.underWay({ attempt });
  return error ? TEXTS.failedBecause({ attempt, error: quote(error) }) : TEXTS.failed({ attempt });
};

const quote = ({ message, platform_says }: { readonly message: string; readonly platform_says?: string }): string => {
  const error = asSentence(message);
  return platform_says === undefined ? error : TEXTS.platformSays({ error, text: platform_says });
};

/** Describes a queued publication that no rule holds back. @param scheduled as for {@link findDueWait} */
export const describeNext = (
  scheduled: ScheduledWithHold | undefined,
): { readonly wait: DueWait; readonly text: string } => {
  const wait = findDueWait(scheduled?.publication);
  const isRetryDue = scheduled !== undefined && wait.rule === 'retry';
  const text = isRetryDue ? TEXTS.retryDue({ attempt: describeAttempt(scheduled.context) }) : TEXTS.nextInQueue;
  return { wait, text };
};

/** Explains what a planned post waits for (D-65, D-80). */
export const explainPlan = ({ rule, publishAt }: PlanHold): string => {
  if (rule === 'restored') return TEXTS.restored;
  if (rule === 'scheduled') return TEXTS.scheduled({ at: String(isoOrNull(publishAt)) });
  return publishAt === null ? TEXTS.approval : TEXTS.approvalAndTime({ at: iso(publishAt) });
};
