import type { ReactNode } from 'react';
import type { Api } from '../../api/management.js';
import type { Names } from '../../api/things.js';
import { ExternalLink } from '../../components/button.js';
import { networkInText } from '../../components/icon.js';
import { GatewayText, SentenceText } from '../../components/sentence.js';
import { format, sentence } from '../../i18n/format.js';
import type { Publication } from '../../publications/states.js';
import { WaitingReasonAndTime } from '../../publications/waiting.js';
import { publicationMessages as m } from './messages.js';
import { Attempt, Cause, ChangeError, NextAttempt, Requested, useActor, versionIn, Waited } from './step-parts.js';
import { member, type Step, textMember } from './story.js';

/** The data that story sentences refer to. */
export interface StoryContext {
  readonly publication: Publication;
  readonly post: Api<'PostWithPayload'>;
  readonly request: Api<'StoryRequest'> | null;
  readonly names: Names;
  /** An attempt's API calls, shown when it is expanded. */
  readonly calls: ReactNode;
}

/** A step of a story in words. */
export const StepText = ({ step, context }: { readonly step: Step; readonly context: StoryContext }) => {
  const { publication, post, names } = context;
  const actorName = useActor();
  const { event } = step;
  const network = networkInText(publication.platform);
  const who = (text: string, by: string | null = null) => (
    <b>
      <SentenceText of={sentence(text, { who: actorName(by === null ? (event ?? { actor: '' }) : { actor: by }) })} />
    </b>
  );
  switch (step.kind) {
    case 'requested':
      return <Requested step={step} context={context} who={who(m.requested)} />;
    case 'accepted':
      return (
        <>
          <b>{m.acceptedTitle}</b> {m.acceptedFor(format.number(post.publications.length), post.publications.length)}{' '}
          {m.becameNumber(format.number(publication.sequence ?? 0))}
        </>
      );
    case 'wait':
      return <Waited step={step} />;
    case 'attempt':
      return <Attempt step={step} calls={context.calls} />;
    case 'published':
      return (
        <>
          <b>{m.published}</b>{' '}
          {m.took(format.latency(Math.max(0, Date.parse(event?.at ?? '') - Date.parse(post.accepted_at))))}{' '}
          {publication.urls[0] !== undefined && <ExternalLink href={publication.urls[0]}>{m.open}</ExternalLink>}
          {publication.warnings.map(
            ({ code, message }) =>
              code !== 'published_twice' && (
                <p key={code}>
                  <GatewayText text={message} />
                </p>
              ),
          )}
        </>
      );
    case 'retry':
    case 'slowed':
    case 'refused':
    case 'interrupted':
      return (
        <>
          <b>
            <SentenceText of={sentence(m[step.kind], { network })} />
          </b>{' '}
          <NextAttempt step={step} />
          <Cause step={step} publication={publication} />
        </>
      );
    case 'failed':
      return (
        <>
          <b>{m.failed}</b> {m.forGood}
          <Cause step={step} publication={publication} />
        </>
      );
    case 'in_doubt':
      return (
        <>
          <b>{m.inDoubt}</b> {m.inDoubtText}
          <Cause step={step} publication={publication} />
        </>
      );
    case 'filtered': {
      // The event stores this sentence in English only.
      const reason = publication.warnings.at(-1);
      return (
        <>
          <b>{m.filtered}</b> {m.filteredText}
          {reason && (
            <p>
              <bdi>{reason.message}</bdi>
            </p>
          )}
        </>
      );
    }
    case 'quota':
      return <b>{m.quota}</b>;
    case 'resent':
      return who(m.resent);
    case 'dismissed':
    case 'cancelled':
    case 'settled':
    case 'approved':
    case 'revised':
      return who(m[step.kind]);
    case 'rescheduled': {
      const at = member(event, 'publishAt');
      return (
        <>
          {who(m.rescheduled)}
          {typeof at === 'number' && (
            <SentenceText of={sentence(m.rescheduledTo, { at: { at: new Date(at).toISOString() } })} />
          )}
        </>
      );
    }
    case 'rejected': {
      const reason = textMember(event, 'reason');
      return (
        <>
          {who(m.rejected)}
          {reason !== null && (
            <p>
              <SentenceText of={sentence(m.reason, { reason: { name: reason } })} />
            </p>
          )}
        </>
      );
    }
    case 'duplicate': {
      const [url] = (member(event, 'urls') ?? []) as readonly string[];
      return (
        <>
          <b>{m.duplicate}</b> {url !== undefined && <ExternalLink href={url}>{m.open}</ExternalLink>}
        </>
      );
    }
    case 'duplicate_dismissed':
      return who(m.duplicateDismissed);
    case 'withdrawal_requested': {
      const reason = textMember(event, 'reason');
      return (
        <>
          {who(m.askedToTakeBack, textMember(event, 'by'))}
          {reason !== null && (
            <p>
              <SentenceText of={sentence(m.reason, { reason: { name: reason } })} />
            </p>
          )}
        </>
      );
    }
    case 'edit_requested':
      return who(m.askedToEdit, textMember(event, 'by'));
    case 'edited':
      return (
        <>
          <b>{m.edited}</b> {member(event, 'changed') === false ? m.nothingDiffered : m.editedText(versionIn(event))}
        </>
      );
    case 'pinned':
      return <b>{m.pinned}</b>;
    case 'edit_postponed':
    case 'edit_failed':
    case 'not_pinned':
      return (
        <>
          <b>{m[step.kind]}</b> <NextAttempt step={step} />
          <ChangeError event={event} publication={publication} />
        </>
      );
    case 'withdrawal_postponed':
    case 'withdraw_failed': {
      const says = (member(event, 'error') as { readonly platform_says?: string | null } | undefined)?.platform_says;
      return (
        <>
          <b>{step.kind === 'withdraw_failed' ? m.withdrawFailed : m.notDeletedYet}</b> <NextAttempt step={step} />
          {typeof says === 'string' && (
            <p>
              <SentenceText of={sentence(m.says, { network, text: { name: says } })} />
            </p>
          )}
        </>
      );
    }
    case 'withdrawn':
      return (
        <>
          <b>{m.withdrawn}</b> <SentenceText of={sentence(m.withdrawnText, { network })} />
        </>
      );
    case 'not_sent':
      return <b>{m.notSent}</b>;
    case 'withdrawal_left':
    case 'edit_left':
      return who(m.withdrawalLeft);
    case 'notice':
      return m.noticed;
    case 'now':
      if (publication.state === 'in_doubt' || publication.state === 'withdraw_failed')
        return (
          <>
            <b>{m.waitsForYou}</b> {m.noExpiry}
          </>
        );
      if (publication.state === 'publishing') return <b>{m.publishing}</b>;
      return (
        <>
          <b>{publication.state === 'withdrawing' ? m.withdrawing : m.waits}</b>{' '}
          <WaitingReasonAndTime publication={publication} names={names} />
        </>
      );
  }
};
