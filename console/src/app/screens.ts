import { callEarly, FIRST_PAGES, lookAtEarly, OVERVIEW } from '../api/early-calls.js';
import type { Overview } from '../api/overview.js';
import { hasPublished } from '../screens/overview/has-published.js';

/** Loads the scripts of each screen, by its path under /console. */
export const SCREENS = {
  '/': () => import('../screens/overview/overview-screen.js'),
  '/timeline': () => import('../screens/timeline/timeline-screen.js'),
  '/publications/$id': () => import('../screens/publication/publication-screen.js'),
  '/posts/$id': () => import('../screens/publication/post-screen.js'),
  '/plan': () => import('../screens/plan/plan-screen.js'),
  '/compose': () => import('../screens/compose/compose-screen.js'),
  '/channels': () => import('../screens/channels/channels-screen.js'),
  '/channels/new': () => import('../screens/channels/channel-screen.js'),
  '/channels/$id': () => import('../screens/channels/channel-screen.js'),
  '/projects': () => import('../screens/projects/projects-screen.js'),
  '/projects/new': () => import('../screens/projects/new-project-screen.js'),
  '/projects/$id': () => import('../screens/projects/project-screen.js'),
  '/people': () => import('../screens/people/people-screen.js'),
  '/endpoints': () => import('../screens/endpoints/endpoints-screen.js'),
  '/endpoints/new': () => import('../screens/endpoints/new-endpoint-screen.js'),
  '/endpoints/$id': () => import('../screens/endpoints/endpoint-screen.js'),
  '/outputs': () => import('../screens/outputs/outputs-screen.js'),
  '/outputs/new': () => import('../screens/outputs/new-output-screen.js'),
  '/outputs/$id': () => import('../screens/outputs/output-screen.js'),
  '/requests': () => import('../screens/requests/requests-screen.js'),
  '/time': () => import('../screens/time/time-screen.js'),
  '/more': () => import('../shell/more-screen.js'),
  '/owners': () => import('../screens/owners/owners-screen.js'),
  '/owners/$id': () => import('../screens/owners/owner-screen.js'),
  '/projections': () => import('../screens/projections/projections-screen.js'),
} as const;

/** What some screens cannot be shown without. The rest would delay their scripts. */
const FIRST_CALLS: Partial<Record<keyof typeof SCREENS, readonly string[]>> = {
  '/': [OVERVIEW],
  '/channels': [FIRST_PAGES.channels],
  '/compose': [FIRST_PAGES.channels, FIRST_PAGES.endpoints],
};

const FIRST_RUN = () => import('../screens/overview/first-run/first-run.js');

/** Returns the path of the screen at an address. @param pathname `/console/channels` */
const screenAt = (pathname: string): keyof typeof SCREENS | undefined =>
  Object.keys(SCREENS).find((path): path is keyof typeof SCREENS => {
    const pattern = path === '/' ? '' : path.replace('$id', '[^/]+');
    return new RegExp(`^/console${pattern}/?$`).test(pathname);
  });

/**
 * Starts to load what the screen at an address needs, its scripts and the gateway's first answers, while the scripts of
 * the first view are still on their way.
 */
export const loadScreenAt = (pathname: string): void => {
  const screen = screenAt(pathname);
  if (screen === undefined) return;
  callEarly(...(FIRST_CALLS[screen] ?? []));
  // If this fails, the router loads the screen again, and shows the error.
  SCREENS[screen]().catch(() => undefined);
  if (screen === '/') void loadFirstRun().catch(() => undefined);
  if (screen === '/compose') void callForSets().catch(() => undefined);
};

/** Loads the steps to an owner's first post, if there is none yet. */
const loadFirstRun = async (): Promise<void> => {
  const overview = (await lookAtEarly(OVERVIEW)) as Pick<Overview, 'networks'> | undefined;
  if (!overview || hasPublished(overview)) return;
  callEarly(FIRST_PAGES.channels);
  await Promise.all([FIRST_RUN(), loadChannelForm()]);
};

/** Loads the form that the first run begins with, if there is no channel yet. */
const loadChannelForm = async (): Promise<void> => {
  const channels = (await lookAtEarly(FIRST_PAGES.channels)) as { readonly items: readonly unknown[] } | undefined;
  if (channels?.items.length === 0) await import('../channel-form/channel-form.js');
};

/** Asks for the channel sets of a small account. Those of a large one would delay the scripts. */
const callForSets = async (): Promise<void> => {
  const channels = (await lookAtEarly(FIRST_PAGES.channels)) as { readonly next: string | null } | undefined;
  if (channels?.next === null) callEarly(FIRST_PAGES.projects);
};
