import { type ChannelEvent, type ShownChannel, shownChannel } from '../../domain/channel/channel.events.js';
import { shownEndpoint } from '../../domain/endpoint/endpoint.events.js';
import { shownKey } from '../../domain/key/key.events.js';
import { shownMedia } from '../../domain/media/media.events.js';
import { shownOwner } from '../../domain/owner/owner.events.js';
import { shownProject } from '../../domain/project/project.events.js';
import { shownWebhookOutput } from '../../domain/webhook-output/webhook-output.events.js';
import type { ShownAggregate } from '../../kernel/events.js';
import { channelPauseHistory, projectPauseHistory } from './pause.js';
import { postHistory } from './post.js';
import { publicationHistory } from './publication.js';

/** History leaves out the remedies, which are advice for the present. */
const withoutRemedies = (state: ShownChannel | null): ShownChannel | null => {
  if (!state?.attention) return state;
  const { remedies: _, ...attention } = state.attention;
  return { ...state, attention: attention as ShownChannel['attention'] };
};

const channelHistory: ShownAggregate<ShownChannel, ChannelEvent> = {
  ...shownChannel,
  evolve: (state, event) => withoutRemedies(shownChannel.evolve(state, event)),
};

/** All aggregates with a history. To add one, write its fold and list it here. */
const ALL = [
  shownOwner,
  channelHistory,
  shownProject,
  shownEndpoint,
  projectPauseHistory,
  channelPauseHistory,
  postHistory,
  publicationHistory,
  shownWebhookOutput,
  shownMedia,
  shownKey,
] as unknown as readonly ShownAggregate[];

const byName: ReadonlyMap<string, ShownAggregate> = new Map(ALL.map((each) => [each.name, each]));

/** Names of the aggregates, in the order of management-api.md. */
export const AGGREGATE_NAMES: readonly string[] = ALL.map(({ name }) => name);

/** Finds an aggregate by its name in a path. */
export const findAggregate = (name: string): ShownAggregate | undefined => byName.get(name);
