import { useState } from 'react';
import { management } from '../../api/management.js';
import { SelectField } from '../../components/controls.js';
import { Confirmation, happens, risk, stays } from '../../components/dialog.js';
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
      consequences={[enables && happens(m.enabled), happens(m.replayHappens), risk(m.replayRisk), stays(m.replayStays)]}
      verb={enables ? m.enableAndReplay : m.replayVerb}
      run={run}
      onClose={onClose}
      fields={
        <SelectField label={m.since} value={hours} onChange={setHours} options={Object.entries(m.sinceOptions)} />
      }
    />
  );
};
