import { isRejection } from '../kernel/result.js';
import { channel } from './channel/channel.decider.js';
import { delivery } from './delivery/delivery.decider.js';
import { endpoint } from './endpoint/endpoint.decider.js';
import { owner } from './owner/owner.decider.js';
import { project } from './project/project.decider.js';
import { publication } from './publication/publication.decider.js';
import { webhookOutput } from './webhook-output/webhook-output.decider.js';

/** Returns the message with which a decider rejected a command. */
const messageOf = (outcome: unknown): string => {
  if (!isRejection(outcome)) throw new Error('the command was executed');
  return outcome.message;
};
const state = {} as never;
const at = 1;

it.each([
  ['owner', () => owner.decide({ type: 'DeleteOwner', ownerId: 'own_1' }, null)],
  ['channel', () => channel.decide({ type: 'DeleteChannel', channelId: 'chn_1' }, null)],
  ['endpoint', () => endpoint.decide({ type: 'DeleteEndpoint', endpointId: 'ep_1' }, null)],
  ['project', () => project.decide({ type: 'DeleteProject', projectId: 'prj_1' }, null)],
  ['webhook output', () => webhookOutput.decide({ type: 'DeleteOutput', outputId: 'whk_1' }, null)],
  ['delivery', () => delivery.decide({ type: 'RequestRetry', deliveryId: 'dlv_1', at }, null)],
])('a command to no %s says what does not exist', (what, decide) => expect(messageOf(decide())).toContain(what));

it.each([
  ['owner', () => owner.decide({ type: 'RegisterOwner' } as never, state)],
  ['channel', () => channel.decide({ type: 'ConnectChannel' } as never, state)],
  ['endpoint', () => endpoint.decide({ type: 'CreateEndpoint' } as never, state)],
  ['project', () => project.decide({ type: 'CreateProject' } as never, state)],
  ['webhook output', () => webhookOutput.decide({ type: 'CreateOutput' } as never, state)],
])('a second creation of the same %s says what exists', (what, decide) => expect(messageOf(decide())).toContain(what));

it.each(['StartAttempt', 'HoldPublication', 'FilterPublication', 'ResendPublication', 'DismissPublication'])(
  'a publication says its status when it rejects %s',
  (type) =>
    expect(messageOf(publication.decide({ type } as never, { ...publication.initial, status: 'published' }))).toContain(
      'published',
    ),
);

it.each(['publishing', 'in_doubt', 'failed', 'published', 'filtered', 'dismissed'] as const)(
  'a publication that is %s says why it cannot be cancelled',
  (status) => {
    const cancel = { type: 'CancelPublication' } as never;
    const message = messageOf(publication.decide(cancel, { ...publication.initial, status }));
    expect(message).toContain(status === 'publishing' ? 'being sent' : status);
    expect(message.includes('/dismiss')).toBe(status === 'in_doubt' || status === 'failed');
    expect(message.includes('readers see it')).toBe(status === 'published');
  },
);
