import { endpointName, useNames } from '../../api/things.js';
import { Loaded } from '../../components/states.js';
import { Moment } from '../../components/time.js';
import { type ListedEvent, useChanges } from './data.js';
import { timeMessages as m } from './messages.js';
import { partNames } from './part-names.js';

/** Aggregates whose states can be compared. */
const COMPARED = new Set([
  'channel',
  'project',
  'endpoint',
  'channel-pause',
  'project-pause',
  'webhook-output',
  'owner',
]);

/** Fields that mean nothing to people. */
const INTERNAL = /^\/(id|owner_id|\w*_id|created_at|token_since|key_since|signing_secret\w*|previous_\w+)$/;

/** Each field that an event changed, before and after. Renders nothing for things whose states cannot be compared. */
export const EventChanges = ({ event }: { readonly event: ListedEvent }) =>
  COMPARED.has(event.aggregate) && event.aggregate_id !== null ? (
    <Changes event={event} id={event.aggregate_id} />
  ) : null;

const Changes = ({ event, id }: { readonly event: ListedEvent; readonly id: string }) => (
  <Loaded query={useChanges(event.aggregate, id, event.at, event.id)} rows={2}>
    {(changes) => {
      const shown = changes.filter(({ path }) => !INTERNAL.test(path));
      if (shown.length === 0) return null;
      return (
        <table className="event-changes">
          <thead>
            <tr>
              <th scope="col">{m.part}</th>
              <th scope="col">{m.before}</th>
              <th scope="col">{m.after}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ path, before, after }) => (
              <tr key={path}>
                <th scope="row">{nameOf(path)}</th>
                <td>
                  <Value value={before} />
                </td>
                <td>
                  <Value value={after} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      );
    }}
  </Loaded>
);

/** Returns a field's name in words; the path itself if its first part has no name. */
const nameOf = (path: string): string => {
  const names = path.slice(1).split('/');
  const known = partNames.of[names[0] ?? ''];
  return known ?? names.join(' · ').replaceAll('_', ' ');
};

/** Maximum length of a value, in UTF-16 code units. */
const MAX_VALUE = 120;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A field's value, with names instead of ids, and local times. */
const Value = ({ value }: { readonly value: unknown }) => {
  const names = useNames();
  if (value === null || value === undefined || value === '') return <span className="tertiary">{m.nothing}</span>;
  if (typeof value === 'boolean') return value ? m.yes : m.no;
  if (typeof value === 'string' && ISO_TIME.test(value)) return <Moment at={value} />;
  if (Array.isArray(value) && value.length === 0) return <span className="tertiary">{m.nothing}</span>;
  const nameById = (id: unknown): string => {
    const text = String(id);
    const endpoint = names.endpoint(text);
    return endpoint ? endpointName(endpoint) : ((names.channel(text) ?? names.project(text))?.name ?? text);
  };
  const text =
    Array.isArray(value) && value.every((item) => typeof item === 'string')
      ? value.map(nameById).join(', ')
      : typeof value === 'object'
        ? JSON.stringify(value)
        : nameById(value);
  return <bdi>{text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text}</bdi>;
};
