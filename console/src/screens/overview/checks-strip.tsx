import './operator.css';
import type { Check } from '../../api/overview.js';
import { Icon } from '../../components/icon.js';
import { format } from '../../i18n/format.js';
import { operatorMessages as m } from './operator-messages.js';

/** The results of the gateway's own checks, in one line. */
export const ChecksStrip = ({ checks }: { readonly checks: readonly Check[] }) => {
  const valueOf = useCheckValue();
  return (
    <ul className="card checks" aria-label={m.checks}>
      {checks.map((check) => (
        <li key={check.name} title={check.message} className={check.name === 'history' ? 'checks-end' : ''}>
          {check.name === 'history' && check.ok ? (
            <Icon name="shield" tone="time" size={14} />
          ) : (
            <Icon name={check.ok ? 'published' : 'failed'} tone={check.ok ? 'ok' : 'fail'} size={14} />
          )}{' '}
          {m.check[check.name] ?? check.name} <b>{valueOf(check)}</b>
        </li>
      ))}
    </ul>
  );
};

/**
 * Returns a function that describes the result of a check: the parts that are behind, the gateway's message if the
 * check failed, or otherwise a figure.
 */
const useCheckValue =
  (): ((check: Check) => string) =>
  ({ name, ok, message, latency_ms: latency, position, degraded }) => {
    if (degraded.length > 0) return m.behind(degraded.join(', '));
    if (!ok) return message;
    if (latency !== null) return format.latency(latency);
    if (position === null) return name === 'read_models' ? m.upToDate : m.up;
    const events = format.number(Number(position));
    return name === 'history' ? m.signed(events) : m.events(events);
  };
