import './owners.css';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { Card, Columns, PageHead, Stack } from '../../components/card.js';
import { TextField } from '../../components/controls.js';
import { Confirmation, happens, risk, stays } from '../../components/dialog.js';
import { SettingsForm, useSave } from '../../components/form.js';
import { ResourcePage } from '../../components/resource.js';
import { Loaded } from '../../components/states.js';
import { FigureTable } from '../../components/table.js';
import { Moment } from '../../components/time.js';
import { toast } from '../../components/toasts.js';
import { format } from '../../i18n/format.js';
import { setSession, useScope, useSession } from '../../session/session.js';
import { KeyDialog, LocaleField, type Owner, PlanField, planTitle, refreshOwners, useOwner } from './data.js';
import { ownersMessages as m } from './messages.js';

/** The limits that apply to an owner, as figures. */
export const OwnerLimits = ({ owner: { limits } }: { readonly owner: Owner }) => {
  const amount = (value: number | null): string => (value === null ? m.unlimited : format.number(value));
  const { monthly_posts: monthly, hourly, burst, sandbox_daily: sandbox, resources } = limits;
  const rows = [
    [m.limitNames.monthly, amount(monthly)],
    [m.limitNames.hourly, amount(hourly)],
    [m.limitNames.burst, burst ? m.burst(burst.requests, format.exact(burst.per_seconds * 1000)) : m.unlimited],
    [m.limitNames.sandbox, amount(sandbox)],
    [m.limitNames.channels, amount(resources.channels)],
    [m.limitNames.projects, amount(resources.projects)],
    [m.limitNames.endpoints, amount(resources.endpoints)],
    [m.limitNames.outputs, amount(resources.webhook_outputs)],
    [m.limitNames.outputsPerProject, amount(resources.outputs_per_project)],
    [m.limitNames.targets, amount(resources.targets_per_post)],
    [m.limitNames.input, limits.webhook_input ? m.yes : m.no],
    [m.limitNames.output, limits.webhook_output ? m.yes : m.no],
  ] as const;
  return (
    <Card title={m.limits}>
      <FigureTable rows={rows} />
    </Card>
  );
};

/** Changes an owner's name, plan and notice language. */
export const OwnerSettings = ({ owner }: { readonly owner: Owner }) => {
  const saved = { name: owner.name, plan: owner.plan, locale: owner.locale };
  const [draft, setDraft] = useState(saved);
  const saving = useSave(async () => {
    await management().patch('/owners/{id}', { path: { id: owner.id }, body: draft });
    await refreshOwners();
    toast(m.saved);
  });
  return (
    <SettingsForm
      title={m.edit}
      saving={saving}
      needs="PATCH /owners/{id}"
      isChanged={JSON.stringify(draft) !== JSON.stringify(saved)}
      onUndo={() => setDraft(saved)}
    >
      <TextField
        label={m.name}
        problem={saving.problems.name}
        value={draft.name}
        onChange={(name) => setDraft({ ...draft, name })}
      />
      <PlanField value={draft.plan} onChange={(plan) => setDraft({ ...draft, plan })} />
      <LocaleField value={draft.locale} onChange={(locale) => setDraft({ ...draft, locale })} />
    </SettingsForm>
  );
};

interface PackDialogProps {
  readonly owner: Owner;
  readonly onClose: () => void;
}

/** Gives an owner extra posts on top of the plan. */
export const PackDialog = ({ owner: { id, name }, onClose }: PackDialogProps) => {
  const [text, setText] = useState('100');
  const posts = /^\d{1,9}$/.test(text.trim()) ? Number(text) : 0;
  return (
    <Confirmation
      title={<bdi>{m.packTitle(name)}</bdi>}
      consequences={[happens(m.packHappens), stays(m.packStays)]}
      verb={m.packVerb}
      isReady={posts > 0}
      run={async () => {
        await management().post('/owners/{id}/post-packs', { path: { id }, body: { posts } });
        await refreshOwners();
        toast(m.packDone);
      }}
      onClose={onClose}
      fields={
        <TextField
          label={m.packPosts}
          error={posts === 0 && m.packWrong}
          inputMode="numeric"
          value={text}
          onChange={setText}
        />
      }
    />
  );
};

/** The screen for an owner. Operators see the plan, the posts and the key; the owner sees the limits of the plan. */
export const OwnerScreen = () => {
  const { id } = useParams({ from: '/owners/$id' });
  const { isOperator } = useScope();
  const owner = useOwner(id);
  return (
    <Loaded isPage query={owner}>
      {(found) => (isOperator ? <OwnerPage owner={found} /> : <OwnPlan owner={found} />)}
    </Loaded>
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
      <Columns>
        <OwnerLimits owner={owner} />
      </Columns>
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
    <ResourcePage
      to="/owners"
      list={m.owners}
      here={name}
      title={m.onPlan(name, planTitle(plan))}
      actions={
        <>
          <Button needs="POST /owners/{id}/post-packs" onClick={() => setOpen('pack')}>
            {m.pack}
          </Button>
          <Button look="primary" onClick={show}>
            {m.show}
          </Button>
        </>
      }
      summary={
        <>
          {left === null ? m.noLimit : m.leftOf(format.number(left))} {m.resets} <Moment at={resetsAt} form="day" />.
        </>
      }
    >
      <Columns>
        <Stack>
          <OwnerSettings key={`${name} ${plan} ${owner.locale}`} owner={owner} />
          <Card title={m.notices}>
            <p className="card-body secondary">{chat ? <bdi>{m.noticesTo(chat.chat_id)}</bdi> : m.noticesOff}</p>
          </Card>
          <div className="owner-actions">
            <Button needs="POST /owners/{id}/rotate-key" onClick={() => setOpen('rotate')}>
              {m.rotate}
            </Button>
            <Button look="danger" needs="DELETE /owners/{id}" onClick={() => setOpen('remove')}>
              {m.remove}
            </Button>
          </div>
        </Stack>
        <OwnerLimits owner={owner} />
      </Columns>
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
    </ResourcePage>
  );
};
