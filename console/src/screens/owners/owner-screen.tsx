import './owners.css';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Confirmation, happens, risk, stays } from '../../components/dialog.js';
import { Loaded } from '../../components/states.js';
import { Moment } from '../../components/time.js';
import { toast } from '../../components/toasts.js';
import { format } from '../../i18n/format.js';
import { useScope } from '../../session/scope.js';
import { setSession, useSession } from '../../session/session.js';
import { type Owner, planTitle, refreshOwners, useOwner } from './data.js';
import { KeyDialog } from './key-dialog.js';
import { ownersMessages as m } from './messages.js';
import { OwnerLimits } from './owner-limits.js';
import { OwnerSettings } from './owner-settings.js';
import { PackDialog } from './pack-dialog.js';

/** The screen for an owner. Operators see the plan, the posts and the key; the owner sees the limits of the plan. */
export const OwnerScreen = () => {
  const { id } = useParams({ from: '/owners/$id' });
  const { isOperator } = useScope();
  const owner = useOwner(id);
  return (
    <Loaded query={owner}>{(found) => (isOperator ? <OwnerPage owner={found} /> : <OwnPlan owner={found} />)}</Loaded>
  );
};

const OwnPlan = ({ owner }: { readonly owner: Owner }) => {
  const { plan, posts_left: left, resets_at: resetsAt } = owner;
  return (
    <>
      <PageHead title={m.ownPlan(planTitle(plan))}>
        {left === null ? m.noLimit : m.leftOf(format.number(left))} {m.resets} <Moment at={resetsAt} form="day" />.{' '}
        {m.whoChanges}
      </PageHead>
      <div className="owner-columns">
        <OwnerLimits owner={owner} />
      </div>
    </>
  );
};

type Open = 'pack' | 'rotate' | 'remove' | null;

const OwnerPage = ({ owner }: { readonly owner: Owner }) => {
  const session = useSession();
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>(null);
  const [newKey, setNewKey] = useState<string | null>(null);
  const { id, name, plan, posts_left: left, resets_at: resetsAt, notice_chat: chat } = owner;
  const close = (): void => setOpen(null);
  const show = (): void => {
    if (session) setSession({ ...session, owner: { id, name } });
    void navigate({ to: '/' });
  };
  return (
    <>
      <PageHead
        trail={
          <>
            <Link className="link" to="/owners">
              {m.owners}
            </Link>
            <span aria-hidden="true">/</span>
            <bdi className="cut">{name}</bdi>
          </>
        }
        title={<bdi>{m.onPlan(name, planTitle(plan))}</bdi>}
        actions={
          <>
            <Button onClick={() => setOpen('pack')}>{m.pack}</Button>
            <Button look="primary" onClick={show}>
              {m.show}
            </Button>
          </>
        }
      >
        {left === null ? m.noLimit : m.leftOf(format.number(left))} {m.resets} <Moment at={resetsAt} form="day" />.
      </PageHead>
      <div className="owner-columns">
        <div className="owner-column">
          <OwnerSettings key={`${name} ${plan} ${owner.locale}`} owner={owner} />
          <Card title={m.notices}>
            <p className="card-body secondary">{chat ? <bdi>{m.noticesTo(chat.chat_id)}</bdi> : m.noticesOff}</p>
          </Card>
          <div className="owner-actions">
            <Button onClick={() => setOpen('rotate')}>{m.rotate}</Button>
            <Button look="danger" onClick={() => setOpen('remove')}>
              {m.remove}
            </Button>
          </div>
        </div>
        <OwnerLimits owner={owner} />
      </div>
      {open === 'pack' && <PackDialog owner={owner} onClose={close} />}
      {open === 'rotate' && (
        <Confirmation
          title={<bdi>{m.rotateTitle(name)}</bdi>}
          consequences={[happens(m.rotateHappens), risk(m.rotateRisk), stays(m.rotateStays)]}
          verb={m.rotateVerb}
          run={async () => {
            setNewKey((await management().post('/owners/{id}/rotate-key', { path: { id } })).key);
          }}
          onClose={close}
        />
      )}
      {open === 'remove' && (
        <Confirmation
          title={<bdi>{m.removeTitle(name)}</bdi>}
          consequences={[happens(m.removeHappens), risk(m.removeRisk), stays(m.removeStays)]}
          verb={m.removeVerb}
          isDanger
          run={async () => {
            await management().delete('/owners/{id}', { path: { id } });
            if (session?.owner?.id === id) setSession({ ...session, owner: null });
            toast(m.removed);
            await navigate({ to: '/owners' });
            await refreshOwners();
          }}
          onClose={close}
        />
      )}
      {newKey !== null && <KeyDialog value={newKey} onClose={() => setNewKey(null)} />}
    </>
  );
};
