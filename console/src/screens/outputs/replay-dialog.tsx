import { useState } from 'react';
import { management } from '../../api/management.js';
import { Field, Select } from '../../components/controls.js';
import { Confirmation } from '../../components/dialog.js';
import { toast } from '../../components/toasts.js';
import { serverNow } from '../../time/server-clock.js';
import { type Output, refreshOutputs } from './data.js';
import { outputsMessages as m } from './messages.js';

const HOUR = 3_600_000;

/**
 * Resends the failed and waiting deliveries of a chosen period.
 * @param enables whether to enable the webhook first
 */
export const ReplayDialog = ({
  output: { id },
  enables,
  onClose,
}: {
  readonly output: Output;
  readonly enables: boolean;
  readonly onClose: () => void;
}) => {
  const [hours, setHours] = useState('120');
  const run = async (): Promise<void> => {
    const path = { id };
    if (enables) await management().post('/webhook-outputs/{id}/enable', { path });
    const since = new Date(serverNow() - Number(hours) * HOUR).toISOString();
    const { retried } = await management().post('/webhook-outputs/{id}/retry-failed', { path, body: { since } });
    await refreshOutputs();
    toast(m.replayed(retried));
  };
  return (
    <Confirmation
      title={m.replayTitle}
      consequences={[
        ...(enables ? [{ kind: 'happens' as const, text: m.enabled }] : []),
        { kind: 'happens', text: m.replayHappens },
        { kind: 'risk', text: m.replayRisk },
        { kind: 'stays', text: m.replayStays },
      ]}
      verb={enables ? m.enableAndReplay : m.replayVerb}
      run={run}
      onClose={onClose}
      fields={
        <Field label={m.since}>
          {(ids) => (
            <Select {...ids} value={hours} onChange={(event) => setHours(event.target.value)}>
              {Object.entries(m.sinceOptions).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      }
    />
  );
};
