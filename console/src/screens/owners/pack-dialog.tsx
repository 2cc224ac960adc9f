import { useState } from 'react';
import { management } from '../../api/management.js';
import { TextField } from '../../components/controls.js';
import { Confirmation, happens, stays } from '../../components/dialog.js';
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
