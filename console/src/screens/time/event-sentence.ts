import { type Sentence, sentence, type SentenceValue } from '../../i18n/format.js';
import type { AuditedEvent } from './data.js';
import { eventTexts as m } from './event-texts.js';

/** Maximum length of a post's beginning in a sentence, in characters. */
const MAX_EXCERPT = 60;

const cut = (text: string): string => {
  const characters = Array.from(text);
  return characters.length > MAX_EXCERPT ? `${characters.slice(0, MAX_EXCERPT).join('').trimEnd()}…` : text;
};

/** Returns an event's data; an empty object if the data was erased. */
const dataOf = ({ data }: Pick<AuditedEvent, 'data'>): Readonly<Record<string, unknown>> =>
  typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};

/** A thing that has a name and its own history. */
export interface Thing {
  readonly aggregate: 'channel' | 'project' | 'endpoint' | 'webhook-output' | 'key';
  readonly id: string;
}

const THINGS: Readonly<Record<string, Thing['aggregate']>> = {
  channel: 'channel',
  'channel-pause': 'channel',
  project: 'project',
  'project-pause': 'project',
  endpoint: 'endpoint',
  'webhook-output': 'webhook-output',
  key: 'key',
};

/** Returns the channel, set, endpoint, webhook or key that an event is about; null if there is none. */
export const thingOf = (event: Pick<AuditedEvent, 'aggregate' | 'aggregate_id' | 'data'>): Thing | null => {
  const aggregate = THINGS[event.aggregate];
  if (aggregate && event.aggregate_id !== null) return { aggregate, id: event.aggregate_id };
  const channel = dataOf(event)['channelId'];
  return typeof channel === 'string' ? { aggregate: 'channel', id: channel } : null;
};

/** Data members with the time that `{until}` stands for. */
const TIMES = ['until', 'publishAt', 'retryAt'] as const;

const countOf = ({ targets, publicationIds, posts }: Readonly<Record<string, unknown>>): string => {
  const list = targets ?? publicationIds;
  if (Array.isArray(list)) return String(list.length);
  return typeof posts === 'number' ? String(posts) : '';
};

type Described = Pick<AuditedEvent, 'type' | 'data' | 'aggregate_id'> & { readonly excerpt: string | null };

/** Describes an event in the reader's language. @param thing the name of the thing that the event is about */
export const describeEvent = (event: Described, thing: string | null): Sentence => {
  const data = dataOf(event);
  const text = m.of[event.type] ?? m.unknown;
  const time = TIMES.map((name) => data[name]).find((value) => typeof value === 'number');
  const aPost = text.startsWith('{post}') ? m.aPost : m.aPost.charAt(0).toLowerCase() + m.aPost.slice(1);
  const own = data['name'] ?? data['filename'];
  const name = typeof own === 'string' ? own : null;
  const values: Record<string, SentenceValue> = {
    thing: { name: thing ?? name ?? m.thing },
    name: { name: name ?? thing ?? m.thing },
    post: event.excerpt === null ? aPost : { name: m.post(cut(event.excerpt)) },
    until: time === undefined ? m.rightAway : { at: new Date(time).toISOString() },
    count: countOf(data),
    plan: { name: typeof data['plan'] === 'string' ? data['plan'] : '' },
    id: { name: event.aggregate_id ?? '' },
    type: { name: event.type },
  };
  return sentence(text, values);
};
