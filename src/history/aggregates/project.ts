import type { ProjectEvent } from '../../domain/project/project.events.js';
import { iso } from '../../kernel/clock.js';
import { assertNever } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/ids.js';
import type { HistoryAggregate } from './history-aggregate.js';

/** The history of a project. */
export type ProjectHistory = {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly channel_ids: readonly string[];
  readonly processing: JsonObject;
  readonly created_at: string;
  readonly deleted_at: string | null;
};

/** Folds projects. */
export const projectHistory: HistoryAggregate<ProjectHistory, ProjectEvent> = {
  name: 'project',
  category: 'project',
  version: 1,

  evolve(state, event) {
    const at = iso(event.at);
    if (event.type === 'ProjectCreated') {
      const { projectId: id, ownerId: owner_id, name, channelIds: channel_ids, processing } = event.data;
      return { id, owner_id, name, channel_ids, processing, created_at: at, deleted_at: null };
    }
    if (!state) return state;
    switch (event.type) {
      case 'ProjectRenamed':
        return { ...state, name: event.data.name };
      case 'ProjectChannelsChanged':
        return { ...state, channel_ids: event.data.channelIds };
      case 'ProjectProcessingChanged':
        return { ...state, processing: event.data.processing };
      case 'ProjectDeleted':
        return { ...state, deleted_at: at };
      default:
        return assertNever(event);
    }
  },
};
