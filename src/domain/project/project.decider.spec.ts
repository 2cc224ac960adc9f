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

  it('is created once', () =>
    spec(project)
      .given([created])
      .when({ type: 'CreateProject', ...created.data })
      .thenRejected('already_exists'));

  it('that does not exist cannot be changed', () =>
    spec(project).given([]).when({ type: 'ChangeProject', projectId, name: 'Autumn' }).thenRejected('not_found'));

  it('does not come to be by events without its beginning', () =>
    spec(project)
      .given([{ type: 'ProjectRenamed', data: { projectId, name: 'Autumn' } }])
      .when({ type: 'ChangeProject', projectId, name: 'Autumn' })
      .thenRejected('not_found'));
});

describe('changing a project', () => {
  it('writes one event for each thing that changes', () =>
    spec(project)
      .given([created])
      .when({ type: 'ChangeProject', projectId, name: 'Autumn', channelIds: ['tgt_2'], processing: {} })
      .then([
        { type: 'ProjectRenamed', data: { projectId, name: 'Autumn' } },
        { type: 'ProjectChannelsChanged', data: { projectId, channelIds: ['tgt_2'] } },
        { type: 'ProjectProcessingChanged', data: { projectId, processing: {} } },
      ]));

  it('leaves alone what was not sent', () =>
    spec(project)
      .given([created])
      .when({ type: 'ChangeProject', projectId, processing: { signature: { text: 'A.' } } })
      .then([{ type: 'ProjectProcessingChanged', data: { projectId, processing: { signature: { text: 'A.' } } } }]));

  it('writes nothing where all is as it was', () =>
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

  it('takes another order of the same channels for a change', () =>
    spec(project)
      .given([created])
      .when({ type: 'ChangeProject', projectId, channelIds: ['tgt_2', 'tgt_1'] })
      .then([{ type: 'ProjectChannelsChanged', data: { projectId, channelIds: ['tgt_2', 'tgt_1'] } }]));

  it('can take all channels away', () =>
    spec(project)
      .given([created])
      .when({ type: 'ChangeProject', projectId, channelIds: [] })
      .then([{ type: 'ProjectChannelsChanged', data: { projectId, channelIds: [] } }]));

  it('compares with the project of today, not of the beginning', () =>
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
