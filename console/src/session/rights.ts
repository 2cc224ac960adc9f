import { type ManagementRoute, mayCall } from '../../../clients/typescript/src/index.js';
import { type Session, useSession } from './session.js';

/** A route of the management API, which declares who may call it. */
export type Route = ManagementRoute;

/** What a screen is for, by its path: a key that may not call the route gets no link to the screen (ADR-405). */
const SCREENS: Readonly<Record<string, Route>> = {
  '/': 'GET /overview',
  '/compose': 'POST /endpoints/{id}/posts',
  '/channels/new': 'POST /channels',
  '/projects/new': 'POST /projects',
  '/endpoints/new': 'POST /endpoints',
  '/outputs': 'GET /webhook-outputs',
  '/outputs/new': 'POST /webhook-outputs',
  '/people': 'GET /keys',
  '/time': 'GET /history/events',
  '/owners/$id': 'GET /owners/{id}',
};

/** Returns whether a session's key may call a route; true without a route. */
export const may = (session: Session | null, route: Route | undefined): boolean =>
  route === undefined || mayCall(session?.key ?? null, route);

/** Returns the route that a screen is for; undefined if every key may open it. */
export const routeOfScreen = (path: string | undefined): Route | undefined => SCREENS[path ?? ''];

/** Returns whether the person's key may call a route; true without a route. */
export const useMay = (route: Route | undefined): boolean => may(useSession(), route);

/** Returns a function that keeps the screens that are of use to the person's key. */
export const useScreens = (): (<T extends { readonly to: string }>(screens: readonly T[]) => readonly T[]) => {
  const session = useSession();
  return (screens) => screens.filter(({ to }) => may(session, routeOfScreen(to)));
};
