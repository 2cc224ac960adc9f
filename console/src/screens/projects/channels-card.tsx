import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useChannels } from '../../api/things.js';
import { ChannelPicker } from '../../channels/channel-picker.js';
import type { Channel } from '../../channels/channel-state.js';
import { ChannelStatus } from '../../channels/channel-status.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Dialog } from '../../components/dialog.js';
import { FormEnd, useSave } from '../../components/form.js';
import { NetworkMark } from '../../components/icon.js';
import { Empty } from '../../components/states.js';
import { toast } from '../../components/toasts.js';
import { projectsMessages as m } from './messages.js';
import { changeProject, type Project } from './project-calls.js';

/** The channels of a project, in order. The user can add, remove and move channels, then save. */
export const ChannelsCard = ({ project }: { readonly project: Project }) => {
  const channels = useChannels().data;
  const [edited, setEdited] = useState<readonly string[] | null>(null);
  const [isAdding, setIsAdding] = useState(false);
  const saved = project.channel_ids;
  const ids = edited ?? saved;
  const isChanged = ids.join() !== saved.join();
  const hasRemoved = saved.some((id) => !ids.includes(id));
  const byId = new Map((channels ?? []).map((channel) => [channel.id, channel]));
  const others = (channels ?? []).filter(({ id, owner_id: owner }) => owner === project.owner_id && !ids.includes(id));
  const { save, isBusy } = useSave(async () => {
    await changeProject(project.id, { channel_ids: ids });
    setEdited(null);
    toast(m.channelsSaved);
  });
  const swap = (index: number, step: -1 | 1): void => {
    const next = [...ids];
    const [moved] = next.splice(index, 1);
    if (moved !== undefined) next.splice(index + step, 0, moved);
    setEdited(next);
  };
  const isEmpty = ids.length === 0;
  const add = (
    <Button
      needs="PATCH /projects/{id}"
      size={isEmpty ? 'normal' : 'small'}
      look={isEmpty ? 'primary' : 'plain'}
      icon="plus"
      onClick={() => setIsAdding(true)}
    >
      {m.addChannels}
    </Button>
  );
  return (
    <Card title={m.channelsTitle} aside={!isEmpty && add}>
      {isEmpty && (
        <Empty icon="channel" title={m.channelsEmpty} action={add}>
          {m.channelsEmptyText}
        </Empty>
      )}
      <ol className="project-channels">
        {ids.map((id, index) => (
          <ChannelLine
            key={id}
            id={id}
            channel={byId.get(id)}
            onUp={index > 0 ? () => swap(index, -1) : null}
            onDown={index < ids.length - 1 ? () => swap(index, 1) : null}
            onRemove={() => setEdited(ids.filter((each) => each !== id))}
          />
        ))}
      </ol>
      {isChanged && (
        <div className="project-channels-end">
          <FormEnd text={hasRemoved ? `${m.notSaved} ${m.removedStay}` : m.notSaved}>
            <Button onClick={() => setEdited(null)}>{m.undo}</Button>
            <Button look="primary" busy={isBusy} onClick={save}>
              {m.saveChannels}
            </Button>
          </FormEnd>
        </div>
      )}
      {isAdding && (
        <AddDialog
          channels={others}
          hasAny={(channels ?? []).length > 0}
          onAdd={(added) => setEdited([...ids, ...added])}
          onClose={() => setIsAdding(false)}
        />
      )}
    </Card>
  );
};

interface ChannelLineProps {
  readonly id: string;
  /** Undefined while the channels are loading. */
  readonly channel: Channel | undefined;
  readonly onUp: (() => void) | null;
  readonly onDown: (() => void) | null;
  readonly onRemove: () => void;
}

const ChannelLine = ({ id, channel, onUp, onDown, onRemove }: ChannelLineProps) => {
  const name = channel?.name ?? id;
  return (
    <li>
      {channel && <NetworkMark platform={channel.platform} />}
      <Link className="link cut" to="/channels/$id" params={{ id }}>
        <bdi>{name}</bdi>
      </Link>
      <bdi className="tertiary cut">{channel?.address.chat_id ?? channel?.address.group_id}</bdi>
      <span className="grow" />
      {channel && <ChannelStatus channel={channel} />}
      <span className="row project-moves">
        <Button
          needs="PATCH /projects/{id}"
          size="small"
          look="quiet"
          icon="chevronUp"
          aria-label={m.moveUp(name)}
          disabled={onUp === null}
          onClick={onUp ?? undefined}
        />
        <Button
          needs="PATCH /projects/{id}"
          size="small"
          look="quiet"
          icon="chevronDown"
          aria-label={m.moveDown(name)}
          disabled={onDown === null}
          onClick={onDown ?? undefined}
        />
        <Button
          needs="PATCH /projects/{id}"
          size="small"
          look="quiet"
          icon="close"
          aria-label={m.remove(name)}
          onClick={onRemove}
        />
      </span>
    </li>
  );
};

interface AddDialogProps {
  readonly channels: readonly Channel[];
  /** False if the owner has no channels at all. */
  readonly hasAny: boolean;
  readonly onAdd: (ids: readonly string[]) => void;
  readonly onClose: () => void;
}

const AddDialog = ({ channels, hasAny, onAdd, onClose }: AddDialogProps) => {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  return (
    <Dialog title={m.addTitle} isOpen onClose={onClose}>
      {channels.length > 0 ? (
        <ChannelPicker label={m.chooseChannels} channels={channels} chosen={chosen} onChange={setChosen} />
      ) : (
        <p className="secondary">{hasAny ? m.allAdded : m.noChannelYet}</p>
      )}
      <div className="dialog-actions">
        <Button onClick={onClose}>{m.notNow}</Button>
        {channels.length > 0 ? (
          <Button
            look="primary"
            disabled={chosen.length === 0}
            onClick={() => {
              onAdd(chosen);
              onClose();
            }}
          >
            {m.add}
          </Button>
        ) : (
          <ButtonLink look="primary" to="/channels/new">
            {m.connect}
          </ButtonLink>
        )}
      </div>
    </Dialog>
  );
};
