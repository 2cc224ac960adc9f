import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useLocale } from '../i18n/messages.js';
import { OverviewScreen } from '../screens/overview/overview-screen.js';
import { NotFoundScreen } from '../shell/not-found-screen.js';
import { Shell } from '../shell/shell.js';
import {
  readChannelSearch,
  readChannelsSearch,
  readComposeSearch,
  readPlanSearch,
  readRequestsSearch,
  readTimelineSearch,
  readTimeSearch,
} from './search.js';

interface Screen {
  (): ReactNode;
  readonly preload?: () => Promise<void> | undefined;
}

/** Renders a screen again when the language changes: the router's own components keep what they rendered. */
const localized = (Screen: Screen): Screen => {
  const Localized = () => {
    useLocale();
    return <Screen />;
  };
  return Object.assign(Localized, { preload: Screen.preload });
};

const root = createRootRoute({ component: localized(Shell), notFoundComponent: localized(NotFoundScreen) });

/** The route of a screen that is loaded on demand. */
const screen = <const Path extends string, Name extends string, Search = object>(
  path: Path,
  load: () => Promise<Readonly<Record<Name, () => ReactNode>>>,
  name: Name,
  validateSearch: (search: Record<string, unknown>) => Search = () => ({}) as Search,
) => {
  const component = localized(lazyRouteComponent(load, name) as unknown as Screen);
  return createRoute({ getParentRoute: () => root, path, component, validateSearch });
};

/** The console's screens, by path under /console. All except the overview are loaded on demand. */
export const router = createRouter({
  routeTree: root.addChildren([
    createRoute({ getParentRoute: () => root, path: '/', component: localized(OverviewScreen) }),
    screen('/timeline', () => import('../screens/timeline/timeline-screen.js'), 'TimelineScreen', readTimelineSearch),
    screen('/publications/$id', () => import('../screens/publication/publication-screen.js'), 'PublicationScreen'),
    screen('/posts/$id', () => import('../screens/publication/post-screen.js'), 'PostScreen'),
    screen('/plan', () => import('../screens/plan/plan-screen.js'), 'PlanScreen', readPlanSearch),
    screen('/compose', () => import('../screens/compose/compose-screen.js'), 'ComposeScreen', readComposeSearch),
    screen('/channels', () => import('../screens/channels/channels-screen.js'), 'ChannelsScreen', readChannelsSearch),
    screen('/channels/new', () => import('../screens/channels/channel-screen.js'), 'NewChannelScreen'),
    screen('/channels/$id', () => import('../screens/channels/channel-screen.js'), 'ChannelScreen', readChannelSearch),
    screen('/projects', () => import('../screens/projects/projects-screen.js'), 'ProjectsScreen'),
    screen('/projects/new', () => import('../screens/projects/new-project-screen.js'), 'NewProjectScreen'),
    screen('/projects/$id', () => import('../screens/projects/project-screen.js'), 'ProjectScreen'),
    screen('/endpoints', () => import('../screens/endpoints/endpoints-screen.js'), 'EndpointsScreen'),
    screen('/endpoints/new', () => import('../screens/endpoints/new-endpoint-screen.js'), 'NewEndpointScreen'),
    screen('/endpoints/$id', () => import('../screens/endpoints/endpoint-screen.js'), 'EndpointScreen'),
    screen('/outputs', () => import('../screens/outputs/outputs-screen.js'), 'OutputsScreen'),
    screen('/outputs/new', () => import('../screens/outputs/new-output-screen.js'), 'NewOutputScreen'),
    screen('/outputs/$id', () => import('../screens/outputs/output-screen.js'), 'OutputScreen'),
    screen('/requests', () => import('../screens/requests/requests-screen.js'), 'RequestsScreen', readRequestsSearch),
    screen('/time', () => import('../screens/time/time-screen.js'), 'TimeScreen', readTimeSearch),
    screen('/more', () => import('../shell/more-screen.js'), 'MoreScreen'),
    screen('/owners', () => import('../screens/owners/owners-screen.js'), 'OwnersScreen'),
    screen('/owners/$id', () => import('../screens/owners/owner-screen.js'), 'OwnerScreen'),
    screen('/projections', () => import('../screens/projections/projections-screen.js'), 'ProjectionsScreen'),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
