import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { readChannelSearch, readChannelsSearch } from '../screens/channels/search.js';
import { readComposeSearch } from '../screens/compose/search.js';
import { OverviewScreen } from '../screens/overview/overview-screen.js';
import { readPlanSearch } from '../screens/plan/search.js';
import { readRequestsSearch } from '../screens/requests/search.js';
import { readTimeSearch } from '../screens/time/search.js';
import { readTimelineSearch } from '../screens/timeline/search.js';
import { NotFoundScreen } from '../shell/not-found-screen.js';
import { Shell } from '../shell/shell.js';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundScreen });

const overview = createRoute({ getParentRoute: () => root, path: '/', component: OverviewScreen });
const timeline = createRoute({
  getParentRoute: () => root,
  path: '/timeline',
  validateSearch: readTimelineSearch,
  component: lazyRouteComponent(() => import('../screens/timeline/timeline-screen.js'), 'TimelineScreen'),
});
const publication = createRoute({
  getParentRoute: () => root,
  path: '/publications/$id',
  component: lazyRouteComponent(() => import('../screens/publication/publication-screen.js'), 'PublicationScreen'),
});
const post = createRoute({
  getParentRoute: () => root,
  path: '/posts/$id',
  component: lazyRouteComponent(() => import('../screens/publication/post-screen.js'), 'PostScreen'),
});
const plan = createRoute({
  getParentRoute: () => root,
  path: '/plan',
  validateSearch: readPlanSearch,
  component: lazyRouteComponent(() => import('../screens/plan/plan-screen.js'), 'PlanScreen'),
});
const compose = createRoute({
  getParentRoute: () => root,
  path: '/compose',
  validateSearch: readComposeSearch,
  component: lazyRouteComponent(() => import('../screens/compose/compose-screen.js'), 'ComposeScreen'),
});
const channels = createRoute({
  getParentRoute: () => root,
  path: '/channels',
  validateSearch: readChannelsSearch,
  component: lazyRouteComponent(() => import('../screens/channels/channels-screen.js'), 'ChannelsScreen'),
});
const newChannel = createRoute({
  getParentRoute: () => root,
  path: '/channels/new',
  component: lazyRouteComponent(() => import('../screens/channels/new-channel-screen.js'), 'NewChannelScreen'),
});
const channel = createRoute({
  getParentRoute: () => root,
  path: '/channels/$id',
  validateSearch: readChannelSearch,
  component: lazyRouteComponent(() => import('../screens/channels/channel-screen.js'), 'ChannelScreen'),
});
const projects = createRoute({
  getParentRoute: () => root,
  path: '/projects',
  component: lazyRouteComponent(() => import('../screens/projects/projects-screen.js'), 'ProjectsScreen'),
});
const newProject = createRoute({
  getParentRoute: () => root,
  path: '/projects/new',
  component: lazyRouteComponent(() => import('../screens/projects/new-project-screen.js'), 'NewProjectScreen'),
});
const project = createRoute({
  getParentRoute: () => root,
  path: '/projects/$id',
  component: lazyRouteComponent(() => import('../screens/projects/project-screen.js'), 'ProjectScreen'),
});
const endpoints = createRoute({
  getParentRoute: () => root,
  path: '/endpoints',
  component: lazyRouteComponent(() => import('../screens/endpoints/endpoints-screen.js'), 'EndpointsScreen'),
});
const newEndpoint = createRoute({
  getParentRoute: () => root,
  path: '/endpoints/new',
  component: lazyRouteComponent(() => import('../screens/endpoints/new-endpoint-screen.js'), 'NewEndpointScreen'),
});
const endpoint = createRoute({
  getParentRoute: () => root,
  path: '/endpoints/$id',
  component: lazyRouteComponent(() => import('../screens/endpoints/endpoint-screen.js'), 'EndpointScreen'),
});
const outputs = createRoute({
  getParentRoute: () => root,
  path: '/outputs',
  component: lazyRouteComponent(() => import('../screens/outputs/outputs-screen.js'), 'OutputsScreen'),
});
const newOutput = createRoute({
  getParentRoute: () => root,
  path: '/outputs/new',
  component: lazyRouteComponent(() => import('../screens/outputs/new-output-screen.js'), 'NewOutputScreen'),
});
const output = createRoute({
  getParentRoute: () => root,
  path: '/outputs/$id',
  component: lazyRouteComponent(() => import('../screens/outputs/output-screen.js'), 'OutputScreen'),
});
const requests = createRoute({
  getParentRoute: () => root,
  path: '/requests',
  validateSearch: readRequestsSearch,
  component: lazyRouteComponent(() => import('../screens/requests/requests-screen.js'), 'RequestsScreen'),
});
const time = createRoute({
  getParentRoute: () => root,
  path: '/time',
  validateSearch: readTimeSearch,
  component: lazyRouteComponent(() => import('../screens/time/time-screen.js'), 'TimeScreen'),
});
const more = createRoute({
  getParentRoute: () => root,
  path: '/more',
  component: lazyRouteComponent(() => import('../shell/more-screen.js'), 'MoreScreen'),
});
const owners = createRoute({
  getParentRoute: () => root,
  path: '/owners',
  component: lazyRouteComponent(() => import('../screens/owners/owners-screen.js'), 'OwnersScreen'),
});
const owner = createRoute({
  getParentRoute: () => root,
  path: '/owners/$id',
  component: lazyRouteComponent(() => import('../screens/owners/owner-screen.js'), 'OwnerScreen'),
});
const projections = createRoute({
  getParentRoute: () => root,
  path: '/projections',
  component: lazyRouteComponent(() => import('../screens/projections/projections-screen.js'), 'ProjectionsScreen'),
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
