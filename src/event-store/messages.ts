import { message } from '../kernel/message.js';

/**
 * Messages about the event store: if the read models do not belong to it, the process exits with code 1 at startup, or
 * waits if it is running (ADR-124); while it holds an unfinished import, nothing else is written (ADR-133).
 */
export const STORE_MESSAGES = {
  otherStore: message(
    'The event store at {address} is not the one that this database belongs to: it is {found}, but the read models and sagas have read {recorded} at {recordedAddress}. {remedy}',
  ),
  unusedStore: message(
    'The event store at {address} is empty or has never been used, but the read models and sagas of this database have read the event store {recorded} at {recordedAddress}. {remedy}',
  ),
  shorterLog: message(
    'The event store {found} at {address} ends at position {end}, but "{name}" of this database has read it up to position {position}: events were lost, because an older backup was restored or a failover lost commits.',
  ),
  otherHistory: message(
    'The event store {found} at {address} does not contain the event {event} at position {position}, which "{name}" of this database has read: events were lost, because an older backup was restored or a failover lost commits, and other events have been written since.',
  ),
  otherDatabase: message(
    'This process was started with the event store {pinned}, but the database now belongs to the event store {recorded}. Stop the process, and start it again.',
  ),
  lostEvents: message(
    'The event store {found} at {address} ends at position {end} and no longer contains the event {event} at position {position}, which this machine has seen: events were lost, because an older backup was restored or a failover lost commits.',
  ),
  importUnfinished:
    'The event store holds part of a history whose import is running or was interrupted: nothing else is written, and nothing is published. Send the whole history again: the import resumes.',
  importEnded: 'the import of the history has finished',
  remedy:
    'Set EVENT_STORE_URL to the right event store, or restore that store from its newest backup. If you want this event store to replace it, stop all processes and run "npm start -- projections reset --to-store": read models and sagas are rebuilt from it, and what was waiting is held until you confirm it.',
};
