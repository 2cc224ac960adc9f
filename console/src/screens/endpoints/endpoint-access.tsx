import { useState } from 'react';
import { management } from '../../api/management.js';
import { change } from '../../api/things.js';
import { Button, CopyButton } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { type Secret, SecretsOnce } from '../../components/code.js';
import { SelectField } from '../../components/controls.js';
import { Confirmation, Dialog, happens, risk, stays } from '../../components/dialog.js';
import { Moment } from '../../components/time.js';
import { toast } from '../../components/toasts.js';
import { serverNow } from '../../time/server-clock.js';
import { type Endpoint, refreshEndpoints } from './data.js';
import { endpointsMessages as m } from './messages.js';

/** An endpoint whose token was replaced, or which was disabled, and the number of its planned posts. */
export type WithPlanned = Pick<Endpoint, 'id'> & { readonly planned_posts: number };

interface CancelPlannedDialogProps {
  readonly endpoint: WithPlanned;
  readonly onClose: () => void;
}

/** Tells how many planned posts an endpoint has, and offers to cancel those that it accepted lately (D-87). */
export const CancelPlannedDialog = ({ endpoint: { id, planned_posts: count }, onClose }: CancelPlannedDialogProps) => {
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

type Kind = 'token' | 'slug' | 'secret';

/** The URL of an endpoint, and its secrets, which can be replaced but not viewed. */
export const EndpointAccess = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const [asked, setAsked] = useState<Kind | null>(null);
  const [shown, setShown] = useState<Secret | null>(null);
  const [planned, setPlanned] = useState<WithPlanned | null>(null);
  const rows = [
    { kind: 'slug', label: m.url, value: endpoint.url },
    { kind: 'token', label: m.token, value: null },
    { kind: 'secret', label: m.secret, value: null },
  ] as const;
  return (
    <Card title={m.access}>
      <dl className="endpoint-access">
        {rows.map(({ kind, label, value }) => (
          <div key={kind}>
            <dt>{label}</dt>
            <dd className={value === null ? 'tertiary' : 'mono'}>{value ?? m.hidden}</dd>
            <dd>
              {value !== null && <CopyButton text={value} />}
              <Button
                needs={`POST /endpoints/{id}/rotate-${kind}`}
                size="small"
                onClick={() => setAsked(kind)}
                aria-label={`${m.replace} ${label}`}
              >
                {m.replace}
              </Button>
            </dd>
          </div>
        ))}
      </dl>
      {endpoint.previous_secret_until !== null && (
        <p className="card-body secondary">
          {m.previous} <Moment at={endpoint.previous_secret_until} />.
        </p>
      )}
      {asked && (
        <Replace
          kind={asked}
          endpoint={endpoint}
          onClose={() => setAsked(null)}
          onShow={setShown}
          onPlanned={setPlanned}
        />
      )}
      {shown && (
        <Dialog title={m.saveTitleOne} isOpen isLocked onClose={() => setShown(null)} className="wide">
          <SecretsOnce secrets={[shown]} onDone={() => setShown(null)} />
        </Dialog>
      )}
      {planned && !shown && <CancelPlannedDialog endpoint={planned} onClose={() => setPlanned(null)} />}
    </Card>
  );
};

interface ReplaceProps {
  readonly kind: Kind;
  readonly endpoint: Endpoint;
  readonly onClose: () => void;
  readonly onShow: (secret: Secret) => void;
  /** Called if the endpoint whose token was replaced has planned posts. */
  readonly onPlanned: (endpoint: WithPlanned) => void;
}

const Replace = ({ kind, endpoint: { id }, onClose, onShow, onPlanned }: ReplaceProps) => {
  const [overlap, setOverlap] = useState('60');
  const texts = m.rotate[kind];
  const path = { id };
  const run = async (): Promise<void> => {
    if (kind === 'slug') await management().post('/endpoints/{id}/rotate-slug', { path });
    if (kind === 'token') {
      const rotated = await management().post('/endpoints/{id}/rotate-token', { path });
      const { token } = rotated;
      if (rotated.planned_posts > 0) onPlanned(rotated);
      if (token !== null) onShow({ label: m.token, value: token, variable: 'CROSSPOST_TOKEN', isSecret: true });
    }
    if (kind === 'secret') {
      const body = { overlap_minutes: Number(overlap) };
      const { signing_secret: secret } = await management().post('/endpoints/{id}/rotate-secret', { path, body });
      if (secret !== null)
        onShow({ label: m.secret, value: secret, variable: 'CROSSPOST_SIGNING_SECRET', isSecret: true });
    }
    await refreshEndpoints();
  };
  return (
    <Confirmation
      title={texts.title}
      consequences={[happens(texts.happens), risk(texts.risk), stays(m.rotate.stays)]}
      verb={texts.verb}
      run={run}
      onClose={onClose}
      fields={
        kind === 'secret' && (
          <SelectField
            label={m.overlap}
            value={overlap}
            onChange={setOverlap}
            options={Object.entries(m.overlapOptions)}
          />
        )
      }
    />
  );
};
