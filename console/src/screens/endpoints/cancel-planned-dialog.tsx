import { useState } from 'react';
import { change } from '../../api/change.js';
import { management } from '../../api/management.js';
import { SelectField } from '../../components/controls.js';
import { Confirmation, happens, risk, stays } from '../../components/dialog.js';
import { toast } from '../../components/toasts.js';
import { serverNow } from '../../time/server-clock.js';
import type { Endpoint } from './data.js';
import { endpointsMessages as m } from './messages.js';

/** An endpoint whose token was replaced, or which was disabled, and the number of its planned posts. */
export type WithPlanned = Pick<Endpoint, 'id'> & { readonly planned_posts: number };

/** Tells how many planned posts an endpoint has, and offers to cancel those that it accepted lately (D-87). */
export const CancelPlannedDialog = ({
  endpoint: { id, planned_posts: count },
  onClose,
}: {
  readonly endpoint: WithPlanned;
  readonly onClose: () => void;
}) => {
  const [minutes, setMinutes] = useState('');
  return (
    <Confirmation
      title={m.planned.title(count)}
      consequences={[happens(m.planned.happens), risk(m.planned.risk), stays(m.planned.stays)]}
      verb={m.planned.verb}
      isDanger
      run={async () => {
        const body = minutes === '' ? {} : { since: new Date(serverNow() - Number(minutes) * 60_000).toISOString() };
        const call = management().post('/endpoints/{id}/cancel-planned', { path: { id }, body });
        toast(m.planned.cancelled((await change(call)).cancelled));
      }}
      onClose={onClose}
      fields={<SelectField label={m.planned.since} value={minutes} onChange={setMinutes} options={m.planned.times} />}
    />
  );
};
