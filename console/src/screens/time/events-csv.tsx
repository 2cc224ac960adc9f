import { useNames } from '../../api/things.js';
import { csvTime } from '../../csv/csv.js';
import { CsvButton } from '../../csv/csv-button.js';
import { eventColumns } from '../../csv/lists.js';
import { useActorName } from '../../history/actors.js';
import { splitSentence } from '../../i18n/format.js';
import { useScope } from '../../session/session.js';
import { type EventFilter, type ListedEvent, readEvents } from './data.js';
import { describeEvent, thingOf } from './event-sentence.js';
import type { TimeWindow } from './window.js';

interface EventsCsvProps {
  readonly period: TimeWindow;
  readonly filter: EventFilter;
}

/** Downloads the filtered events, each with its sentence from the list. */
export const EventsCsv = ({ period, filter }: EventsCsvProps) => {
  const scope = useScope();
  const names = useNames();
  const nameOf = useActorName();
  const describe = (event: ListedEvent): string => {
    const thing = thingOf(event);
    const known = thing && (names.channel(thing.id) ?? names.project(thing.id) ?? names.endpoint(thing.id));
    const name = known && (known.name ?? ('slug' in known ? known.slug : null));
    return splitSentence(describeEvent(event, name ?? null))
      .map((part) => (typeof part === 'string' ? part : 'name' in part ? part.name : csvTime(String(part.at))))
      .join('');
  };
  return (
    <CsvButton
      name="history"
      columns={eventColumns(describe, nameOf)}
      readPage={(page) => readEvents(scope, period, filter, page)}
    />
  );
};
