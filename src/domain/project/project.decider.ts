import { assertNever, type Decider } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/ids.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { reject } from '../../kernel/result.js';
import { STATE_MESSAGES } from '../messages.js';
import type { ProjectCreated, ProjectEvent } from './project.events.js';

export type ProjectCommand =
  | ({ readonly type: 'CreateProject' } & ProjectCreated['data'])
  | {
      readonly type: 'ChangeProject';
      readonly projectId: string;
      readonly name?: string;
      readonly channelIds?: readonly string[];
      readonly processing?: JsonObject;
    }
  | { readonly type: 'DeleteProject'; readonly projectId: string }
  /** Removes deleted channels from the project. */
  | { readonly type: 'RemoveChannels'; readonly projectId: string; readonly channelIds: readonly string[] };

/** State of a project; null if it does not exist. */
export type ProjectState =
  | null
  | (Omit<ProjectCreated['data'], 'projectId'> & {
      /** True if the project was deleted: every command is then rejected as if the project did not exist. */
      readonly deleted: boolean;
    });

/** A list of channels, and how posts are processed for them. */
export const project: Decider<ProjectCommand, ProjectState, ProjectEvent, 'not_found' | 'already_exists'> = {
  category: 'project',
  initial: null,
  snapshotVersion: 2,

  ownerOf: (state) => state?.ownerId ?? null,

  decide(command, state) {
    const { projectId } = command;
    if (command.type === 'CreateProject') {
      if (state) return reject('already_exists', STATE_MESSAGES.alreadyExists({ what: 'project' }));
      const { ownerId, name, channelIds, processing } = command;
      return [{ type: 'ProjectCreated', data: { projectId, ownerId, name, channelIds, processing } }];
    }
    if (!state || state.deleted) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'project' }));
    switch (command.type) {
      case 'ChangeProject': {
        const { name, channelIds, processing } = command;
        const events: ProjectEvent[] = [];
        if (name !== undefined && name !== state.name)
          events.push({ type: 'ProjectRenamed', data: { projectId, name } });
        if (channelIds && channelIds.join() !== state.channelIds.join()) {
          events.push({ type: 'ProjectChannelsChanged', data: { projectId, channelIds } });
        }
        if (processing && JSON.stringify(processing) !== JSON.stringify(state.processing)) {
          events.push({ type: 'ProjectProcessingChanged', data: { projectId, processing } });
        }
        return events;
      }
      case 'DeleteProject':
        return [{ type: 'ProjectDeleted', data: { projectId } }];
      case 'RemoveChannels': {
        const channelIds = state.channelIds.filter((id) => !command.channelIds.includes(id));
        if (channelIds.length === state.channelIds.length) return [];
        return [{ type: 'ProjectChannelsChanged', data: { projectId, channelIds } }];
      }
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'ProjectCreated') {
      const { ownerId, name, channelIds, processing } = event.data;
      return { ownerId, name, channelIds, processing, deleted: false };
    }
    if (!state) return state;
    switch (event.type) {
      case 'ProjectRenamed':
        return { ...state, name: event.data.name };
      case 'ProjectChannelsChanged':
        return { ...state, channelIds: event.data.channelIds };
      case 'ProjectProcessingChanged':
        return { ...state, processing: event.data.processing };
      case 'ProjectDeleted':
        return { ...state, deleted: true };
      default:
        return assertNever(event);
    }
  },
};
