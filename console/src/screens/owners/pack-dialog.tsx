import { useState } from 'react';
import { management } from '../../api/management.js';
import { Field, TextInput } from '../../components/controls.js';
import { Confirmation } from '../../components/dialog.js';
import { toast } from '../../components/toasts.js';
import { type Owner, refreshOwners } from './data.js';
import { ownersMessages as m } from './messages.js';

/** Gives an owner extra posts on top of the plan. */
export const PackDialog = ({
  owner: { id, name },
  onClose,
}: {
  readonly owner: Owner;
  readonly onClose: () => void;
}) => {
  const [text, setText] = useState('100');
  const posts = /^\d{1,9}$/.test(text.trim()) ? Number(text) : 0;
  return (
    <Confirmation
      title={<bdi>{m.packTitle(name)}</bdi>}
      consequences={[
        { kind: 'happens', text: m.packHappens },
        { kind: 'stays', text: m.packStays },
      ]}
      verb={m.packVerb}
      isReady={posts > 0}
      run={async () => {
        await management().post('/owners/{id}/post-packs', { path: { id }, body: { posts } });
        await refreshOwners();
        toast(m.packDone);
      }}
      onClose={onClose}
      fields={
        <Field label={m.packPosts} {...(posts === 0 && { error: m.packWrong })}>
          {(ids) => (
            <TextInput {...ids} inputMode="numeric" value={text} onChange={(event) => setText(event.target.value)} />
          )}
        </Field>
      }
    />
  );
};
