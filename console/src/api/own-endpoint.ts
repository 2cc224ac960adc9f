import { useQuery } from '@tanstack/react-query';
import { defineMessages } from '../i18n/messages.js';
import { useMay } from '../session/rights.js';
import { type Scope, useScope } from '../session/session.js';
import { type Api, GatewayError, management, queryClient } from './management.js';

const m = defineMessages({ en: { firstSet: 'All channels' }, ru: { firstSet: 'Все каналы' } });

/** What the owner has, as far as the console's own endpoint depends on it. */
interface Things {
  readonly endpoints: readonly Api<'Endpoint'>[];
  readonly projects: readonly Api<'Project'>[];
  readonly channels: readonly Api<'Channel'>[];
}

/** Most projects that one call may name. */
const MAX_PROJECTS = 200;

/** Creates the first channel set, with all channels. Tabs that do so at the same time create one. */
const createFirstSet = async (scope: Scope, channels: Things['channels']): Promise<string> => {
  const ids = channels.map(({ id }) => id).sort();
  const body = { ...scope.query, name: m.firstSet, channel_ids: ids };
  const listSets = async () => (await management().get('/projects', { query: { ...scope.query, limit: 1 } })).items;
  try {
    await management().post('/projects', { body, idempotencyKey: 'console-first-set' });
  } catch (error) {
    // Another tab sent something else with the key, or the answer is that of a set which has been deleted since.
    if (!(error instanceof GatewayError) || error.code !== 'idempotency_conflict') throw error;
  }
  const [set] = await listSets();
  return set?.id ?? (await management().post('/projects', { body })).id;
};

/** Opens the console's own endpoint for all channel sets; creates the first set if the owner has none. */
const open = async (scope: Scope, { projects, channels }: Things, missing: readonly string[]): Promise<null> => {
  const ids = projects.length > 0 ? missing.slice(0, MAX_PROJECTS) : [await createFirstSet(scope, channels)];
  await management().post('/endpoints/console', { body: { ...scope.query, project_ids: ids } });
  await Promise.all(['projects', 'endpoints'].map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
  return null;
};

/** Whether the console's own endpoint is ready. */
export interface OwnEndpoint {
  /** True if there is no channel yet to publish to. */
  readonly lacksChannel: boolean;
  /** Why the endpoint could not be opened; null if it is ready, or will be soon. */
  readonly error: Error | null;
}

/**
 * Opens the endpoint through which the console publishes, when a screen first needs it: it then exists and posts to all
 * channel sets of the owner. Does nothing while the operator sees all owners.
 */
export const useOwnEndpoint = (things: Things | undefined): OwnEndpoint => {
  const scope = useScope();
  const own = things?.endpoints.find(({ is_console: isConsole }) => isConsole);
  const missing = (things?.projects ?? []).map(({ id }) => id).filter((id) => own?.project_ids.includes(id) !== true);
  const lacksChannel = things?.channels.length === 0;
  const isNeeded = things !== undefined && !lacksChannel && (own === undefined || missing.length > 0);
  const mayOpen = useMay('POST /endpoints/console');
  const opening = useQuery({
    queryKey: ['own-endpoint', scope.key, missing.join()],
    queryFn: () => open(scope, things!, missing),
    enabled: isNeeded && mayOpen && scope.ownerId !== null,
    gcTime: 0,
  });
  return { lacksChannel, error: isNeeded ? opening.error : null };
};
