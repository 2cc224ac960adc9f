import { readText } from '../../app/search.js';
import { isDay } from '../../time/local-time.js';
import type { View } from './calendar.js';

/** The calendar's view and first day, as they appear in the URL. */
export interface PlanSearch {
  /** The week view if absent. */
  readonly view?: Exclude<View, 'week'>;
  /** The first day of the week, or a day of the month; today if absent. */
  readonly from?: string;
}

/** Reads the URL; ignores unknown parameters. */
export const readPlanSearch = (search: Readonly<Record<string, unknown>>): PlanSearch => {
  const { view, from } = readText(search, ['view', 'from']);
  return { ...(view === 'month' && { view }), ...(from !== undefined && isDay(from) && { from }) };
};
