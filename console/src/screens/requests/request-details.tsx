import { Link } from '@tanstack/react-router';
import { Icon } from '../../components/icon.js';
import { Json } from '../../components/json.js';
import { format } from '../../i18n/format.js';
import { explainRequest, figuresOf, type LoggedRequest } from './explain.js';
import { requestsMessages as m } from './messages.js';
import { reasonMessages as reasons } from './reason-messages.js';
import type { NamedEndpoint } from './request-table.js';

/** Explains a logged request and what to do about it, and shows the request's JSON from the API. */
export const RequestDetails = ({
  request,
  endpoint,
}: {
  readonly request: LoggedRequest;
  readonly endpoint: NamedEndpoint;
}) => {
  const { title, text, remedies } = explainRequest(request, reasons, format);
  const skew = figuresOf(request).skew_seconds;
  return (
    <div className="request-details">
      <div>
        <b>{title}</b>
        <p className="secondary">{text}</p>
        {request.reason === 'bad_timestamp' && typeof skew === 'number' && <Clock at={request.at} skew={skew} />}
        {remedies.length > 0 && (
          <>
            <h3>{m.fix}</h3>
            <ul className="remedies">
              {remedies.map((remedy) => (
                <li key={remedy.text}>
                  <Icon name="chevronRight" tone="time" />
                  <span>
                    {remedy.text}{' '}
                    {remedy.isInSettings && (
                      <Link className="link" to="/endpoints/$id" params={{ id: endpoint.id }}>
                        <bdi>{m.toSettings(endpoint.name)}</bdi>
                      </Link>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
        {request.decision === 'rejected_auth' && <p className="tertiary">{m.hidden}</p>}
      </div>
      <section aria-label={m.details}>
        <Json value={request} />
      </section>
    </div>
  );
};

/** How far a timestamp may differ from the gateway's clock, in s. */
const TOLERANCE = 300;
const WIDTH = 400;

/** The sender's time, compared with the range of times that the endpoint accepts. */
const Clock = ({ at, skew }: { readonly at: string; readonly skew: number }) => {
  const time = Date.parse(at);
  const reach = Math.max(Math.abs(skew), TOLERANCE) * 1.15;
  const x = (seconds: number): number => ((seconds + reach) / (2 * reach)) * WIDTH;
  return (
    <figure className="request-clock">
      <svg viewBox={`0 0 ${WIDTH} 20`} preserveAspectRatio="none" aria-hidden="true">
        <rect className="clock-ground" y="3" width={WIDTH} height="14" />
        <rect className="clock-window" x={x(-TOLERANCE)} y="3" width={x(TOLERANCE) - x(-TOLERANCE)} height="14" />
        <rect className="clock-sent" x={Math.min(WIDTH - 3, Math.max(0, x(skew) - 1.5))} width="3" height="20" />
      </svg>
      <figcaption>
        <span>
          {m.sent} <b className="tone-fail">{format.seconds(time + skew * 1000)}</b>
        </span>
        <span className="tone-ok">
          {m.acceptedFrom(format.seconds(time - TOLERANCE * 1000), format.seconds(time + TOLERANCE * 1000))}
        </span>
      </figcaption>
    </figure>
  );
};
