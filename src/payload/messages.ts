import { message } from '../kernel/message.js';

/** Reasons why a post violates the schema: status 422. Each is prefixed with the path of the field or `the body`. */
export const PAYLOAD_MESSAGES = {
  nothingToPublish: 'has nothing to publish: send text, media or buttons',
  nothingLeft: 'leaves nothing to publish: keep text, media or buttons',
  emptyOverride: message('changes nothing: send at least one of {fields}'),
  unknownOverride: message('is neither a network ({platforms}) nor a target of this endpoint: correct or remove it'),
  notAField: message('{field} is not a field'),
  misspeltField: message('{field} is not a field: did you mean {nearest}?'),
  /** `url_or_id` */
  noFile: 'names no file: send url, or the id of an uploaded file',
  /** `url_or_id` */
  twoFiles: 'has both url and id: send one of them',
  tooManyButtons: message('has {count} buttons; at most {limit} are allowed: move {excess} to another row'),
};

/** Notes about fields that publishing ignores (D-49), as complete sentences. */
export const UNKNOWN_FIELD_MESSAGES = {
  misspelt: message('{field} is not a field, and publishing ignores it: did you mean {nearest}?'),
  unknown: message('{field} is not a field, and publishing ignores it: the fields here are {known}'),
};

/**
 * Reasons why entities and media are refused for their content: status 400. Each is prefixed with the path of the
 * field.
 */
export const CONTENT_MESSAGES = {
  document: 'is "document", which cannot be published: send photo, video or audio',
  entityOutOfRange: message(
    'covers units {offset} to {end}, but the text has only {length}: count offset and length in UTF-16 units, from 0',
  ),
  entityBeginsInsideCharacter: message(
    'begins at {at}, inside a character of two UTF-16 units (a surrogate pair): move it by one',
  ),
  entityEndsInsideCharacter: message(
    'ends at {at}, inside a character of two UTF-16 units (a surrogate pair): move it by one',
  ),
  entitiesOverlap: message('{inner} overlaps {outer}: nest one inside the other, or separate them'),
  entitiesCannotNest: message('{inner} is inside {outer}, where it is not allowed: remove one of the two'),
};

/** Problems with the bodies of temp-pause and temp-resume, and with lists of targets: status 422. */
export const PAUSE_MESSAGES = {
  targetId: 'the public id of a target, tgt_…',
  nothingToPause: message('pauses nothing: send project_minutes or target_minutes from 1 to {limit}'),
};

/** Problems with `publish_at`: status 422. Each is prefixed with the path of the field. */
export const PUBLISH_AT_MESSAGES = {
  missing: 'is missing: send a time, or null to publish now',
  /** `invalid_publish_at` */
  invalid: 'is not an RFC 3339 date-time with an offset: send a time such as 2027-03-01T09:00:00+03:00',
  /** `publish_at_past` */
  past: message(
    'is {publishAt}, which is more than 5 minutes ago: the time is now {now}. Send a later time, or none to publish now',
  ),
  /** `publish_at_too_far` */
  tooFar: message('is {publishAt}, which is more than {days} days ahead: the time is now {now}. Send an earlier time'),
};

/** Problems with the bodies that take posts back: status 422. */
export const WITHDRAW_MESSAGES = {
  noTargets: 'is empty: name at least one channel, or leave it out to take the post back everywhere',
  /** `invalid_targets` */
  unknownTarget: 'is no channel of this post: send ids from its publications',
};
