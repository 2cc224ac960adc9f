import { channelHistory } from './channel.js';
import { endpointHistory } from './endpoint.js';
import type { HistoryAggregate } from './history-aggregate.js';
import { ownerHistory } from './owner.js';
import { channelPauseHistory, projectPauseHistory } from './pause.js';
import { postHistory } from './post.js';
import { projectHistory } from './project.js';
import { publicationHistory } from './publication.js';
import { webhookOutputHistory } from './webhook-output.js';

/** All aggregates with a history. To add one, write a file with its fold and list it here. */
const ALL = [
  ownerHistory,
  channelHistory,
  projectHistory,
  endpointHistory,
  projectPauseHistory,
  channelPauseHistory,
  postHistory,
  publicationHistory,
  webhookOutputHistory,
] as unknown as readonly HistoryAggregate[];

const byName: ReadonlyMap<string, HistoryAggregate> = new Map(ALL.map((each) => [each.name, each]));

/** Names of the aggregates, in the order of management-api.md. */
export const AGGREGATE_NAMES: readonly string[] = ALL.map(({ name }) => name);

/** Finds an aggregate by its name in a path. */
export const findAggregate = (name: string): HistoryAggregate | undefined => byName.get(name);
