import { message } from '../../kernel/message.js';

/** Reasons why a history cannot be exported or imported. They appear in API responses. */
export const TRANSFER_MESSAGES = {
  noJson: 'is not a JSON object',
  noEvent: 'is not a valid event: its stream, revision, hash, index, id, type, data or metadata is missing or invalid',
  noKey: 'is not a valid key of content: its id, owner, month or sealed text is missing',
  keyMissing:
    'Its content is sealed with a key that this gateway does not have. Import the keys of the former gateway first: crosspost history export-keys, then history import with --keys.',
  noSecret: 'is not a valid secret: its id or sealed text is missing',
  notEmpty:
    'The event store of this gateway is not empty, and its content is not the beginning of this history. Import it into a gateway with an empty event store and an empty database, with DEMO=off.',
  gap: message(
    'The history continues at its event number {index}, but this gateway has {size} of its events. Send the whole history, from its first line.',
  ),
  revisionGap: message(
    'The event {revision} of the stream {stream} follows its event {last}: events between them are missing. Export the history again, and verify it there first (POST /manage/v1/history/verify).',
  ),
  outOfOrder: message(
    'The event {revision} of the stream {stream} is not where the transparency log has it. Verify the history (POST /manage/v1/history/verify): an event was inserted or moved.',
  ),
  otherKey: message(
    'The secret {id} was sealed under another SECRETS_KEY. Start this gateway with the SECRETS_KEY of the former gateway, as SECRETS_KEY or in SECRETS_KEY_PREVIOUS, or export without secrets.',
  ),
};
