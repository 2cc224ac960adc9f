import '../../components/resource.css';
import { useState } from 'react';
import { type Api, GatewayError, management, queryClient } from '../../api/management.js';
import { endpointName, useEndpoints, useIssuedKeys, useNames } from '../../api/things.js';
import { Button } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { useSave } from '../../components/form.js';
import { Icon } from '../../components/icon.js';
import { Menu, MenuItem } from '../../components/menu.js';
import { SentenceText } from '../../components/sentence.js';
import { Empty, Loaded } from '../../components/states.js';
import { DataTable } from '../../components/table.js';
import { Age } from '../../components/time.js';
import { toast, toastError } from '../../components/toasts.js';
import { CsvButton, wholeList } from '../../csv/csv-button.js';
import { keyColumns } from '../../csv/lists.js';
import { format, sentence } from '../../i18n/format.js';
import { useMay } from '../../session/rights.js';
import { useScope } from '../../session/session.js';
import { serverNow } from '../../time/server-clock.js';
import { type Key, KeyDialog, LinkDialog, RevokeDialog, RotateDialog } from './key-dialogs.js';
import { peopleMessages as m } from './messages.js';

/** Who may do what in the owner's account: one key for each person or program. */
export const PeopleScreen = () => {
  const keys = useIssuedKeys();
  const [isInviting, setIsInviting] = useState(false);
  const [created, setCreated] = useState<Api<'KeyWithSecret'> | null>(null);
  const isForbidden = keys.error instanceof GatewayError && keys.error.status === 403;
  const count = keys.data?.length ?? 0;
  return (
    <>
      <PageHead
        title={isForbidden ? m.notAllowed : keys.data ? m.title(count) : m.people}
        {...(!isForbidden && {
          actions: (
            <>
              <KeyCsv keys={keys.data ?? []} />
              <Button needs="POST /keys" look="primary" icon="plus" onClick={() => setIsInviting(true)}>
                {m.invite}
              </Button>
            </>
          ),
        })}
      >
        {!isForbidden && m.text}
      </PageHead>
      <ApprovalNotice keys={keys.data ?? []} />
      <Card label={m.people}>
        {isForbidden ? (
          <Empty icon="key" title={m.notAllowed}>
            {m.notAllowedText}
          </Empty>
        ) : (
          <Loaded query={keys}>{(all) => <KeyTable keys={all} onNewKey={setCreated} />}</Loaded>
        )}
      </Card>
      {isInviting && <KeyDialog changed={null} onClose={() => setIsInviting(false)} onCreated={setCreated} />}
      {created && <LinkDialog of={created} onClose={() => setCreated(null)} />}
    </>
  );
};

/** Says that the console publishes without approval, although a colleague may approve, and offers to change that. */
const ApprovalNotice = ({ keys }: { readonly keys: readonly Key[] }) => {
  const { ownerId } = useScope();
  const own = useEndpoints().data?.find(({ is_console: isConsole }) => isConsole);
  const require = async (isRequired: boolean): Promise<void> => {
    const body = { requires_approval: isRequired };
    await management().patch('/endpoints/{id}', { path: { id: own?.id ?? '' }, body });
    await queryClient.invalidateQueries({ queryKey: ['endpoints'] });
  };
  const mayRequire = useMay('PATCH /endpoints/{id}');
  const { save, isBusy } = useSave(async () => {
    await require(true);
    toast(m.approvalRequired, { label: m.undo, run: () => void require(false).catch(toastError) });
  });
  const mayApprove = keys.some(({ scopes }) => scopes.includes('approve'));
  if (ownerId === null || !mayRequire || !mayApprove || !own || own.requires_approval) return null;
  return (
    <div className="off-banner">
      <Icon name="person" tone="warn" size={20} />
      <p>
        <b>{m.unapproved}</b> {m.unapprovedText}
      </p>
      <Button needs="PATCH /endpoints/{id}" busy={isBusy} onClick={save}>
        {m.requireApproval}
      </Button>
    </div>
  );
};

const mayOf = ({ scopes }: Key): string => format.list(scopes.map((each) => m.scope[each]));

const useEndpointName = (): ((id: string) => string) => {
  const names = useNames();
  return (id) => (names.endpoint(id) ? endpointName(names.endpoint(id)!) : id);
};

const KeyCsv = ({ keys }: { readonly keys: readonly Key[] }) => (
  <CsvButton name="people" columns={keyColumns(mayOf, useEndpointName())} readPage={wholeList(keys)} />
);

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly onNewKey: (key: Api<'KeyWithSecret'>) => void;
}

const KeyTable = ({ keys, onNewKey }: KeyTableProps) => {
  const nameOf = useEndpointName();
  const mayChange = useMay('PATCH /keys/{id}');
  const [asked, setAsked] = useState<{ readonly key: Key; readonly kind: 'change' | 'rotate' | 'revoke' } | null>(null);
  const close = (): void => setAsked(null);
  const endpointsOf = ({ endpoint_ids: ids }: Key): string =>
    ids === null ? m.everywhere : format.list(ids.map(nameOf));
  return (
    <>
      <DataTable
        className="stacked"
        items={keys}
        keyOf={({ id }) => id}
        columns={[
          { title: m.name, sortBy: ({ name }) => name, cell: (key) => <KeyName of={key} /> },
          { title: m.may, cell: mayOf },
          { title: m.where, className: 'secondary', isLabelled: true, cell: endpointsOf },
          {
            title: m.lastUsed,
            className: 'secondary',
            isLabelled: true,
            sortBy: ({ last_used: used }) => used?.at ?? '',
            cell: ({ last_used: used }) => (used ? <Age since={used.at} ago /> : m.never),
          },
          {
            title: m.actions(''),
            isTitleHidden: true,
            className: 'right',
            cell: (key) =>
              !key.is_main &&
              mayChange && (
                <Menu trigger={<Button icon="more" look="quiet" size="small" aria-label={m.actions(key.name)} />}>
                  <MenuItem onSelect={() => setAsked({ key, kind: 'change' })}>{m.change}</MenuItem>
                  <MenuItem onSelect={() => setAsked({ key, kind: 'rotate' })}>{m.rotate}</MenuItem>
                  <MenuItem isDanger onSelect={() => setAsked({ key, kind: 'revoke' })}>
                    {m.revoke}
                  </MenuItem>
                </Menu>
              ),
          },
        ]}
      />
      {asked?.kind === 'change' && <KeyDialog changed={asked.key} onClose={close} onCreated={onNewKey} />}
      {asked?.kind === 'rotate' && <RotateDialog of={asked.key} onClose={close} onRotated={onNewKey} />}
      {asked?.kind === 'revoke' && <RevokeDialog of={asked.key} onClose={close} />}
    </>
  );
};

/** The name of a key, with what is special about it. */
const KeyName = ({ of: { name, is_main: isMain, expires_at: at, previous_until: until } }: { readonly of: Key }) => (
  <>
    <b>
      <bdi className="cut">{isMain ? m.mainKey : name}</bdi>
    </b>{' '}
    <span className="tertiary">
      {isMain && m.main}{' '}
      {at !== null &&
        (Date.parse(at) <= serverNow() ? m.expired : <SentenceText of={sentence(m.until, { at: { at } })} />)}{' '}
      {until !== null && <SentenceText of={sentence(m.old, { at: { at: until } })} />}
    </span>
  </>
);
