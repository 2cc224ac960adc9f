import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Api } from '../../api/management.js';
import type { Names } from '../../api/things.js';
import { ExternalLink } from '../../components/button.js';
import { Icon, networkTitle } from '../../components/icon.js';
import { GatewayText, SentenceText } from '../../components/sentence.js';
import { format, sentence, type SentenceValue } from '../../i18n/format.js';
import type { Publication } from '../../publications/states.js';
import { WaitingReasonAndTime } from '../../publications/waiting.js';
import { useSession } from '../../session/session.js';
import { publicationMessages as m } from './messages.js';
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

/** Returns a function that describes an event's actor in words. */
export const useActor = (names: Names) => {
  const session = useSession();
  return (actor: string): SentenceValue => {
    if (actor.startsWith('endpoint:'))
      return { name: names.endpoint(actor.slice('endpoint:'.length))?.name ?? m.aProgram };
    if (actor.startsWith('owner:'))
      return session?.role === 'owner' ? m.you : { name: session?.owner?.name ?? actor.slice('owner:'.length) };
    return actor === 'operator' ? m.operator : m.gateway;
  };
};

/** A step of a story in words. */
export const StepText = ({ step, context }: { readonly step: Step; readonly context: StoryContext }) => {
  const { publication, post, names } = context;
  const actorName = useActor(names);
  const { event } = step;
  const network = networkTitle(publication.platform);
  const who = (text: string, actor = event?.actor ?? '') => (
    <b>
      <SentenceText of={sentence(text, { who: actorName(actor) })} />
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
      return (
        <>
          <b>{m.waited(format.duration(step.wait?.length ?? 0))}</b>
          {step.wait?.rule ? `: ${m.waitRules[step.wait.rule] ?? step.wait.rule}` : ` ${m.waitUnknown}`}
        </>
      );
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
      const reason = member(event, 'reason') as { readonly message?: unknown } | undefined;
      return (
        <>
          <b>{m.filtered}</b> {m.filteredText}
          {typeof reason?.message === 'string' && (
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
    case 'settled':
      return who(m[step.kind]);
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
          {who(m.askedToTakeBack, textMember(event, 'by') ?? undefined)}
          {reason !== null && (
            <p>
              <SentenceText of={sentence(m.reason, { reason: { name: reason } })} />
            </p>
          )}
        </>
      );
    }
    case 'edit_requested':
      return who(m.askedToEdit, textMember(event, 'by') ?? undefined);
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
          <ChangeError event={event} network={network} />
        </>
      );
    case 'withdrawal_postponed':
    case 'withdraw_failed': {
      const says = (member(event, 'error') as { readonly platform_says?: string } | undefined)?.platform_says;
      return (
        <>
          <b>{step.kind === 'withdraw_failed' ? m.withdrawFailed : m.notDeletedYet}</b> <NextAttempt step={step} />
          {says !== undefined && (
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

interface RequestedProps {
  readonly step: Step;
  readonly context: StoryContext;
  readonly who: ReactNode;
}

const Requested = ({ step: { event }, context: { post, request }, who }: RequestedProps) => {
  const facts = member(event, 'request') as { readonly ip?: string; readonly latencyMs?: number } | undefined;
  const ip = request?.ip ?? facts?.ip;
  const key = textMember(event, 'key');
  return (
    <>
      {who}{' '}
      {ip !== undefined && (
        <SentenceText
          of={sentence(m.requestedFrom, { ip: { name: ip }, latency: format.latency(facts?.latencyMs ?? 0) })}
        />
      )}
      <p>
        {key === null ? m.noKey : <SentenceText of={sentence(m.key, { key: { name: key } })} />}{' '}
        <Link className="link" to="/requests" search={{ endpoint: post.endpoint_id }}>
          {m.theRequests}
        </Link>
      </p>
    </>
  );
};

/** An attempt, which expands to show its calls. */
const Attempt = ({ step: { event, attempt, done }, calls }: { readonly step: Step; readonly calls: ReactNode }) => {
  const [isOpen, setIsOpen] = useState(false);
  const worker = textMember(event, 'worker');
  return (
    <>
      <b>{m.attempt(format.number(attempt ?? 1))}</b>{' '}
      {worker !== null && <SentenceText of={sentence(m.worker, { worker: { name: worker.slice(0, 13) } })} />}
      {done.length > 0 && (
        <p>
          <SentenceText of={sentence(m.completed, { steps: { name: done.join(', ') } })} />
        </p>
      )}
      <p>
        <button type="button" className="story-toggle" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} />
          {m.calls}
        </button>
      </p>
      {isOpen && calls}
    </>
  );
};

/** The number of the version that an event made visible. */
const versionIn = (event: Step['event']): string =>
  format.number((member(event, 'content') as { readonly revision?: number } | undefined)?.revision ?? 0);

/** Why a change failed: the gateway's message, which events have in English only, and the network's own. */
const ChangeError = ({ event, network }: Pick<Step, 'event'> & { readonly network: string }) => {
  const error = member(event, 'error') as { readonly message?: string; readonly platform_says?: string } | undefined;
  if (!error) return null;
  return (
    <p>
      {error.message !== undefined && <GatewayText text={error.message} />}{' '}
      {error.platform_says !== undefined && (
        <SentenceText of={sentence(m.says, { network, text: { name: error.platform_says } })} />
      )}
    </p>
  );
};

const NextAttempt = ({ step: { event } }: { readonly step: Step }) => {
  const retryAt = member(event, 'retryAt');
  if (typeof retryAt !== 'number') return null;
  return <SentenceText of={sentence(m.nextAt, { until: { at: new Date(retryAt).toISOString() } })} />;
};

/** An attempt's error: the gateway's message, which events have in English only, and the network's own. */
const Cause = ({ step: { event }, publication }: { readonly step: Step; readonly publication: Publication }) => {
  const attempt = member(event, 'attempt');
  const error = publication.attempts.find(({ n }) => n === attempt)?.error;
  if (!error) return null;
  return (
    <p>
      <GatewayText text={error.message} />{' '}
      {error.platform_says !== undefined && (
        <SentenceText
          of={sentence(m.says, { network: networkTitle(publication.platform), text: { name: error.platform_says } })}
        />
      )}
    </p>
  );
};
