import type { GatewayError } from '../../api/management.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Icon } from '../../components/icon.js';
import { GatewayText } from '../../components/sentence.js';
import { Countdown } from '../../components/time.js';
import { planningMessages } from '../../planning/messages.js';
import { refusalOf } from '../../planning/planning-calls.js';
import { useNow } from '../../time/server-clock.js';
import { composeMessages as m } from './messages.js';

/** Explains why the post was not accepted, and what to do. Problems in the post itself are listed elsewhere. */
export const PublishError = ({
  error,
  retryAt,
  endpointId,
  edited,
}: {
  readonly error: GatewayError;
  /** Time at which the gateway will accept posts again, in ms; null unless it asked to wait. */
  readonly retryAt: number | null;
  readonly endpointId: string;
  /** The planned post that is being edited, and a function that loads its current state; null for a new post. */
  readonly edited: { readonly id: string; readonly reload: () => void } | null;
}) => {
  const refused = refusalOf(error, planningMessages);
  const now = useNow(1000);
  const { status, code, errors, requestId } = error;
  const isEndpoint = ['endpoint_disabled', 'endpoint_paused', 'plan_not_allowed', 'test_endpoint'].includes(code);
  return (
    <div className="publish-error" role="alert">
      <Icon name="failed" tone="fail" />
      <div>
        <b>{edited ? m.notChanged : m.notPublished}</b>{' '}
        {refused !== null ? (
          refused
        ) : status === 0 ? (
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
