import type { Catalogue } from '../../kernel/catalogue.js';
import type { DomainEvent } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/json.js';

export type ProjectCreated = DomainEvent<
  'ProjectCreated',
  {
    readonly projectId: string;
    readonly ownerId: string;
    readonly name: string;
    readonly channelIds: readonly string[];
    /** management.md: `processing`; validated before it gets here (D-28). */
    readonly processing: JsonObject;
  }
>;
export type ProjectRenamed = DomainEvent<'ProjectRenamed', { readonly projectId: string; readonly name: string }>;
export type ProjectChannelsChanged = DomainEvent<
  'ProjectChannelsChanged',
  { readonly projectId: string; readonly channelIds: readonly string[] }
>;
export type ProjectProcessingChanged = DomainEvent<
  'ProjectProcessingChanged',
  { readonly projectId: string; readonly processing: JsonObject }
>;

export type ProjectEvent = ProjectCreated | ProjectRenamed | ProjectChannelsChanged | ProjectProcessingChanged;

export const projectEvents = {
  ProjectCreated: { version: 1 },
  ProjectRenamed: { version: 1 },
  ProjectChannelsChanged: { version: 1 },
  ProjectProcessingChanged: { version: 1 },
} satisfies Catalogue & Record<ProjectEvent['type'], unknown>;
