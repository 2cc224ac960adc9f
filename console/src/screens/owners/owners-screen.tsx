import './owners.css';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { TextField, TextInput } from '../../components/controls.js';
import { Dialog } from '../../components/dialog.js';
import { Form, useSave } from '../../components/form.js';
import { Empty, Loaded } from '../../components/states.js';
import { DataTable } from '../../components/table.js';
import { Moment } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import {
  KeyDialog,
  LocaleField,
  type Owner,
  type Plan,
  PlanField,
  PLANS,
  planTitle,
  refreshOwners,
  useOwners,
} from './data.js';
import { ownersMessages as m } from './messages.js';
import { OperatorOnly } from './operator-only.js';

interface AddOwnerDialogProps {
  readonly onClose: () => void;
  readonly onAdded: (key: string) => void;
}

/** Adds an owner. Its key is passed on, because the gateway shows it only once. */
export const AddOwnerDialog = ({ onClose, onAdded }: AddOwnerDialogProps) => {
  const [name, setName] = useState('');
  const [plan, setPlan] = useState<Plan>('free');
  const [locale, setLocale] = useState<'en' | 'ru'>('en');
  const { save, isBusy, problems } = useSave(async () => {
    const { key } = await management().post('/owners', { body: { name, plan, locale } });
    await refreshOwners();
    onClose();
    if (key !== null) onAdded(key);
  });
  return (
    <Dialog title={m.addTitle} isOpen onClose={onClose}>
      <Form className="owner-form" onSubmit={save}>
        <TextField label={m.name} problem={problems.name} autoFocus value={name} onChange={setName} />
        <PlanField value={plan} onChange={setPlan} />
        <LocaleField value={locale} onChange={setLocale} />
        <div className="dialog-actions">
          <Button look="primary" type="submit" busy={isBusy}>
            {m.addVerb}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
};

/** All owners with their plans and remaining posts, for operators. */
export const OwnersScreen = () => (
  <OperatorOnly>
    <Owners />
  </OperatorOnly>
);

const Owners = () => {
  const owners = useOwners();
  const [find, setFind] = useState('');
  const [isAdding, setIsAdding] = useState(false);
  const [newKey, setNewKey] = useState<string | null>(null);
  const all = owners.data ?? [];
  const out = all.filter(({ posts_left: left }) => left === 0).length;
  const title = all.length === 0 ? m.none : out > 0 ? m.countOut(all.length, out) : m.count(all.length);
  const shown = all.filter(({ name, id }) => `${name} ${id}`.toLowerCase().includes(find.trim().toLowerCase()));
  return (
    <>
      <PageHead
        title={owners.data ? title : '…'}
        actions={
          <Button look="primary" icon="plus" needs="POST /owners" onClick={() => setIsAdding(true)}>
            {m.add}
          </Button>
        }
      />
      {all.length > 8 && (
        <TextInput
          type="search"
          className="owners-find"
          aria-label={m.find}
          placeholder={m.find}
          value={find}
          onChange={(event) => setFind(event.target.value)}
        />
      )}
      <Card label={m.owners}>
        <Loaded query={owners}>
          {() =>
            all.length === 0 ? (
              <Empty icon="owners" title={m.none}>
                {m.noneText}
              </Empty>
            ) : (
              <OwnerTable owners={shown} />
            )
          }
        </Loaded>
      </Card>
      {isAdding && <AddOwnerDialog onClose={() => setIsAdding(false)} onAdded={setNewKey} />}
      {newKey !== null && <KeyDialog value={newKey} onClose={() => setNewKey(null)} />}
    </>
  );
};

const OwnerTable = ({ owners }: { readonly owners: readonly Owner[] }) => (
  <DataTable
    className="stacked"
    items={owners}
    keyOf={({ id }) => id}
    columns={[
      {
        title: m.name,
        sortBy: ({ name }) => name,
        cell: ({ id, name }) => (
          <Link className="table-name" to="/owners/$id" params={{ id }}>
            <bdi className="cut">{name}</bdi>
          </Link>
        ),
      },
      { title: m.plan, sortBy: ({ plan }) => PLANS.indexOf(plan), cell: ({ plan }) => planTitle(plan) },
      {
        title: m.used,
        className: 'number',
        isLabelled: true,
        sortBy: ({ posts_used: used }) => used,
        cell: ({ posts_used: used }) => format.number(used),
      },
      {
        title: m.left,
        className: 'number',
        tone: ({ posts_left: left }) => (left === 0 ? 'tone-warn' : ''),
        isLabelled: true,
        sortBy: ({ posts_left: left }) => left ?? Infinity,
        cell: ({ posts_left: left }) =>
          left === null ? <span className="tertiary">{m.unlimited}</span> : format.number(left),
      },
      {
        title: m.since,
        className: 'right tertiary',
        sortBy: ({ created_at: createdAt }) => createdAt,
        cell: ({ created_at: createdAt }) => <Moment at={createdAt} form="day" />,
      },
    ]}
  />
);
