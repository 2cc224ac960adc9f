import { type Decider, assertNever } from '../../kernel/decider.js';
import type { JsonObject } from '../../kernel/json.js';
import { reject } from '../../kernel/result.js';
import type { ProjectEvent } from './project.events.js';

/** Commands to a project. */
export type ProjectCommand =
  | {
      readonly type: 'CreateProject';
      readonly projectId: string;
      readonly ownerId: string;
      readonly name: string;
      readonly channelIds: readonly string[];
      readonly processing: JsonObject;
    }
  | {
      readonly type: 'ChangeProject';
      readonly projectId: string;
      readonly name?: string;
      readonly channelIds?: readonly string[];
      readonly processing?: JsonObject;
    };

/** The state of a project; null: there is none. */
export type ProjectState = null | {
  readonly ownerId: string;
  readonly name: string;
  readonly channelIds: readonly string[];
  readonly processing: JsonObject;
};

/** A list of channels, with the processing of the posts for them. */
export const project: Decider<ProjectCommand, ProjectState, ProjectEvent, 'not_found' | 'already_exists'> = {
  category: 'project',
  initial: null,

  ownerOf: (state) => state?.ownerId ?? null,

  decide(command, state) {
    const { projectId } = command;
    switch (command.type) {
      case 'CreateProject': {
        if (state) return reject('already_exists', 'This project already exists.');
        const { ownerId, name, channelIds, processing } = command;
        return [{ type: 'ProjectCreated', data: { projectId, ownerId, name, channelIds, processing } }];
      }
      case 'ChangeProject': {
        if (!state) return reject('not_found', 'There is no such project.');
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
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'ProjectCreated') {
      const { ownerId, name, channelIds, processing } = event.data;
      return { ownerId, name, channelIds, processing };
    }
    if (!state) return state;
    switch (event.type) {
      case 'ProjectRenamed':
        return { ...state, name: event.data.name };
      case 'ProjectChannelsChanged':
        return { ...state, channelIds: event.data.channelIds };
      case 'ProjectProcessingChanged':
        return { ...state, processing: event.data.processing };
      default:
        return assertNever(event);
    }
  },
};
