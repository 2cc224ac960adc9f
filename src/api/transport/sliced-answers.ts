import type { FastifyInstance } from 'fastify';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';

/** Number of characters to serialise before yielding to the event loop. */
const SLICE_LENGTH = 262_144;

/** Serialises lists item by item, and large lists in slices. Produces the same output as `JSON.stringify`. */
export const serializeListsInSlices = (fastify: FastifyInstance): void => {
  fastify.addHook('preSerialization', async (_request, reply, payload) => {
    if (!isList(payload)) return payload;
    const text = await serializeList(payload);
    void reply.serializer(() => text);
    return payload;
  });
};

interface List {
  readonly items: readonly unknown[];
}

const isList = (payload: unknown): payload is List =>
  typeof payload === 'object' && payload !== null && 'items' in payload && Array.isArray(payload.items);

/** Returns a list as JSON. */
export const serializeList = async (list: List): Promise<string> => {
  const members: string[] = [];
  for (const [name, value] of Object.entries(list)) {
    const text = value === list.items ? await serializeItems(list.items) : serialize(value);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(',')}}`;
};

const serializeItems = async (items: readonly unknown[]): Promise<string> => {
  const texts: string[] = [];
  let length = 0;
  for (const item of items) {
    const text = serialize(item) ?? 'null';
    texts.push(text);
    if ((length += text.length) < SLICE_LENGTH) continue;
    await yieldToEventLoop();
    length = 0;
  }
  return `[${texts.join(',')}]`;
};

/** Returns a value as JSON; undefined if JSON cannot represent it. */
const serialize = (value: unknown): string | undefined => JSON.stringify(value);
