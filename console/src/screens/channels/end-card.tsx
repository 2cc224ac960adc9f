import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useProjects } from '../../api/things.js';
import { deleteChannel, forgetChannel, setChannelEnabled } from '../../channels/channel-calls.js';
import type { Channel } from '../../channels/channel-state.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Confirmation, type Consequence, happens, risk, stays } from '../../components/dialog.js';
import { networkInText } from '../../components/networks.js';
import { SentenceText } from '../../components/sentence.js';
import { toast } from '../../components/toasts.js';
import { format, sentence } from '../../i18n/format.js';
import { useHeldPosts } from '../../pauses/pause-calls.js';
import { channelMessages as m } from './messages.js';

/** Disables or deletes a channel. */
export const EndCard = ({ channel }: { readonly channel: Channel }) => {
  const [asked, setAsked] = useState<'disable' | 'delete' | null>(null);
  const close = (): void => setAsked(null);
  return (
    <Card title={m.stop}>
      <ul className="channel-ends">
        {channel.status !== 'disabled' && (
          <li>
            <span>{m.disableText}</span>
            <Button size="small" onClick={() => setAsked('disable')}>
              {m.disable}
            </Button>
          </li>
        )}
        <li>
          <span>{m.deleteText}</span>
          <Button size="small" look="danger" onClick={() => setAsked('delete')}>
            {m.delete}
          </Button>
        </li>
      </ul>
      {asked === 'disable' && <DisableDialog channel={channel} onClose={close} />}
      {asked === 'delete' && <DeleteDialog channel={channel} onClose={close} />}
    </Card>
  );
};

interface DialogProps {
  readonly channel: Channel;
  readonly onClose: () => void;
}

const DisableDialog = ({ channel: { id, name }, onClose }: DialogProps) => {
  const held = useHeldPosts(id);
  return (
    <Confirmation
      title={<SentenceText of={sentence(m.disableTitle, { name: { name } })} />}
      verb={m.disableNow}
      consequences={[
        happens(held && held.count > 0 ? m.heldByDisabling(held.count, held.isMore) : m.newHeld),
        happens(m.afterEnabling),
        stays(m.credentialsStay),
      ]}
      run={async () => {
        await setChannelEnabled(id, false);
        toast(m.disabled(name));
      }}
      onClose={onClose}
    />
  );
};

const DeleteDialog = ({ channel: { id, name, platform }, onClose }: DialogProps) => {
  const navigate = useNavigate();
  const held = useHeldPosts(id);
  const projects = useProjects().data?.filter(({ channel_ids: ids }) => ids.includes(id)) ?? [];
  const consequences: readonly Consequence[] = [
    projects.length > 0 && happens(m.takenOut(format.list(projects.map((project) => `“${project.name}”`)))),
    held && held.count > 0 && happens(m.cancelled(held.count, held.isMore)),
    happens(m.secretsErased),
    risk(m.noUndo),
    stays(m.postsStay(networkInText(platform))),
  ];
  return (
    <Confirmation
      title={<SentenceText of={sentence(m.deleteTitle, { name: { name } })} />}
      verb={m.deleteNow}
      isDanger
      consequences={consequences}
      run={async () => {
        await deleteChannel(id, projects.length > 0);
        toast(m.deleted(name));
        await navigate({ to: '/channels' });
        await forgetChannel(id);
      }}
      onClose={onClose}
    />
  );
};
