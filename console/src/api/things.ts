import { skipToken, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { defineMessages } from '../i18n/messages.js';
import { getSession, type Scope, scopeOf, useScope } from '../session/session.js';
import { FIRST_PAGES, isAskedEarly } from './early-calls.js';
import { type Api, GatewayError, management, queryClient } from './management.js';

/** Maximum number of pages to read, with 200 items each. An owner may have 2,000 channels. */
const MAX_PAGES = 20;

/** Fetches the page of a list at a cursor. */
type ReadPage<T> = (page: { readonly limit: number; readonly cursor?: string }) => Promise<{
  readonly items: readonly T[];
  readonly next: string | null;
}>;

/**
 * Reads a list page by page. Returns its items, and whether there are more than were read.
 * @param maxPages maximum number of pages, with 200 items each
 * @param onPage called with all items so far after each page but the last
 */
export const readPages = async <T>(
  readPage: ReadPage<T>,
  maxPages: number,
  onPage?: (soFar: readonly T[]) => void,
): Promise<{ readonly items: readonly T[]; readonly isMore: boolean }> => {
  const all: T[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < maxPages; page++) {
    const answer: { readonly items: readonly T[]; readonly next: string | null } = await readPage({
      limit: 200,
      ...(cursor !== null && { cursor }),
    });
    all.push(...answer.items);
    cursor = answer.next;
    if (cursor === null) break;
    onPage?.([...all]);
  }
  return { items: all, isMore: cursor !== null };
};

/** Reads a list, up to {@link MAX_PAGES}. */
export const readAll = async <T>(
  readPage: ReadPage<T>,
  onPage?: (soFar: readonly T[]) => void,
): Promise<readonly T[]> => (await readPages(readPage, MAX_PAGES, onPage)).items;

/**
 * Deletes something that other things may use. If one of these has come to use it in the meantime, their list is read
 * again, so that the question that is still open names it.
 */
export const deleteUsed = async (users: 'projects' | 'endpoints', deletion: Promise<unknown>): Promise<void> => {
  try {
    await deletion;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'in_use')
      await queryClient.invalidateQueries({ queryKey: [users] });
    throw error;
  }
};

/** How often a screen that shows the traffic of channels reads it again, in ms; an account with many channels less often. */
const TRAFFIC_MS = { few: 10_000, many: 60_000 };
const FEW_CHANNELS = 200;

const channelsOf = (scope: Scope) => ({
  queryKey: ['channels', scope.key],
  queryFn: () =>
    readAll(
      (page) => management().get('/channels', { query: { ...scope.query, ...page } }),
      (soFar) => queryClient.setQueryData(['channels so far', scope.key], soFar),
    ),
});
const projectsOf = (scope: Scope) => ({
  queryKey: ['projects', scope.key],
  queryFn: () => readAll((page) => management().get('/projects', { query: { ...scope.query, ...page } })),
});
const endpointsOf = (scope: Scope) => ({
  queryKey: ['endpoints', scope.key],
  queryFn: () => readAll((page) => management().get('/endpoints', { query: { ...scope.query, ...page } })),
});

/**
 * Starts to read what a screen needs before its scripts are requested. Otherwise the scripts occupy all of the browser's
 * connections first, which takes a second on a slow line. The page's first screen has asked for what it cannot be shown
 * without, and its scripts are on their way: there, the rest would delay them.
 */
export const prefetchThings = (): void => {
  const session = getSession();
  if (session === null || isAskedEarly(FIRST_PAGES.channels)) return;
  const scope = scopeOf(session);
  void queryClient.prefetchQuery(channelsOf(scope));
  void queryClient.prefetchQuery(projectsOf(scope));
  void queryClient.prefetchQuery(endpointsOf(scope));
};

/**
 * Returns the query for all channels in the scope.
 * @param hasTraffic true for a screen that shows how many posts wait on each channel, which is no change of the channel
 */
export const useChannels = ({ hasTraffic = false } = {}) =>
  useQuery({
    ...channelsOf(useScope()),
    refetchInterval: ({ state }) =>
      hasTraffic && TRAFFIC_MS[(state.data?.length ?? 0) <= FEW_CHANNELS ? 'few' : 'many'],
  });

/** Returns the channels that have arrived, while {@link useChannels} still reads the others. */
export const useChannelsSoFar = (): readonly Api<'Channel'>[] | undefined => {
  const scope = useScope();
  return useQuery<readonly Api<'Channel'>[]>({ queryKey: ['channels so far', scope.key], queryFn: skipToken }).data;
};

/** Returns the query for all projects in the scope. */
export const useProjects = () => useQuery(projectsOf(useScope()));

/** Returns the query for all endpoints in the scope. */
export const useEndpoints = () => useQuery(endpointsOf(useScope()));

/**
 * Returns the query for the keys of all people and programs in the scope.
 * @param isAsked false until they are needed, and for a key that may not see them
 */
export const useIssuedKeys = (isAsked = true) => {
  const scope = useScope();
  return useQuery({
    queryKey: ['keys', scope.key],
    queryFn: () => readAll((page) => management().get('/keys', { query: { ...scope.query, ...page } })),
    enabled: isAsked,
  });
};

const m = defineMessages({ en: { own: 'Console' }, ru: { own: 'Консоль' } });

/** Returns the name of an endpoint. Without one, returns its slug, or how the console calls its own. */
export const endpointName = ({
  name,
  slug,
  is_console: isConsole,
}: Pick<Api<'Endpoint'>, 'name' | 'slug' | 'is_console'>): string => name ?? (isConsole ? m.own : slug);

/** Looks up channels, projects and endpoints that a response mentions only by id. */
export interface Names {
  readonly channel: (id: string) => Api<'Channel'> | undefined;
  readonly project: (id: string) => Api<'Project'> | undefined;
  readonly endpoint: (id: string) => Api<'Endpoint'> | undefined;
}

const byId = <T extends { readonly id: string }>(items: readonly T[] | undefined): ReadonlyMap<string, T> =>
  new Map((items ?? []).map((item) => [item.id, item]));

/**
 * Returns functions that look up the scope's channels, projects and endpoints by id. They return undefined until the
 * lists have loaded.
 */
export const useNames = (): Names => {
  const channels = useChannels().data;
  const projects = useProjects().data;
  const endpoints = useEndpoints().data;
  return useMemo(() => {
    const maps = { channel: byId(channels), project: byId(projects), endpoint: byId(endpoints) };
    return {
      channel: (id) => maps.channel.get(id),
      project: (id) => maps.project.get(id),
      endpoint: (id) => maps.endpoint.get(id),
    };
  }, [channels, projects, endpoints]);
};

/** Key prefixes of the queries that show posts and publications. */
const SHOWN_BY = ['overview', 'posts', 'post', 'publication', 'history'];

/** HTTP error statuses which mean that someone else changed the post, so the screen may be out of date. */
const CHANGED_MEANWHILE = [404, 409, 412];

/** Refetches everything that shows posts and publications. */
export const refreshPosts = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey: [first] }) => SHOWN_BY.includes(String(first)) });

/**
 * Waits for a call that changes a post or publication, then refreshes the screen. Also refreshes it if the call fails
 * because someone else made a change.
 * @throws GatewayError
 */
export const change = async <T>(call: Promise<T>): Promise<T> => {
  try {
    const answer = await call;
    await refreshPosts();
    return answer;
  } catch (error) {
    if (error instanceof GatewayError && CHANGED_MEANWHILE.includes(error.status)) await refreshPosts();
    throw error;
  }
};
