import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Icon, networkInText } from '../../components/icon.js';
import { GatewayText, SentenceText } from '../../components/sentence.js';
import type { Author } from '../../history/actors.js';
import { format, sentence, type SentenceValue } from '../../i18n/format.js';
import { getLocale } from '../../i18n/messages.js';
import type { Publication } from '../../publications/states.js';
import { publicationMessages as m } from './messages.js';
import type { StoryContext } from './step-text.js';
import { member, type Step, textMember } from './story.js';

interface WaitedProps {
  readonly step: Step;
  readonly actorName: (author: Author) => SentenceValue;
}

const inside = (who: SentenceValue): SentenceValue => (who === m.you ? m.you.toLowerCase() : who);

/** How long a publication waited and for what; for an approval, by whom. */
export const Waited = ({ step: { wait }, actorName }: WaitedProps) => {
  const length = format.duration(wait?.length ?? 0);
  if (wait?.by)
    return (
      <b>
        <SentenceText of={sentence(m.waitedForApproval, { length, who: inside(actorName(wait.by)) })} />
      </b>
    );
  return (
    <>
      <b>{m.waited(length)}</b>
      {wait?.rule ? `: ${m.waitRules[wait.rule] ?? wait.rule}` : ` ${m.waitUnknown}`}
    </>
  );
};

interface RequestedProps {
  readonly step: Step;
  readonly context: StoryContext;
  readonly who: ReactNode;
}

export const Requested = ({ step: { event }, context: { post, request }, who }: RequestedProps) => {
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
export const Attempt = ({
  step: { event, attempt, done },
  calls,
}: {
  readonly step: Step;
  readonly calls: ReactNode;
}) => {
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
export const versionIn = (event: Step['event']): string =>
  format.number((member(event, 'content') as { readonly revision?: number } | undefined)?.revision ?? 0);

interface ChangeErrorProps extends Pick<Step, 'event'> {
  readonly publication: Publication;
  readonly network: string;
}

/**
 * Why a change failed: the gateway's message and the network's own. Events have the message in English only, so that
 * other readers get it only of the latest edit.
 */
export const ChangeError = ({ event, publication: { edit }, network }: ChangeErrorProps) => {
  const error = member(event, 'error') as Partial<NonNullable<NonNullable<Publication['edit']>['error']>> | undefined;
  if (!error) return null;
  const message = edit?.error && edit.error.code === error.code ? edit.error.message : inEnglish(error.message);
  return (
    <p>
      {message !== undefined && <GatewayText text={message} />}{' '}
      {error.platform_says !== undefined && (
        <SentenceText of={sentence(m.says, { network, text: { name: error.platform_says } })} />
      )}
    </p>
  );
};

export const NextAttempt = ({ step: { event } }: { readonly step: Step }) => {
  const retryAt = member(event, 'retryAt');
  if (typeof retryAt !== 'number') return null;
  return <SentenceText of={sentence(m.nextAt, { until: { at: new Date(retryAt).toISOString() } })} />;
};

const inEnglish = (text: string | undefined): string | undefined => (getLocale() === 'en' ? text : undefined);

/** An attempt's error: the gateway's message and the network's own. */
export const Cause = ({ step: { event }, publication }: { readonly step: Step; readonly publication: Publication }) => {
  const attempt = member(event, 'attempt');
  const error = publication.attempts.find(({ n }) => n === attempt)?.error;
  if (!error) return null;
  return (
    <p>
      <GatewayText text={error.message} />{' '}
      {error.platform_says !== undefined && (
        <SentenceText
          of={sentence(m.says, { network: networkInText(publication.platform), text: { name: error.platform_says } })}
        />
      )}
    </p>
  );
};
