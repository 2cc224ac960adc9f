import { fileName } from '../../../../stand-ins/walls/readers-view.js';
import type { Api, GatewayError } from '../../api/management.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Icon, networkTitle } from '../../components/icon.js';
import { GatewayText } from '../../components/sentence.js';
import { Countdown } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { useNow } from '../../time/server-clock.js';
import type { Draft } from './draft.js';
import { composeMessages as m } from './messages.js';

/** A payload field, parsed from a problem's path. */
export interface PayloadField {
  /** `text`, `media`, `buttons` …; problems with entities belong to `text`. */
  readonly name: string;
  /** Index in a list, from 0; null for other fields. */
  readonly index: number | null;
  /** Index in a nested list, such as a button's index in its row; null for other fields. */
  readonly place: number | null;
}

/** Splits a problem path in an override, such as `overrides.vk.text`, into the override's key and the rest. */
export const splitOverride = (path: string): { readonly key: string | null; readonly path: string } => {
  const [, key, rest] = /^overrides\.(\w+)(?:\.(.*))?$/.exec(path) ?? [];
  return key === undefined ? { key: null, path } : { key, path: rest ?? '' };
};

/** Parses a problem path: `media[0].url`, `buttons[1][0].text`, `entities[2]`, `overrides.vk.text`. */
export const fieldOf = (path: string): PayloadField => {
  const [, name = '', index, place] = /^(\w*)(?:\[(\d+)\])?(?:\[(\d+)\])?/.exec(splitOverride(path).path) ?? [];
  if (name === 'entities') return { name: 'text', index: null, place: null };
  const number = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits));
  return { name, index: number(index), place: number(place) };
};

/** Focuses the field that has a problem or, if the field is not on the screen, the text. */
export const showField = (path: string): void => {
  const { name } = fieldOf(path);
  const exact = /^\w+(?:\[\d+\])+/.exec(splitOverride(path).path)?.[0] ?? name;
  const field =
    document.querySelector<HTMLElement>(`[data-field="${CSS.escape(exact)}"]`) ??
    document.querySelector<HTMLElement>(`[data-field^="${CSS.escape(name)}"]`) ??
    document.querySelector<HTMLElement>('[data-field="text"]');
  field?.focus();
  field?.scrollIntoView({ block: 'nearest' });
};

/** Maximum length of a post's text, in UTF-16 code units. */
const MAX_TEXT = 15_895;

interface ProblemListProps {
  readonly draft: Draft;
  readonly problems: readonly Api<'ErrorDetail'>[];
  /** Focuses the field at a path. */
  readonly onShow: (path: string) => void;
}

/** The problems that keep the gateway from accepting the post. Each links to its field. */
export const ProblemList = ({ draft, problems, onShow }: ProblemListProps) => {
  const nameOf = (path: string): string => {
    const { name, index, place } = fieldOf(path);
    if (name === 'media' && index !== null) return fileName(draft.media[index]?.url ?? '');
    if (name === 'buttons' && index !== null) return draft.buttons[index]?.[place ?? 0]?.text ?? m.field.buttons;
    return (m.field as Readonly<Record<string, string>>)[name] ?? m.post;
  };
  return (
    <Card className="compose-problems" title={m.problems}>
      <div role="alert">
        <ul>
          {problems.map(({ path, code, message }, index) => (
            <li key={index}>
              <Icon name="failed" tone="fail" />
              <span>
                <b>
                  <bdi>{nameOf(path)}</bdi>
                  {splitOverride(path).key !== null && ` · ${networkTitle(splitOverride(path).key ?? '')}`}
                </b>{' '}
                {path === 'text' && code === 'too_long' ? (
                  m.textTooLong(format.number(draft.text.text.length - MAX_TEXT))
                ) : (
                  <GatewayText text={message.startsWith(path) ? message.slice(path.length).trimStart() : message} />
                )}{' '}
                <button type="button" className="link" onClick={() => onShow(path)}>
                  {m.goTo}
                </button>
              </span>
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
};

interface PublishErrorProps {
  readonly error: GatewayError;
  /** Time at which the gateway will accept posts again, in ms; null unless it asked to wait. */
  readonly retryAt: number | null;
  readonly endpointId: string;
  /** The planned post that is being edited, and a function that loads its current state; null for a new post. */
  readonly edited: { readonly id: string; readonly reload: () => void } | null;
}

/** Explains why the post was not accepted, and what to do. Problems in the post itself are listed elsewhere. */
export const PublishError = ({ error, retryAt, endpointId, edited }: PublishErrorProps) => {
  const now = useNow(1000);
  const { status, code, errors, requestId } = error;
  const isEndpoint = ['endpoint_disabled', 'endpoint_paused', 'plan_not_allowed', 'test_endpoint'].includes(code);
  return (
    <div className="publish-error" role="alert">
      <Icon name="failed" tone="fail" />
      <div>
        <b>{edited ? m.notChanged : m.notPublished}</b>{' '}
        {status === 0 ? (
          m.unreachable
        ) : status === 429 && retryAt !== null ? (
          now < retryAt ? (
            <>
              {m.tooFast} <Countdown until={new Date(retryAt).toISOString()} />.
            </>
          ) : (
            m.tryNow
          )
        ) : (
          <>
            {status === 402 && `${m.quota} `}
            {code === 'plan_not_allowed' && `${m.planNotAllowed} `}
            <GatewayText text={errors.join(' ')} />
          </>
        )}{' '}
        {status >= 500 && requestId !== null && <code className="tertiary">{requestId}</code>}
        {edited && code === 'revision_mismatch' && (
          <Button size="small" onClick={edited.reload}>
            {m.loadCurrent}
          </Button>
        )}
        {edited && (code === 'already_released' || code === 'post_ended') && (
          <ButtonLink size="small" to="/posts/$id" params={{ id: edited.id }}>
            {m.openPost}
          </ButtonLink>
        )}
        {isEndpoint && (
          <ButtonLink size="small" to="/endpoints/$id" params={{ id: endpointId }}>
            {m.openEndpoint}
          </ButtonLink>
        )}
      </div>
    </div>
  );
};
