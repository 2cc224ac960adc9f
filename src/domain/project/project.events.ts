import { iso } from '../../kernel/clock.js';
import { assertNever, type Catalogue, type DomainEvent, type ShownAggregate } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/ids.js';

/** An owner created a project. */
export type ProjectCreated = DomainEvent<
  'ProjectCreated',
  {
    readonly projectId: string;
    readonly ownerId: string;
    readonly name: string;
    readonly channelIds: readonly string[];
    /** management-api.md: `processing`; validated before the command (D-28). */
    readonly processing: JsonObject;
  }
>;
/** The project was renamed. Its name is visible to owners and in verbose discovery. */
export type ProjectRenamed = DomainEvent<'ProjectRenamed', { readonly projectId: string; readonly name: string }>;
/** The project's channels were changed, for posts accepted from now on. `channelIds` is the complete new list. */
export type ProjectChannelsChanged = DomainEvent<
  'ProjectChannelsChanged',
  { readonly projectId: string; readonly channelIds: readonly string[] }
>;
/** The processing was changed (D-28); `processing` is the complete new configuration. */
export type ProjectProcessingChanged = DomainEvent<
  'ProjectProcessingChanged',
  { readonly projectId: string; readonly processing: JsonObject }
>;
/** The owner deleted the project: it accepts no more commands and publishes no posts. Its history is kept. */
export type ProjectDeleted = DomainEvent<'ProjectDeleted', { readonly projectId: string }>;

/** Events in a project's stream. */
export type ProjectEvent =
  ProjectCreated | ProjectRenamed | ProjectChannelsChanged | ProjectProcessingChanged | ProjectDeleted;

export const projectEvents = {
  ProjectCreated: { version: 1 },
  ProjectRenamed: { version: 1 },
  ProjectChannelsChanged: { version: 1 },
  ProjectProcessingChanged: { version: 1 },
  ProjectDeleted: { version: 1 },
} satisfies Catalogue & Record<ProjectEvent['type'], unknown>;

/** A project as the API shows it, now and in history. */
export type ShownProject = {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly channel_ids: readonly string[];
  readonly processing: JsonObject;
  readonly created_at: string;
  readonly deleted_at: string | null;
};

/** Folds projects. */
export const shownProject: ShownAggregate<ShownProject, ProjectEvent> = {
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
