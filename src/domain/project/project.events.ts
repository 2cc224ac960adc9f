import type { Catalogue } from '../../kernel/catalogue.js';
import type { DomainEvent } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/json.js';

/** An owner made a list of channels. */
export type ProjectCreated = DomainEvent<
  'ProjectCreated',
  {
    readonly projectId: string;
    readonly ownerId: string;
    readonly name: string;
    readonly channelIds: readonly string[];
    /** management-api.md: `processing`; validated before it gets here (D-28). */
    readonly processing: JsonObject;
  }
>;
/** The name that owners and verbose discovery see. */
export type ProjectRenamed = DomainEvent<'ProjectRenamed', { readonly projectId: string; readonly name: string }>;
/** The whole list as it now stands; of meaning for posts accepted from here on. */
export type ProjectChannelsChanged = DomainEvent<
  'ProjectChannelsChanged',
  { readonly projectId: string; readonly channelIds: readonly string[] }
>;
/** The whole of it as it now stands (D-28). */
export type ProjectProcessingChanged = DomainEvent<
  'ProjectProcessingChanged',
  { readonly projectId: string; readonly processing: JsonObject }
>;

/** What a project’s stream holds. */
export type ProjectEvent = ProjectCreated | ProjectRenamed | ProjectChannelsChanged | ProjectProcessingChanged;

/** Versions of these events. */
export const projectEvents = {
  ProjectCreated: { version: 1 },
  ProjectRenamed: { version: 1 },
  ProjectChannelsChanged: { version: 1 },
  ProjectProcessingChanged: { version: 1 },
} satisfies Catalogue & Record<ProjectEvent['type'], unknown>;
