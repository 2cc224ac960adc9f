import { Link } from '@tanstack/react-router';
import { type Api, management, queryClient } from '../../api/management.js';
import { useProjects } from '../../api/things.js';
import type { Channel } from '../../channels/channel-state.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { useSave } from '../../components/form.js';
import { Icon } from '../../components/icon.js';
import { toast } from '../../components/toasts.js';
import { useScope } from '../../session/session.js';
import { channelMessages as m } from './messages.js';

/** Maximum number of sets with a button. */
const OFFERED = 3;

interface AddButtonsProps {
  readonly channel: Pick<Channel, 'id' | 'owner_id'>;
  readonly sets: readonly Api<'Project'>[];
  /** True if the first button is the screen's primary one. */
  readonly isPrimary?: boolean;
}

/** Buttons that add a channel to one of its owner's sets, or create a first set with the channel. */
export const AddButtons = ({ channel, sets, isPrimary = false }: AddButtonsProps) => {
  const own = sets.filter(({ owner_id: owner }) => owner === channel.owner_id);
  return (
    <>
      {own.length === 0 && <FirstSetButton channel={channel} isPrimary={isPrimary} />}
      {own.slice(0, OFFERED).map((set, index) => (
        <AddButton key={set.id} set={set} channelId={channel.id} isPrimary={isPrimary && index === 0} />
      ))}
      {own.length > OFFERED && (
        <Link className="link" to="/projects">
          {m.otherProject}
        </Link>
      )}
    </>
  );
};

interface AddButtonProps {
  readonly set: Api<'Project'>;
  readonly channelId: string;
  readonly isPrimary: boolean;
}

const AddButton = ({ set: { id, name, channel_ids: channels }, channelId, isPrimary }: AddButtonProps) => {
  const { save: add, isBusy } = useSave(async () => {
    await management().patch('/projects/{id}', { path: { id }, body: { channel_ids: [...channels, channelId] } });
    await queryClient.invalidateQueries();
    toast(m.addedTo(name));
  });
  return (
    <Button needs="PATCH /projects/{id}" icon="plus" look={isPrimary ? 'primary' : 'plain'} busy={isBusy} onClick={add}>
      {m.addTo(name)}
    </Button>
  );
};

const FirstSetButton = ({ channel, isPrimary }: Required<Pick<AddButtonsProps, 'channel' | 'isPrimary'>>) => {
  const scope = useScope();
  const { save: create, isBusy } = useSave(async () => {
    const owner = scope.isOperator && { owner_id: channel.owner_id };
    const body = { name: m.firstSetName, channel_ids: [channel.id], ...owner };
    await management().post('/projects', { body });
    await queryClient.invalidateQueries();
    toast(m.addedTo(m.firstSetName));
  });
  return (
    <Button needs="POST /projects" icon="plus" look={isPrimary ? 'primary' : 'plain'} busy={isBusy} onClick={create}>
      {m.createFirstSet}
    </Button>
  );
};

/** The next steps for a connected channel: adding it to a set, then writing a post. */
export const AddToSet = ({ channel }: { readonly channel: Channel }) => {
  const sets = useProjects().data;
  if (!sets) return null;
  const set = sets.find(({ channel_ids: ids }) => ids.includes(channel.id));
  return (
    <Card title={set ? m.isInSet(set.name) : m.addToSet}>
      <div className="card-body channel-no-project" aria-live="polite">
        {set ? (
          <>
            <p className="secondary row">
              <Icon name="published" tone="ok" />
              {m.addedTo(set.name)}
            </p>
            <ButtonLink look="primary" icon="compose" to="/compose">
              {m.compose}
            </ButtonLink>
          </>
        ) : (
          <>
            <p className="secondary">{m.whyAdd}</p>
            <AddButtons channel={channel} sets={sets} isPrimary />
          </>
        )}
      </div>
    </Card>
  );
};
