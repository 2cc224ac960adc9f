import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../components/icon.js';
import { SentenceText } from '../../components/sentence.js';
import { type Author, useActorInText, useActorName } from '../../history/actors.js';
import { format, sentence, type SentenceValue } from '../../i18n/format.js';
import { getLocale } from '../../i18n/messages.js';
import type { Publication } from '../../publications/states.js';
import { useSession } from '../../session/session.js';
import { ErrorText, type NetworkError } from './banner-refusals.js';
import { publicationMessages as m } from './messages.js';
import type { StoryContext } from './step-text.js';
import { member, type Step, textMember } from './story.js';

/** Returns a function that names an event's author; `You` for what the signed-in owner did. */
export const useActor = (form: 'title' | 'inText' = 'title') => {
  const session = useSession();
  const actorName = useActorName();
  const actorInText = useActorInText();
  return (author: Author): SentenceValue => {
    const isSelf = !author.actor_name && author.actor.startsWith('owner:') && session?.role === 'owner';
    if (isSelf) return form === 'title' ? m.you : m.you.toLowerCase();
    return { name: (form === 'title' ? actorName : actorInText)(author) };
  };
};

/** How long a publication waited and for what; for an approval, by whom. */
export const Waited = ({ step: { wait } }: { readonly step: Step }) => {
  const actorInText = useActor('inText');
  const length = format.duration(wait?.length ?? 0);
  if (wait?.by)
    return (
      <b>
        <SentenceText of={sentence(m.waitedForApproval, { length, who: actorInText(wait.by) })} />
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
}

/**
 * Why a change failed. Events store the gateway's message in English only, so in other languages it is shown only for
 * the latest edit, whose translation the API returns.
 */
export const ChangeError = ({ event, publication: { edit, platform } }: ChangeErrorProps) => {
  const error = member(event, 'error') as (NetworkError & { readonly code?: string }) | undefined;
  if (!error) return null;
  const message = edit?.error && edit.error.code === error.code ? edit.error.message : inEnglish(error.message);
  return <ErrorText error={{ ...error, message }} platform={platform} />;
};

export const NextAttempt = ({ step: { event } }: { readonly step: Step }) => {
  const retryAt = member(event, 'retryAt');
  if (typeof retryAt !== 'number') return null;
  return <SentenceText of={sentence(m.nextAt, { until: { at: new Date(retryAt).toISOString() } })} />;
};

const inEnglish = (text: string | undefined): string | undefined => (getLocale() === 'en' ? text : undefined);

/** Why an attempt failed. */
export const Cause = ({ step: { event }, publication }: { readonly step: Step; readonly publication: Publication }) => {
  const attempt = member(event, 'attempt');
  const error = publication.attempts.find(({ n }) => n === attempt)?.error;
  return error ? <ErrorText error={error} platform={publication.platform} /> : null;
};
