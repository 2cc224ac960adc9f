import { Button } from '../../components/button.js';
import { CodeBlock } from '../../components/code.js';
import { Icon } from '../../components/icon.js';
import { ErrorState } from '../../components/states.js';
import type { Publication } from '../../publications/states.js';
import { publicationMessages as m } from './messages.js';
import type { Calls } from './use-calls.js';

/** The API calls that would send a publication now, with a note that calls from past attempts are not stored. */
export const CallsView = ({
  publication,
  calls: { preview, error, isBusy, ask },
  obstacle,
}: {
  readonly publication: Publication;
  readonly calls: Calls;
  /** The reason the sandbox cannot be called; null if it can. */
  readonly obstacle: string | null;
}) => {
  if (obstacle !== null) return <p className="tertiary">{obstacle}</p>;
  const requests = (preview?.[publication.platform]?.requests ?? []).filter(
    ({ target_id: target }) => target === publication.target_id,
  );
  return (
    <div className="calls">
      <p className="tertiary">{m.callsNotStored}</p>
      {error !== null && error !== undefined && <ErrorState error={error} onRetry={ask} />}
      {preview === undefined && !error && (
        <p>
          <Button size="small" busy={isBusy} onClick={ask}>
            {m.showCalls}
          </Button>{' '}
          <span className="tertiary">{m.showCallsHint}</span>
        </p>
      )}
      {preview !== undefined && requests.length === 0 && <p>{m.noCalls}</p>}
      {requests.map(({ step, method, request }, index) => (
        <details key={index} open={requests.length <= 2}>
          <summary>
            <Icon name="chevronRight" size={14} />
            <span className="mono">{method}</span>
            <span className="tertiary cut">{step}</span>
          </summary>
          <CodeBlock text={JSON.stringify(request, null, 2)} label={method} />
        </details>
      ))}
    </div>
  );
};
