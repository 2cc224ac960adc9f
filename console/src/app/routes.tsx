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

const getParentRoute = () => root;

/** A screen that is loaded on demand. */
const lazily = <Name extends string>(load: () => Promise<Readonly<Record<Name, () => ReactNode>>>, name: Name) =>
  localized(lazyRouteComponent(load, name) as unknown as Screen);

/** The console's screens, by path under /console. All except the overview are loaded on demand. */
export const router = createRouter({
  routeTree: root.addChildren([
    createRoute({ getParentRoute, path: '/', component: localized(OverviewScreen) }),
    createRoute({
      getParentRoute,
      path: '/timeline',
      validateSearch: readTimelineSearch,
      component: lazily(() => import('../screens/timeline/timeline-screen.js'), 'TimelineScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/publications/$id',
      component: lazily(() => import('../screens/publication/publication-screen.js'), 'PublicationScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/posts/$id',
      component: lazily(() => import('../screens/publication/post-screen.js'), 'PostScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/plan',
      validateSearch: readPlanSearch,
      component: lazily(() => import('../screens/plan/plan-screen.js'), 'PlanScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/compose',
      validateSearch: readComposeSearch,
      component: lazily(() => import('../screens/compose/compose-screen.js'), 'ComposeScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/channels',
      validateSearch: readChannelsSearch,
      component: lazily(() => import('../screens/channels/channels-screen.js'), 'ChannelsScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/channels/new',
      component: lazily(() => import('../screens/channels/channel-screen.js'), 'NewChannelScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/channels/$id',
      validateSearch: readChannelSearch,
      component: lazily(() => import('../screens/channels/channel-screen.js'), 'ChannelScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/projects',
      component: lazily(() => import('../screens/projects/projects-screen.js'), 'ProjectsScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/projects/new',
      component: lazily(() => import('../screens/projects/new-project-screen.js'), 'NewProjectScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/projects/$id',
      component: lazily(() => import('../screens/projects/project-screen.js'), 'ProjectScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/endpoints',
      component: lazily(() => import('../screens/endpoints/endpoints-screen.js'), 'EndpointsScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/endpoints/new',
      component: lazily(() => import('../screens/endpoints/new-endpoint-screen.js'), 'NewEndpointScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/endpoints/$id',
      component: lazily(() => import('../screens/endpoints/endpoint-screen.js'), 'EndpointScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/outputs',
      component: lazily(() => import('../screens/outputs/outputs-screen.js'), 'OutputsScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/outputs/new',
      component: lazily(() => import('../screens/outputs/new-output-screen.js'), 'NewOutputScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/outputs/$id',
      component: lazily(() => import('../screens/outputs/output-screen.js'), 'OutputScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/requests',
      validateSearch: readRequestsSearch,
      component: lazily(() => import('../screens/requests/requests-screen.js'), 'RequestsScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/time',
      validateSearch: readTimeSearch,
      component: lazily(() => import('../screens/time/time-screen.js'), 'TimeScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/more',
      component: lazily(() => import('../shell/more-screen.js'), 'MoreScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/owners',
      component: lazily(() => import('../screens/owners/owners-screen.js'), 'OwnersScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/owners/$id',
      component: lazily(() => import('../screens/owners/owner-screen.js'), 'OwnerScreen'),
    }),
    createRoute({
      getParentRoute,
      path: '/projections',
      component: lazily(() => import('../screens/projections/projections-screen.js'), 'ProjectionsScreen'),
    }),
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
