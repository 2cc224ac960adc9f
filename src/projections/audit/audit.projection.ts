import type { RecordedEvent } from '../../kernel/events.js';
import { hexInt8Array } from '../../postgres/binary-array.js';
import type { Projection, RowOfTable, Tx } from '../engine/projection.js';
import { Rows } from '../engine/rows.js';
import { listResourceIds } from '../resource-ids.js';
import { AUDIT_VERSION, AUDITED_TYPES, auditReadIndexes, auditTables, resourceTable } from './audit.tables.js';
import {
  divideTalliesAgain,
  ENTRY_COLUMNS,
  extendTallies,
  type HashName,
  insertEntries,
  insertPersonChanges,
  insertRequestStories,
  rememberHashes,
} from './entries.js';
import { changeStateSpans, divideSpansAgain, extendSpans } from './state-spans.js';

type ResourceRow = RowOfTable<typeof resourceTable>;
type Envelope = Pick<RecordedEvent, 'requestId' | 'correlationId'>;

const TYPES: ReadonlySet<string> = new Set(AUDITED_TYPES);

/** The kind of resource that each event type creates, and the member that holds the resource's id. */
const CREATIONS: Readonly<Record<string, readonly [kind: string, member: string]>> = {
  OwnerRegistered: ['owner', 'ownerId'],
  ChannelConnected: ['channel', 'channelId'],
  ProjectCreated: ['project', 'projectId'],
  EndpointCreated: ['endpoint', 'endpointId'],
  WebhookOutputCreated: ['webhook-output', 'outputId'],
  KeyIssued: ['key', 'keyId'],
};

/** Event types that pause a resource, with the member that holds the resource's id. */
const PAUSES: Readonly<Record<string, string>> = { ProjectPaused: 'projectId', ChannelPaused: 'channelId' };

/** The index of the audit trail: finds events by owner, aggregate, actor, type, time and story. */
export const audit: Projection = {
  name: 'audit',
  version: AUDIT_VERSION,
  tables: auditTables,
  readIndexes: auditReadIndexes,
  views: ['resource', 'entry', 'span', 'request_story', 'tally', 'tally_moments', 'state_span', 'person_change'],
  handles: (type) => TYPES.has(type),
  batchIntervalMs: 100,

  async apply(tx, events, cache) {
    const resources = await Rows.load<ResourceRow>(tx, resourceTable, events.flatMap(listResourceIds), cache);
    const owners: (number | null)[] = [];
    let lastOwner = events.some(({ type }) => type === 'OwnerRegistered') ? await readLastOwner(tx) : 0;
    for (const event of events) {
      const data = event.data as Readonly<Record<string, string>>;
      const creation = CREATIONS[event.type];
      if (creation) {
        const [kind, member] = creation;
        const owner_no =
          kind === 'owner' ? (resources.get(data.ownerId!)?.owner_no ?? ++lastOwner) : ownerOf(event, resources);
        if (owner_no !== null) resources.put({ resource_id: data[member]!, kind, owner_no, paused: false });
      }
      const paused = PAUSES[event.type] && resources.get(data[PAUSES[event.type]!]!);
      if (paused && !paused.paused) resources.put({ ...paused, paused: true });
      owners.push(ownerOf(event, resources));
    }
    await resources.flush();
    const hashed = rememberHashes();
    const known = await completeOwners(tx, events, owners, hashed);
    await insertEntries(tx, events, known, hashed);
    await insertRequestStories(tx, events);
    await extendSpans(tx, events);
    await extendTallies(tx, events, known);
    await changeStateSpans(tx, events, known);
    await insertPersonChanges(tx, events, known);
  },

  async carryOver(tx, from, until, isGone) {
    const { rows } = await tx.query<{ position: bigint; stream: string; envelope: string }>(
      `select position, stream, envelope from ${from}.entry f where envelope is not null and position <= $1
         and not exists (select from entry e where e.position = f.position) order by position`,
      [until],
    );
    const gone = new Map<string, boolean>();
    for (const { stream } of rows) if (!gone.has(stream)) gone.set(stream, await isGone(stream));
    const missing = rows.filter(({ stream }) => gone.get(stream));
    if (missing.length === 0) return;
    const positions = missing.map(({ position }) => position);
    await tx.query(
      `insert into entry (${ENTRY_COLUMNS}) select ${ENTRY_COLUMNS} from ${from}.entry where position = any($1)`,
      [positions],
    );
    const envelopes = missing.map(({ envelope }) => JSON.parse(envelope) as Envelope);
    await insertRequestStories(tx, envelopes);
    await divideSpansAgain(tx, positions[0]!);
    await divideTalliesAgain(tx, positions);
  },
};

const ownerOf = (event: RecordedEvent, resources: Rows<ResourceRow>): number | null => {
  const rows = listResourceIds(event).map((id) => resources.get(id));
  return rows.find((row) => row !== undefined)?.owner_no ?? null;
};

const readLastOwner = async (tx: Tx): Promise<number> => {
  const text = 'select coalesce(max(owner_no), 0) as last from resource';
  return (await tx.query<{ last: number }>(text)).rows[0]!.last;
};

/** Fills in the owners of events that refer to no resource, such as a stored translation, from their stories. */
const completeOwners = async (
  tx: Tx,
  events: readonly RecordedEvent[],
  owners: readonly (number | null)[],
  hashed: HashName,
): Promise<readonly (number | null)[]> => {
  const unknown = events.filter((_, i) => owners[i] === null);
  if (unknown.length === 0) return owners;
  const { rows } = await tx.query<{ story: string; owner_no: number }>({
    name: 'find owners of stories',
    text: `
      select encode(int8send(c.hash), 'hex') as story, e.owner_no from unnest($1::bigint[]) c(hash)
      cross join lateral (
        select owner_no from entry where correlation_hash = c.hash and owner_no is not null order by position limit 1) e`,
    values: [hexInt8Array([...new Set(unknown.map(({ correlationId }) => hashed(correlationId)))])],
  });
  const ofStory = new Map(rows.map(({ story, owner_no }) => [story, owner_no]));
  return events.map((event, i) => {
    const story = hashed(event.correlationId);
    const owner = owners[i] ?? ofStory.get(story) ?? null;
    if (owner !== null && !ofStory.has(story)) ofStory.set(story, owner);
    return owner;
  });
};
