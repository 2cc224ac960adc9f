import type { Api } from '../api/management.js';
import type { Names } from '../api/things.js';
import { networkInText } from '../components/networks.js';
import { type Format, type Sentence, sentence } from '../i18n/format.js';
import type { WaitingMessages } from './messages.js';
import { countMessages, isEndedByPerson, type Publication, settledAs, type WaitRule } from './shown-state.js';

/** The fields of a publication that explain why it waits. */
export type Waiting = Pick<
  Api<'Publication'>,
  'state' | 'waiting_for' | 'platform' | 'target_id' | 'project_id' | 'sequence' | 'attempts' | 'published_at'
> &
  Partial<Pick<Publication, 'withdrawal' | 'message_ids' | 'duplicates'>>;

/** Messages, names and formats used in the sentences. */
export interface WaitingContext {
  readonly m: WaitingMessages;
  readonly names: Pick<Names, 'channel' | 'project'>;
  readonly format: Format;
}

/**
 * Returns the rule that makes a publication wait. If the publication is waiting for an earlier publication, returns the
 * rule that delays the earlier publication.
 */
export const causeOf = (publication: Waiting): WaitRule | null => {
  const rule = publication.waiting_for?.rule ?? null;
  return rule === 'earlier_publication' ? (publication.waiting_for?.figures.blocked_by_rule ?? rule) : rule;
};

/** Returns whether a publication, or the publication ahead of it, is waiting for someone to act. */
export const waitsForPerson = (publication: Waiting): boolean => {
  const cause = causeOf(publication);
  return publication.state === 'in_doubt' || publication.state === 'withdraw_failed' || isEndedByPerson(cause);
};

const valuesOf = (publication: Waiting, { m, names, format }: WaitingContext) => {
  const channel = names.channel(publication.target_id);
  const figures = publication.waiting_for?.figures;
  const number = (value: number | null | undefined): string | null =>
    value === null || value === undefined ? null : format.number(value);
  return {
    channel: { name: channel?.name ?? m.channel },
    project: { name: names.project(publication.project_id)?.name ?? m.project },
    network: networkInText(publication.platform),
    isDisabled: channel?.status === 'disabled',
    hasNoCredentials: channel?.attention?.code.startsWith('credentials_') ?? false,
    until: publication.waiting_for?.until ?? null,
    first: number(figures?.first_sequence),
    attempt: number(figures?.attempt),
    of: number(figures?.of),
  };
};

/** Describes how far the deletion of a publication is, or what delays it. */
const describeDeletion = (
  { withdrawal, message_ids: ids = [], duplicates = [] }: Waiting,
  { m: { short }, format }: WaitingContext,
  network: string,
): Sentence => {
  switch (withdrawal?.waiting_for?.rule) {
    case 'platform_limit':
      return sentence(short.platformLimit, { network });
    case 'needs_attention':
      return sentence(short.refused, { network });
    case 'retry':
      return sentence(short.notDeletedYet);
    case undefined: {
      const { all, left } = countMessages({ message_ids: ids, duplicates, withdrawal: withdrawal ?? null });
      if (all <= 1) return sentence(short.deleting);
      return sentence(short.deleted, { deleted: format.number(all - left), all: format.number(all) });
    }
  }
};

/**
 * Describes in a few words why a publication is waiting, or what happened to it: `VK asked for a delay`.
 * @param follows true if the publication that it is waiting for is shown just above it
 */
export const describeShortly = (publication: Waiting, context: WaitingContext, follows = false): Sentence => {
  const { short } = context.m;
  const { channel, project, network, ...values } = valuesOf(publication, context);
  const attempts = publication.attempts.length;
  switch (publication.state) {
    case 'in_doubt':
      return sentence(short.inDoubt, { network });
    case 'failed':
      return sentence(short.failed(attempts, context.format.number(attempts)));
    case 'published':
      return sentence(short.published, { at: { at: publication.published_at ?? '' } });
    case 'withdrawing':
      return describeDeletion(publication, context, network);
    case 'withdrawn':
      return sentence(short.withdrawn, { at: { at: publication.withdrawal?.ended_at ?? '' } });
    case 'withdraw_failed':
      return sentence(short.notTakenBack);
    case 'dismissed':
      return sentence(publication.withdrawal?.remaining.length === 0 ? short.notSent : short[settledAs(publication)]);
    case 'filtered':
    case 'publishing':
      return sentence(short[publication.state]);
    case 'planned':
    case 'queued':
  }
  switch (publication.waiting_for?.rule) {
    case 'scheduled':
      return values.until === null ? sentence(short.next) : sentence(short.scheduled, { until: { at: values.until } });
    case 'approval':
      return sentence(short.approval);
    case 'restored':
      return sentence(short.restored);
    case 'project_pause':
      return sentence(short.paused, { name: project });
    case 'channel_pause':
      return sentence(short.paused, { name: channel });
    case 'backlog_spacing':
      return sentence(short.backlogSpacing);
    case 'earlier_publication':
      if (follows) return sentence(short.rightAfterIt);
      return values.first === null
        ? sentence(short.afterAnother)
        : sentence(short.afterNumber, { first: values.first });
    case 'retry':
      return values.attempt === null || values.of === null
        ? sentence(short.retryUncounted)
        : sentence(short.retry, { attempt: values.attempt, of: values.of });
    case 'platform_limit':
      return sentence(short.platformLimit, { network });
    case 'pace':
      return sentence(short.pace, { network });
    case 'share':
      return sentence(short.share);
    case 'needs_attention':
      if (values.isDisabled) return sentence(short.disabled, { name: channel });
      return values.hasNoCredentials
        ? sentence(short.noCredentials, { name: channel })
        : sentence(short.refused, { network });
    case 'quota':
      return sentence(short.quota);
    case null:
    case undefined:
      return sentence(short.next);
  }
};
