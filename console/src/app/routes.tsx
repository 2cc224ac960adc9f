import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { prefetchOverview } from '../api/overview.js';
import { prefetchThings } from '../api/things.js';
import { useLocale } from '../i18n/messages.js';
import { OverviewScreen } from '../screens/overview/overview-screen.js';
import { NotFoundScreen } from '../shell/not-found-screen.js';
import { Shell } from '../shell/shell.js';
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
  component: localized(OverviewScreen),
});
const timeline = createRoute({
  getParentRoute,
  path: '/timeline',
  validateSearch: readTimelineSearch,
  component: lazily(() => import('../screens/timeline/timeline-screen.js'), 'TimelineScreen'),
});
const publication = createRoute({
  getParentRoute,
  path: '/publications/$id',
  component: lazily(() => import('../screens/publication/publication-screen.js'), 'PublicationScreen'),
});
const post = createRoute({
  getParentRoute,
  path: '/posts/$id',
  component: lazily(() => import('../screens/publication/post-screen.js'), 'PostScreen'),
});
const plan = createRoute({
  getParentRoute,
  path: '/plan',
  validateSearch: readPlanSearch,
  component: lazily(() => import('../screens/plan/plan-screen.js'), 'PlanScreen'),
});
const compose = createRoute({
  getParentRoute,
  path: '/compose',
  beforeLoad: prefetchThings,
  validateSearch: readComposeSearch,
  component: lazily(() => import('../screens/compose/compose-screen.js'), 'ComposeScreen'),
});
const channels = createRoute({
  getParentRoute,
  path: '/channels',
  beforeLoad: prefetchThings,
  validateSearch: readChannelsSearch,
  component: lazily(() => import('../screens/channels/channels-screen.js'), 'ChannelsScreen'),
});
const newChannel = createRoute({
  getParentRoute,
  path: '/channels/new',
  validateSearch: readNewChannelSearch,
  component: lazily(() => import('../screens/channels/channel-screen.js'), 'NewChannelScreen'),
});
const channel = createRoute({
  getParentRoute,
  path: '/channels/$id',
  validateSearch: readChannelSearch,
  component: lazily(() => import('../screens/channels/channel-screen.js'), 'ChannelScreen'),
});
const projects = createRoute({
  getParentRoute,
  path: '/projects',
  component: lazily(() => import('../screens/projects/projects-screen.js'), 'ProjectsScreen'),
});
const newProject = createRoute({
  getParentRoute,
  path: '/projects/new',
  component: lazily(() => import('../screens/projects/new-project-screen.js'), 'NewProjectScreen'),
});
const project = createRoute({
  getParentRoute,
  path: '/projects/$id',
  component: lazily(() => import('../screens/projects/project-screen.js'), 'ProjectScreen'),
});
const people = createRoute({
  getParentRoute,
  path: '/people',
  component: lazily(() => import('../screens/people/people-screen.js'), 'PeopleScreen'),
});
const endpoints = createRoute({
  getParentRoute,
  path: '/endpoints',
  component: lazily(() => import('../screens/endpoints/endpoints-screen.js'), 'EndpointsScreen'),
});
const newEndpoint = createRoute({
  getParentRoute,
  path: '/endpoints/new',
  component: lazily(() => import('../screens/endpoints/new-endpoint-screen.js'), 'NewEndpointScreen'),
});
const endpoint = createRoute({
  getParentRoute,
  path: '/endpoints/$id',
  component: lazily(() => import('../screens/endpoints/endpoint-screen.js'), 'EndpointScreen'),
});
const outputs = createRoute({
  getParentRoute,
  path: '/outputs',
  component: lazily(() => import('../screens/outputs/outputs-screen.js'), 'OutputsScreen'),
});
const newOutput = createRoute({
  getParentRoute,
  path: '/outputs/new',
  component: lazily(() => import('../screens/outputs/new-output-screen.js'), 'NewOutputScreen'),
});
const output = createRoute({
  getParentRoute,
  path: '/outputs/$id',
  component: lazily(() => import('../screens/outputs/output-screen.js'), 'OutputScreen'),
});
const requests = createRoute({
  getParentRoute,
  path: '/requests',
  validateSearch: readRequestsSearch,
  component: lazily(() => import('../screens/requests/requests-screen.js'), 'RequestsScreen'),
});
const time = createRoute({
  getParentRoute,
  path: '/time',
  validateSearch: readTimeSearch,
  component: lazily(() => import('../screens/time/time-screen.js'), 'TimeScreen'),
});
const more = createRoute({
  getParentRoute,
  path: '/more',
  component: lazily(() => import('../shell/more-screen.js'), 'MoreScreen'),
});
const owners = createRoute({
  getParentRoute,
  path: '/owners',
  component: lazily(() => import('../screens/owners/owners-screen.js'), 'OwnersScreen'),
});
const owner = createRoute({
  getParentRoute,
  path: '/owners/$id',
  component: lazily(() => import('../screens/owners/owner-screen.js'), 'OwnerScreen'),
});
const projections = createRoute({
  getParentRoute,
  path: '/projections',
  component: lazily(() => import('../screens/projections/projections-screen.js'), 'ProjectionsScreen'),
});

/** The console's screens, by path under /console. All except the overview are loaded on demand. */
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
