import type {
  PublicationEditRequested,
  PublicationEvent,
  PublicationIds,
  PublicationSucceeded,
} from '../../domain/publication/publication.events.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import type { Rows } from '../engine/rows.js';
import type { PublicationRow, ScheduledChange } from './publish-schedule.tables.js';

/** Rows of the publications whose messages change. */
export interface ChangeRows {
  readonly publications: Rows<PublicationRow>;
  readonly changes: Rows<ScheduledChange>;
  /** Publications whose messages are to be changed now. */
  readonly dueChanges: Set<string>;
}

type EditEvent = Extract<PublicationEvent, { type: `PublicationEdit${string}` | `PublicationPin${string}` }>;

/** True for an event of an edit or a pin. */
export const isOfEdit = (event: RecordedEventOf<PublicationEvent>): event is RecordedEventOf<EditEvent> =>
  /^Publication(Edit|Pin)/.test(event.type);

/** Returns the row of a publication whose messages are to be changed once its attempt has ended. */
export const newChange = ({
  publicationId,
  postId,
  channelId,
  platform,
  ownerId,
}: PublicationIds & Pick<PublicationEditRequested['data'], 'platform' | 'ownerId'>): ScheduledChange => ({
  publication_id: publicationId,
  post_id: postId,
  channel_id: channelId,
  platform,
  owner_id: ownerId,
  edits: false,
  pins: false,
  next_due: null,
});

/** Applies an event of an edit or a pin. */
export const applyEdit = (event: RecordedEventOf<EditEvent>, rows: ChangeRows): void => {
  const { publicationId } = event.data;
  switch (event.type) {
    case 'PublicationEditRequested': {
      if (event.data.waits) return void rows.publications.patch(publicationId, { is_edited: true });
      const change = rows.changes.get(publicationId) ?? newChange(event.data);
      rows.changes.put({ ...change, edits: true, next_due: event.at });
      return void rows.dueChanges.add(publicationId);
    }
    case 'PublicationEditPostponed':
      return void rows.changes.patch(publicationId, { next_due: event.data.retryAt });
    case 'PublicationEdited':
    case 'PublicationEditFailed':
      return endChange(publicationId, { edits: false }, rows);
    case 'PublicationEditDropped':
      return; // its failure has ended the change
    case 'PublicationPinFailed':
      if (event.data.retryAt === null) return endChange(publicationId, { pins: false }, rows);
      return void rows.changes.patch(publicationId, { next_due: event.data.retryAt });
    case 'PublicationPinned':
      return endChange(publicationId, { pins: false }, rows);
  }
};

const endChange = (publicationId: string, ended: Partial<ScheduledChange>, { changes }: ChangeRows): void => {
  const row = changes.patch(publicationId, ended);
  if (row && !row.edits && !row.pins) changes.remove(publicationId);
};

/** A message is to be pinned, unless the post was taken back. */
export const requestPin = ({ data, at }: RecordedEventOf<PublicationSucceeded>, rows: ChangeRows): void => {
  const { publicationId, postId, channelId, pin } = data;
  const row = rows.publications.get(publicationId);
  if (!row || !pin || rows.changes.get(publicationId)) return;
  const { platform, owner_id: ownerId } = row;
  const change = newChange({ publicationId, postId, channelId, platform, ownerId });
  rows.changes.put({ ...change, pins: true, next_due: at });
};

/** True if the event may concern a row of {@link ChangeRows.changes}. */
export const mayChange = ({ type, data }: RecordedEventOf<PublicationEvent>): boolean =>
  /Withdraw|Edit|Pin/.test(type) || (type === 'PublicationSucceeded' && data.pin !== undefined);
