import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { prefetchOverview } from '../api/overview.js';
import { prefetchThings } from '../api/things.js';
import { useLocale } from '../i18n/messages.js';
import { NotFoundScreen } from '../shell/not-found-screen.js';
import { Shell } from '../shell/shell.js';
import { SCREENS } from './screens.js';
import {
  readChannelSearch,
  readChannelsSearch,
  readComposeSearch,
  readNewChannelSearch,
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

const getParentRoute = () => root;

/** A screen that is loaded on demand. */
const lazily = <Name extends string>(load: () => Promise<Readonly<Record<Name, () => ReactNode>>>, name: Name) =>
  localized(lazyRouteComponent(load, name) as unknown as Screen);

const overview = createRoute({
  getParentRoute,
  path: '/',
  beforeLoad: prefetchOverview,
  component: lazily(SCREENS['/'], 'OverviewScreen'),
});
const timeline = createRoute({
  getParentRoute,
  path: '/timeline',
  validateSearch: readTimelineSearch,
  component: lazily(SCREENS['/timeline'], 'TimelineScreen'),
});
const publication = createRoute({
  getParentRoute,
  path: '/publications/$id',
  component: lazily(SCREENS['/publications/$id'], 'PublicationScreen'),
});
const post = createRoute({
  getParentRoute,
  path: '/posts/$id',
  component: lazily(SCREENS['/posts/$id'], 'PostScreen'),
});
const plan = createRoute({
  getParentRoute,
  path: '/plan',
  validateSearch: readPlanSearch,
  component: lazily(SCREENS['/plan'], 'PlanScreen'),
});
const compose = createRoute({
  getParentRoute,
  path: '/compose',
  beforeLoad: prefetchThings,
  validateSearch: readComposeSearch,
  component: lazily(SCREENS['/compose'], 'ComposeScreen'),
});
const channels = createRoute({
  getParentRoute,
  path: '/channels',
  beforeLoad: prefetchThings,
  validateSearch: readChannelsSearch,
  component: lazily(SCREENS['/channels'], 'ChannelsScreen'),
});
const newChannel = createRoute({
  getParentRoute,
  path: '/channels/new',
  validateSearch: readNewChannelSearch,
  component: lazily(SCREENS['/channels/new'], 'NewChannelScreen'),
});
const channel = createRoute({
  getParentRoute,
  path: '/channels/$id',
  validateSearch: readChannelSearch,
  component: lazily(SCREENS['/channels/$id'], 'ChannelScreen'),
});
const projects = createRoute({
  getParentRoute,
  path: '/projects',
  component: lazily(SCREENS['/projects'], 'ProjectsScreen'),
});
const newProject = createRoute({
  getParentRoute,
  path: '/projects/new',
  component: lazily(SCREENS['/projects/new'], 'NewProjectScreen'),
});
const project = createRoute({
  getParentRoute,
  path: '/projects/$id',
  component: lazily(SCREENS['/projects/$id'], 'ProjectScreen'),
});
const people = createRoute({
  getParentRoute,
  path: '/people',
  component: lazily(SCREENS['/people'], 'PeopleScreen'),
});
const endpoints = createRoute({
  getParentRoute,
  path: '/endpoints',
  component: lazily(SCREENS['/endpoints'], 'EndpointsScreen'),
});
const newEndpoint = createRoute({
  getParentRoute,
  path: '/endpoints/new',
  component: lazily(SCREENS['/endpoints/new'], 'NewEndpointScreen'),
});
const endpoint = createRoute({
  getParentRoute,
  path: '/endpoints/$id',
  component: lazily(SCREENS['/endpoints/$id'], 'EndpointScreen'),
});
const outputs = createRoute({
  getParentRoute,
  path: '/outputs',
  component: lazily(SCREENS['/outputs'], 'OutputsScreen'),
});
const newOutput = createRoute({
  getParentRoute,
  path: '/outputs/new',
  component: lazily(SCREENS['/outputs/new'], 'NewOutputScreen'),
});
const output = createRoute({
  getParentRoute,
  path: '/outputs/$id',
  component: lazily(SCREENS['/outputs/$id'], 'OutputScreen'),
});
const requests = createRoute({
  getParentRoute,
  path: '/requests',
  validateSearch: readRequestsSearch,
  component: lazily(SCREENS['/requests'], 'RequestsScreen'),
});
const time = createRoute({
  getParentRoute,
  path: '/time',
  validateSearch: readTimeSearch,
  component: lazily(SCREENS['/time'], 'TimeScreen'),
});
const more = createRoute({
  getParentRoute,
  path: '/more',
  component: lazily(SCREENS['/more'], 'MoreScreen'),
});
const owners = createRoute({
  getParentRoute,
  path: '/owners',
  component: lazily(SCREENS['/owners'], 'OwnersScreen'),
});
const owner = createRoute({
  getParentRoute,
  path: '/owners/$id',
  component: lazily(SCREENS['/owners/$id'], 'OwnerScreen'),
});
const projections = createRoute({
  getParentRoute,
  path: '/projections',
  component: lazily(SCREENS['/projections'], 'ProjectionsScreen'),
});

/** The console's screens, by path under /console. */
export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    timeline,
    publication,
    post,
    plan,
    compose,
    channels,
    newChannel,
    channel,
    projects,
    newProject,
    project,
    people,
    endpoints,
    newEndpoint,
    endpoint,
    outputs,
    newOutput,
    output,
    requests,
    time,
    more,
    owners,
    owner,
    projections,
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
