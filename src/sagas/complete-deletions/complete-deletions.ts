import { Deletions } from '../../commands/deletion.js';
import { EraseContent } from '../../commands/erase-content.js';
import type { ChannelConnected, ChannelDeleted } from '../../domain/channel/channel.events.js';
import type { EndpointChanged, EndpointCreated, EndpointDeleted } from '../../domain/endpoint/endpoint.events.js';
import type { MediaUploaded } from '../../domain/media/media.events.js';
import type { OwnerContentErased, OwnerDeleted } from '../../domain/owner/owner.events.js';
import type { ProjectChannelsChanged, ProjectCreated, ProjectDeleted } from '../../domain/project/project.events.js';
import type { WebhookOutputCreated } from '../../domain/webhook-output/webhook-output.events.js';
import { Drafts } from '../../drafts/drafts.js';
import type { CommandContext } from '../../event-store/codec.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { causedBy, FollowsLog } from '../engine/event-saga.js';

type Deletion = OwnerDeleted | ChannelDeleted | ProjectDeleted | EndpointDeleted;
/** Events that may refer to a resource deleted at the same time. */
type Naming =
  | ChannelConnected
  | ProjectCreated
  | ProjectChannelsChanged
  | EndpointCreated
  | EndpointChanged
  | MediaUploaded
  | WebhookOutputCreated;

const NAME = 'complete-deletions';

/**
 * Completes interrupted deletions: removes references to a deleted resource, cancels its queued publications, and
 * deletes everything that belonged to a deleted owner. Also checks resources created during a deletion. Each step
 * depends on the current state, so an old or repeated event does no harm.
 */
@FollowsLog<Deletion | Naming | OwnerContentErased>({
  name: NAME,
  types: [
    'OwnerDeleted',
    'ChannelDeleted',
    'ProjectDeleted',
    'EndpointDeleted',
    'ChannelConnected',
    'ProjectCreated',
    'ProjectChannelsChanged',
    'EndpointCreated',
    'EndpointChanged',
    'WebhookOutputCreated',
    'MediaUploaded',
    'OwnerContentErased',
  ],
  startsAt: 'beginning',
  lanes: 'owner',
})
export class CompleteDeletions {
  constructor(
    private readonly deletions: Deletions,
    private readonly drafts: Drafts,
    private readonly erasure: EraseContent,
  ) {}

  async react(event: RecordedEventOf<Deletion | Naming | OwnerContentErased>): Promise<void> {
    const context = { ...causedBy(event, NAME), commandId: `${NAME}/${event.id}`, at: event.at };
    // The keys may be back: those of a backup, or of a file that was imported.
    if (event.type === 'OwnerContentErased') return this.erasure.repeat(event.data);
    await reactTo(event, this.deletions, context);
    if (event.type !== 'OwnerDeleted') return;
    await this.drafts.eraseOf(event.data.ownerId);
    await this.erasure.eraseDeleted(event.data.ownerId, context);
  }
}

const reactTo = async (
  event: RecordedEventOf<Deletion | Naming>,
  deletions: Deletions,
  context: CommandContext,
): Promise<unknown> => {
  const { position } = event;
  switch (event.type) {
    case 'OwnerDeleted':
      return deletions.completeOwner(event.data.ownerId, position, context);
    case 'ChannelDeleted':
      return deletions.completeChannel(event.data.channelId, position, context);
    case 'ProjectDeleted':
      return deletions.completeProject(event.data.projectId, position, context);
    case 'EndpointDeleted':
      return deletions.completeEndpoint(event.data.endpointId, position, context);
    case 'ChannelConnected':
      return deletions.verifyNewChannel(event.data, context);
    case 'ProjectCreated':
      return deletions.verifyNewProject(event.data, context);
    case 'ProjectChannelsChanged':
      return deletions.dropDeletedChannels(event.data.projectId, event.data.channelIds, context);
    case 'EndpointCreated': {
      const { endpointId, ownerId, settings } = event.data;
      return deletions.verifyNewEndpoint({ endpointId, ownerId, projectIds: settings.projectIds }, context);
    }
    case 'WebhookOutputCreated':
      return deletions.verifyNewOutput(event.data, context);
    case 'MediaUploaded':
      return deletions.verifyNewMedia(event.data, context);
    case 'EndpointChanged':
      return deletions.dropDeletedProjects(event.data.endpointId, event.data.settings.projectIds ?? [], context);
  }
};
