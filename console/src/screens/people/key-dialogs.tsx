import { useState } from 'react';
import { type Api, FieldProblems, management, problemText, queryClient } from '../../api/management.js';
import { endpointName, useEndpoints } from '../../api/things.js';
import { Button } from '../../components/button.js';
import { SecretsOnce } from '../../components/code.js';
import { Checkbox, SelectField, TextField } from '../../components/controls.js';
import { Confirmation, Dialog, happens, stays } from '../../components/dialog.js';
import { Form, useSave } from '../../components/form.js';
import { toast } from '../../components/toasts.js';
import { useScope } from '../../session/session.js';
import { peopleMessages as m } from './messages.js';

export type Key = Api<'Key'>;
type Scope = Key['scopes'][number];

/** What an invitation can allow, in the order of the form. `audit` is issued by the operator alone. */
const CHOICES = ['post', 'approve', 'manage', 'read'] as const satisfies readonly Scope[];

const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['keys'] });

interface KeyDialogProps {
  /** The key to change; null for a new one. */
  readonly changed: Key | null;
  readonly onClose: () => void;
  /** Called with a new key, which is shown once. */
  readonly onCreated: (key: Api<'KeyWithSecret'>) => void;
}

/** Invites someone, or changes what a key may do. */
export const KeyDialog = ({ changed, onClose, onCreated }: KeyDialogProps) => {
  const scope = useScope();
  const endpoints = useEndpoints().data ?? [];
  const [name, setName] = useState(changed?.name ?? '');
  const [scopes, setScopes] = useState<readonly Scope[]>(changed?.scopes ?? ['approve']);
  const [limit, setLimit] = useState<readonly string[]>(changed?.endpoint_ids ?? []);
  const isLimitable = !scopes.includes('manage');
  const { save, isBusy, problems } = useSave(async () => {
    if (scopes.length === 0) throw new FieldProblems({ scopes: { path: 'scopes', code: 'empty', message: m.noScope } });
    const body = { name: name.trim(), scopes, endpoint_ids: isLimitable && limit.length > 0 ? limit : null };
    if (changed) {
      await management().patch('/keys/{id}', { path: { id: changed.id }, body });
      toast(m.saved);
    } else onCreated(await management().post('/keys', { body: { ...scope.query, ...body } }));
    await refresh();
    onClose();
  });
  const toggle = <T,>(all: readonly T[], one: T, isOn: boolean): readonly T[] =>
    isOn ? [...all, one] : all.filter((each) => each !== one);
  return (
    <Dialog
      title={changed ? <bdi>{m.changeTitle(changed.name)}</bdi> : m.inviteTitle}
      {...(!changed && { description: m.inviteText })}
      isOpen
      onClose={onClose}
    >
      <Form className="dialog-form" onSubmit={save}>
        <TextField label={m.name} hint={m.nameHint} problem={problems.name} value={name} required onChange={setName} />
        <fieldset className="choices">
          <legend>{m.mayDo}</legend>
          {CHOICES.map((each) => (
            <Checkbox
              key={each}
              checked={scopes.includes(each)}
              onChange={(event) => setScopes(toggle(scopes, each, event.target.checked))}
            >
              {m.scope[each]}
            </Checkbox>
          ))}
          {problems.scopes && (
            <p className="field-error tone-fail" role="alert">
              {problemText(problems.scopes)}
            </p>
          )}
        </fieldset>
        {endpoints.length > 1 && (
          <fieldset className="choices" disabled={!isLimitable}>
            <legend>
              {m.limit} <span className="tertiary">{isLimitable ? m.limitHint : m.limitNever}</span>
            </legend>
            {endpoints.map((endpoint) => (
              <Checkbox
                key={endpoint.id}
                checked={isLimitable && limit.includes(endpoint.id)}
                onChange={(event) => setLimit(toggle(limit, endpoint.id, event.target.checked))}
              >
                <bdi>{endpointName(endpoint)}</bdi>
              </Checkbox>
            ))}
          </fieldset>
        )}
        <div className="dialog-actions">
          <Button look="primary" type="submit" busy={isBusy}>
            {changed ? m.save : m.create}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
};

interface ForKeyProps {
  readonly of: Key;
  readonly onClose: () => void;
}

/** Replaces a key; the one before it may work a little longer. */
export const RotateDialog = ({
  of,
  onClose,
  onRotated,
}: ForKeyProps & { readonly onRotated: (key: Api<'KeyWithSecret'>) => void }) => {
  const [overlap, setOverlap] = useState('0');
  return (
    <Confirmation
      title={<bdi>{m.rotateTitle(of.name)}</bdi>}
      consequences={[happens(m.rotateText)]}
      verb={m.rotateVerb}
      run={async () => {
        const body = { overlap_minutes: Number(overlap) };
        onRotated(await management().post('/keys/{id}/rotate', { path: { id: of.id }, body }));
        await refresh();
      }}
      onClose={onClose}
      fields={
        <SelectField
          label={m.overlap}
          value={overlap}
          onChange={setOverlap}
          options={(['0', '60', '1440', '10080'] as const).map((minutes) => [minutes, m.overlaps[minutes]])}
        />
      }
    />
  );
};

/** Revokes a key, at once. */
export const RevokeDialog = ({ of, onClose }: ForKeyProps) => (
  <Confirmation
    title={<bdi>{m.revokeTitle(of.name)}</bdi>}
    consequences={[happens(m.revokeHappens), stays(m.revokeStays)]}
    verb={m.revokeVerb}
    isDanger
    run={async () => {
      await management().delete('/keys/{id}', { path: { id: of.id } });
      await refresh();
      toast(m.revoked(of.name));
    }}
    onClose={onClose}
  />
);

/** Shows a new key once, as a link that signs in. The key is in the fragment, which reaches no server. */
export const LinkDialog = ({
  of: { name, key },
  onClose,
}: {
  readonly of: Api<'KeyWithSecret'>;
  readonly onClose: () => void;
}) => {
  const secrets = [
    { label: m.link, value: `${location.origin}/console/#key=${key ?? ''}`, variable: 'LINK', isSecret: false },
    { label: m.key, value: key ?? '', variable: 'KEY', isSecret: true },
  ];
  return (
    <Dialog
      title={<bdi>{m.linkTitle(name)}</bdi>}
      description={<bdi>{m.linkText(name)}</bdi>}
      isOpen
      isLocked
      onClose={onClose}
      className="wide"
    >
      <SecretsOnce secrets={secrets} onDone={onClose} doneLabel={m.done} savedLabel={m.copied} hasEnv={false} />
    </Dialog>
  );
};
