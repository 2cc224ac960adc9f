import { spec } from '../../../test/support/given-when-then.js';
import { project } from './project.decider.js';
import type { ProjectEvent } from './project.events.js';

const projectId = 'prj_1';
const created: ProjectEvent = {
  type: 'ProjectCreated',
  data: {
    projectId,
    ownerId: 'own_1',
    name: 'Spring',
    channelIds: ['tgt_1', 'tgt_2'],
    processing: { footer: { marker: '--' } },
  },
};

describe('a project', () => {
  it('is created with its channels and its processing (D-3, D-28)', () =>
    spec(project)
      .given([])
      .when({ type: 'CreateProject', ...created.data })
      .then([created]));

  it('cannot be created twice', () =>
    spec(project)
      .given([created])
      .when({ type: 'CreateProject', ...created.data })
      .thenRejected('already_exists'));

  it('cannot be changed if it does not exist', () =>
    spec(project).given([]).when({ type: 'ChangeProject', projectId, name: 'Autumn' }).thenRejected('not_found'));

  it('does not exist without its first event', () =>
    spec(project)
      .given([{ type: 'ProjectRenamed', data: { projectId, name: 'Autumn' } }])
      .when({ type: 'ChangeProject', projectId, name: 'Autumn' })
      .thenRejected('not_found'));
});

describe('changing a project', () => {
  it('appends one event for each change', () =>
    spec(project)
      .given([created])
      .when({ type: 'ChangeProject', projectId, name: 'Autumn', channelIds: ['tgt_2'], processing: {} })
      .then([
        { type: 'ProjectRenamed', data: { projectId, name: 'Autumn' } },
        { type: 'ProjectChannelsChanged', data: { projectId, channelIds: ['tgt_2'] } },
        { type: 'ProjectProcessingChanged', data: { projectId, processing: {} } },
      ]));

  it('keeps fields that were not sent', () =>
    spec(project)
      .given([created])
      .when({ type: 'ChangeProject', projectId, processing: { signature: { text: 'A.' } } })
      .then([{ type: 'ProjectProcessingChanged', data: { projectId, processing: { signature: { text: 'A.' } } } }]));

  it('appends nothing if nothing changes', () =>
    spec(project)
      .given([created])
      .when({
        type: 'ChangeProject',
        projectId,
        name: 'Spring',
        channelIds: ['tgt_1', 'tgt_2'],
        processing: { footer: { marker: '--' } },
      })
      .then([]));

  it('treats another order of the same channels as a change', () =>
    spec(project)
      .given([created])
      .when({ type: 'ChangeProject', projectId, channelIds: ['tgt_2', 'tgt_1'] })
      .then([{ type: 'ProjectChannelsChanged', data: { projectId, channelIds: ['tgt_2', 'tgt_1'] } }]));

  it('can remove all channels', () =>
    spec(project)
      .given([created])
      .when({ type: 'ChangeProject', projectId, channelIds: [] })
      .then([{ type: 'ProjectChannelsChanged', data: { projectId, channelIds: [] } }]));

  it('compares with the current project, not with the first one', () =>
    spec(project)
      .given([
        created,
        { type: 'ProjectRenamed', data: { projectId, name: 'Autumn' } },
        { type: 'ProjectChannelsChanged', data: { projectId, channelIds: ['tgt_2'] } },
        { type: 'ProjectProcessingChanged', data: { projectId, processing: {} } },
      ])
      .when({ type: 'ChangeProject', projectId, name: 'Autumn', channelIds: ['tgt_1', 'tgt_2'], processing: {} })
      .then([{ type: 'ProjectChannelsChanged', data: { projectId, channelIds: ['tgt_1', 'tgt_2'] } }]));
});

describe('the deletion of a project (management-api.md: DELETE)', () => {
  const deleted: ProjectEvent = { type: 'ProjectDeleted', data: { projectId } };

  it('is an event, once, after which every command is one to nothing', () => {
    spec(project).given([created]).when({ type: 'DeleteProject', projectId }).then([deleted]);
    for (const command of [
      { type: 'DeleteProject', projectId },
      { type: 'ChangeProject', projectId, name: 'Autumn' },
      { type: 'RemoveChannels', projectId, channelIds: ['tgt_1'] },
    ] as const)
      spec(project).given([created, deleted]).when(command).thenRejected('not_found');
  });
});

describe('channels that were deleted', () => {
  it('are taken out of the project, the others keep their order', () =>
    spec(project)
      .given([created])
      .when({ type: 'RemoveChannels', projectId, channelIds: ['tgt_1', 'tgt_9'] })
      .then([{ type: 'ProjectChannelsChanged', data: { projectId, channelIds: ['tgt_2'] } }]));

  it('change nothing if the project does not name them', () =>
    spec(project)
      .given([created])
      .when({ type: 'RemoveChannels', projectId, channelIds: ['tgt_9'] })
      .then([]));
});
