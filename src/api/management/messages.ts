import { message } from '../../kernel/message.js';

/** Problems with fields of bodies and queries: status 422. Each is appended to the field's path. */
export const BODY_MESSAGES = {
  outOfRangeSeconds: message('must be from {least} to {most} seconds, not {value}'),
  badTime: 'must be a time such as 2026-11-21T14:05:03.000Z',
  ownerMissing: 'is missing: send the id of the owner',
  idForm: message('an id such as "{prefix}_…"'),
  duplicateId: message('repeats {id}: remove it'),
  settingOfOthers: message('is a setting of {platforms} only, and this channel is on {platform}: leave it out'),
  noNoticeNetwork: 'cannot be set, because no network carries notices: leave it out',
  noScopes: 'is empty: say what the key may do, such as ["post"]',
  unknownScope: message('must be one of {scopes}, not {value}'),
  noEndpoints: 'is empty: list at least one endpoint, or leave it out for all of them',
  noKinds: 'is empty: list at least one event kind, or disable the webhook output',
  revisionDiffers: 'names another revision than If-Match: send only one of them',
  shorterText: message('must be 1 to {limit} characters, not {value}'),
};

/** IP allowlists: status 422, code `bad_address`. */
export const ALLOWLIST_MESSAGES = {
  notAnAddress: message('must be an IP address or a CIDR such as 203.0.113.0/24, not {value}'),
  badPrefix: message('must have a prefix that fits the address, not {value}'),
  hostBits: message('must be {network} for the whole network or {address} for this one address, not {value}'),
};

/** A project's `processing`: status 422. */
export const PROCESSING_BODY_MESSAGES = {
  emptyFilter: 'has neither words nor a pattern: send at least one of them',
  footerParts: 'must have either a marker or a pattern',
  patternsTooLarge: message(
    'has patterns that together take {steps} steps per character; at most {limit} are allowed: use fewer or shorter ones',
  ),
  wordsTooLong: message(
    'have words with {length} characters in total; at most {limit} are allowed: shorten them by {excess}',
  ),
};

/** Drafts. */
export const DRAFT_MESSAGES = {
  /** 422 `missing` or `unknown_id`, appended to the field's path */
  beyondLimit: 'must be one of the endpoints that this key is limited to',
  /** 422 `too_large`, appended to the field's path */
  tooLarge: message('has {bytes} bytes of JSON; at most {limit} are allowed: shorten it'),
  /** 409 `too_many_drafts` */
  tooMany: message('This owner has {limit} drafts already. Publish or delete one first.'),
  /** 428 `revision_required` */
  revisionRequired: 'A change must name the revision that was read. Send the ETag of the draft in If-Match.',
  /** 412 `revision_mismatch` */
  changed: 'The draft was changed or deleted in the meantime. Read it again, then send the change with its new ETag.',
};

/** Rejections of whole requests. */
export const CALL_MESSAGES = {
  /** 401 `unauthorized` */
  keyNeeded: 'The API key is missing or wrong. Send a valid key: Authorization: Bearer <key>.',
  /** 401 `key_expired` */
  keyExpired: 'This key has expired. Ask for a new one where you got it.',
  /** 403 `forbidden` */
  auditorsRead: "An auditor's key only reads. Use another key for changes.",
  /** 403 `key_limited` */
  keyLimited: 'This key is limited to some endpoints, and this call is about more than these. Use another key.',
  /** 409 `main_key` */
  mainKey: 'This is the main key of the owner. It can only be replaced: POST …/rotate.',
  /** 422 `expires_at_past` */
  expiresInPast: 'expires_at has passed: send a later time, or null for a key that does not expire',
  /** 401 `unauthorized` */
  codeNotValid:
    'This link is not valid: a link works only once and expires after ten minutes. Restart the gateway for a new link, or sign in with a key.',
  /** 429 `too_many_wrong_keys` */
  tooManyWrongKeys: message('Too many wrong keys from this address. Retry in {seconds} s, with the right key.'),
  /** 429 `too_many_changes` */
  tooManyChanges: message('This owner has made too many changes within a minute. Retry in {seconds} s.'),
  /** 429 `too_soon` */
  sampledJustNow: message('The numbers of this post were read less than a minute ago. Retry in {seconds} s.'),
  /** 422 `too_many_buckets` */
  tooManyBuckets: message('These are {size} buckets; at most {limit} are allowed: choose a shorter period, or days.'),
  /** 422 `too_many_rows` */
  tooManyRows: message('These are more than {limit} rows: choose a shorter period, or one project or channel.'),
  /** 403 `forbidden` */
  ownersForOperator: "Only the operator can register owners. Use the operator's key.",
  /** 403 `forbidden` */
  planForOperator: "Only the operator can change a plan. Use the operator's key.",
  /** 403 `forbidden` */
  deletionForOperator: "Only the operator can delete owners. Use the operator's key.",
  /** 403 `forbidden` */
  projectionsForOperator: "Projections are for the operator only. Use the operator's key.",
  /** 403 `forbidden` */
  sagasForOperator: "Sagas are for the operator only. Use the operator's key.",
  /** 403 `forbidden` */
  packsForOperator: "Only the operator can add post packs. Use the operator's key.",
  /** 422 `before_in_future` */
  beforeInFuture: 'before is in the future: use a time that has passed.',
  /** 409 `content_erased` */
  deliveryArchived: 'This delivery is in the archive: it can be read, but not sent again.',
  deliveryErased: 'The body of this delivery was erased, so it cannot be sent again.',
  /** 403 `forbidden` */
  jobsForOperator: "Jobs are for the operator only: use the operator's key.",
  /** 403 `forbidden` */
  secretsForOperator: "Only the operator can manage the keys that seal secrets: use the operator's key.",
  /** 409 `idempotency_conflict` */
  keyTaken:
    'This Idempotency-Key was used for another request within the last 24 hours. Send a new key with a new request.',
  /** 428 `revision_required` */
  revisionRequired:
    'An approval must name the revision that was read. Send the ETag of the post in If-Match, or its revision in the body: {"revision": 1}.',
  /** 409 `job_running` */
  jobRuns: message('{id} is already doing this. Wait until it has finished.'),
  /** 503 `views_behind` */
  viewsBehind: message(
    'The change was made (position {position}), but the API does not show it yet. Read it again later; repeating this request with the same Idempotency-Key is safe.',
  ),
  /** 415 `unsupported_media_type` */
  mediaType: 'The body is not declared as JSON in UTF-8. Send JSON, with Content-Type: application/json.',
  /** 400 `body_too_large` */
  bodyTooLarge: message('The body is larger than {limit} bytes. Shorten it.'),
};

/** `waiting_for.text`: the rule that holds a publication back, until when, and what ends it sooner. */
export const HOLD_MESSAGES = {
  channel: message('The channel "{name}"'),
  unnamedChannel: 'The channel',
  project: message('The project "{name}"'),
  unnamedProject: 'The project',
  until: message(' until {until}'),
  /** `project_pause` */
  projectPause: message(
    '{project} was paused when the post arrived. The post waits{when}, or until the project is resumed.',
  ),
  /** `channel_pause` */
  channelPause: message('{channel} is paused{when}, or until it is resumed.'),
  /** `backlog_spacing` */
  backlogSpacing: message('Posts held back by a pause are published one at a time; this one is next, at {until}.'),
  /** `earlier_publication` */
  earlierPublication: message('Posts keep their order: {first} goes first, {state}. {attempt}This is number {number}.'),
  numberOfChannel: message('number {number} of this channel'),
  isPublished: 'which is being published',
  waits: message('which waits{when}'),
  /** `retry` */
  retry: message('{attempt}The next one begins at {until}; cancel the publication to let the channel continue.'),
  attemptFailed: 'The last attempt failed. ',
  /** `platform_limit` */
  platformLimit: message('The network asked for a delay. {attempt}The next attempt begins at {until}.'),
  /** `pace` */
  pace: message(
    "The network limits the rate of posts per chat and per credential, and other posts of this owner go first. This post's turn is at {until}.",
  ),
  /** `share` */
  share:
    "The gateway is fetching media for this owner's posts, or this owner's other posts use up the owner's share of concurrent sends to the network. This post is sent as soon as capacity is free.",
  /** `needs_attention`, for a disabled channel */
  channelDisabled: message('{channel} is disabled. Enable it to publish the posts that wait.'),
  /** `needs_attention`, for a channel that is disabled and whose posts the network refused */
  channelDisabledAndRefused: message(
    '{channel} is disabled, and it needs attention: {reason} Enable it, then POST /manage/v1/channels/{id}/retry or new credentials release its posts.',
  ),
  /** `needs_attention` */
  needsAttention: message(
    '{channel} needs attention: {reason} Its posts are on hold{when}, or until you call POST /manage/v1/channels/{id}/retry or set new credentials.',
  ),
  networkRefuses: 'the network refuses its posts.',
  /** `quota` */
  quota: message(
    "This month's posts are used up. This post is published once you add a post pack or choose a larger plan, or when the new month begins, at {until}.",
  ),
  /** `restored` */
  restored:
    'A backup was restored after events were lost. This post may have been published, changed or cancelled since, so it is held. Change or cancel it, or keep or cancel all held posts at once with POST /manage/v1/recovery/confirm.',
  /** `scheduled` */
  scheduled: message('The post is planned for {at}.'),
  /** `approval` */
  approval: 'The post is waiting for approval. It will be published as soon as it is approved.',
  /** `approval`, for a post with a planned time */
  approvalAndTime: message(
    'The post is waiting for approval. It is planned for {at}, and will be published once it is approved.',
  ),
  attempt: message('Attempt {number} of {of}'),
  itsAttempt: message('Its attempt {number} of {of}'),
  underWay: message('{attempt} is under way. '),
  underWayAfter: message('{attempt} is under way; the previous one: {error} '),
  failed: message('{attempt} did not succeed. '),
  failedBecause: message('{attempt} did not succeed: {error} '),
  platformSays: message('{error} The network says: "{text}".'),
  retryDue: message('{attempt}The next attempt is due: it begins as soon as a worker picks it up.'),
  nextInQueue: 'This publication is next on its channel: it is sent as soon as a worker picks it up.',
};

/** Remedies for a channel that needs attention, and results of its test. */
export const CHANNEL_MESSAGES = {
  /** `replace_credentials` */
  replaceCredentials: 'Set new credentials: the waiting posts are then published.',
  /** `retry` */
  retry: 'Fix the cause on the network, then retry the waiting posts with the current credentials.',
  testFailed: "The gateway failed to test the channel. The operator can find the cause in the gateway's log.",
  credentialsMissing: 'The gateway has no credentials for this channel: set them.',
  credentialsUnreadable: 'The stored credentials for this channel cannot be decrypted: set them again.',
  /** `unknown_id` */
  nameNotFound: message(
    'The id of {name} cannot be looked up. {reason} Check the name and the credentials, or send the id instead.',
  ),
  /** `same_chat` */
  sameChat: message('The channel "{name}" posts to the same chat: posts to both appear there twice.'),
};

/** Rejections of requests about history. */
export const HISTORY_MESSAGES = {
  /** 422 `missing` */
  idOfOwner: 'is missing: send `aggregate` and `id` of what to verify',
  /** 404 `not_found` */
  notThen: message(
    'This {what} does not exist, belongs to another owner, or had no event at that time or revision. Check the id, the API key and the time.',
  ),
  /** 404 `not_found` */
  unknownAggregate: message('There is no history for this type of aggregate. Use {aggregates}.'),
  /** 422 `conflicting` */
  atAndRevision: 'cannot be sent with "at": send only one of them',
  /** 422 `out_of_order` */
  toBeforeFrom: 'must not be before "from"',
  /** 422 `missing` */
  fromMissing: 'is missing: send the earlier of the two times',
  /** 422 `out_of_order` */
  emptyTime: 'must be after "from"',
  /** 404 `skipped` */
  acceptanceSkipped: message(
    'The gateway accepted this post but does not show it: the operator skipped its acceptance in the projection "posts" ({reason}). It may have been published; see GET /manage/v1/history/trace/{event}. A rebuild of the projection tries again to show it.',
  ),
  /** 404 `not_found` */
  noStory:
    'There is no history for this id, or this API key may not see it. Send the id of a post, a publication, a request or an event.',
  /** 403 `forbidden` */
  tilesAreOperators:
    'Tiles show the streams of all owners: only the operator may read them. Owners can prove single events.',
  /** 404 `not_found` */
  noTile: 'The log has no such tile at its current size. Read the checkpoint, and request the tiles for its size.',
  /** 404 `not_found` */
  noEvent: 'The history has no event with this id, or this API key may not see it.',
  /** 503 `log_behind` */
  logBehind:
    'No checkpoint covers this yet. Check that a process with the role worker is running, and repeat the request.',
  /** 403 `forbidden` */
  transferIsOperators: 'Only the operator may export or import the history: it covers all owners.',
  /** 415 `unsupported_media_type` */
  transferType: 'Send the history with the media type application/x-ndjson.',
  /** 422 `invalid` */
  line: message('Line {line}: {problem}'),
  /** 403 `forbidden` */
  archiveIsOperators: 'Only the operator may archive the history: it covers all owners.',
  /** 409 `not_archivable` */
  /** 403 `forbidden` */
  verificationIsOperators: 'Only the operator may verify the history: it covers all owners.',
  /** 422 `missing` */
  idWithoutAggregate: 'requires "aggregate"',
  /** 422 `invalid` */
  badCheckpoint: message(
    'must be a checkpoint of this log exactly as GET /history/log/checkpoint returned it, including every line break: {origin} did not sign this text',
  ),
  /** 409 `history_unreadable` */
  unreadable: message('History cannot be shown: {reason}.'),
};

/** Change streams. */
export const STREAM_MESSAGES = {
  /** 429 `too_many_streams` */
  tooManyOfOwner: message(
    'This owner already has {limit} change streams open in this process. Close one of them first.',
  ),
  /** 429 `too_many_streams` */
  tooMany: message(
    'This process already has {limit} change streams open. Try again later, or connect to another process.',
  ),
  /** 503 `unavailable` */
  stopping: 'This process is stopping. Connect again.',
  /** 422 `wrong_format` */
  lastEventId: 'must be the id of an event of this stream: digits',
};

/** Warnings of publications. */
export const PUBLICATION_VIEW_MESSAGES = {
  /** `published_twice` */
  publishedTwice: message(
    'Readers see this post twice, because a call that had been given up succeeded after all: {messages}. Delete one of the messages there, then dismiss the duplicate.',
  ),
};

/** `GET /overview`: `attention[].text` and `checks[].message`. */
export const OVERVIEW_MESSAGES = {
  noText: 'a post without text',
  deletedChannel: 'a deleted channel',
  /** `withdraw_failed` */
  withdrawFailed: message(
    '"{excerpt}" is not taken back from {platform}, from the channel "{channel}": readers may still see it. {reason}',
  ),
  manyWithdrawals: message(
    '{count} publications are not taken back: readers may still see them. Look why, then take them back again or dismiss them.',
  ),
  /** `edit_failed` */
  editFailed: message(
    'On {platform}, in the channel "{channel}", readers still see the former content of "{excerpt}". {reason}',
  ),
  manyEdits: message(
    'On {count} channels, readers still see the former content of a post. Look why, then edit it again, or take it back.',
  ),
  /** `restored` */
  restored: message(
    'A backup was restored: what happened between {from} and {until} is lost. {planned} planned posts are held, and {in_doubt} publications are in doubt, because they may have been published, changed or cancelled in that time. Keep or cancel the planned posts, and resend or dismiss the publications, all at once.',
  ),
  /** `in_doubt` */
  inDoubt: message(
    'It is not known whether "{excerpt}" was published on {platform}, in the channel "{channel}". Check the channel, then dismiss the publication or send it again.',
  ),
  manyInDoubt: message(
    'It is not known whether {count} publications were published. Check their channels, then dismiss them or send them again.',
  ),
  /** `published_twice` */
  publishedTwice: message(
    'Readers see "{excerpt}" twice on {platform}, in the channel "{channel}": {messages}. Delete one of the messages there, then dismiss the duplicate.',
  ),
  manyTwice: message(
    'Readers see {count} publications twice. Delete one of the messages of each there, then dismiss the duplicates.',
  ),
  /** `channel_needs_attention` */
  channelNeedsAttention: message('The channel "{channel}" on {platform} needs attention: {reason}'),
  manyChannels: message('{count} channels need attention: their posts are waiting.'),
  /** `endpoint_disabled` */
  endpointDisabled: message('The endpoint "{name}" was disabled: {reason}'),
  manyEndpoints: message('{count} endpoints were disabled: they accept no posts.'),
  /** `quota_exhausted` */
  quotaExhausted: message(
    "{owner} has used up this month's posts. New posts are refused, and queued posts wait until {until}, or until the owner gets a post pack or a larger plan.",
  ),
  manyQuotas: message("{count} owners have used up this month's posts. New posts are refused, and queued posts wait."),
  /** `publication_failed` */
  publicationFailed: message('"{excerpt}" was not published on {platform}, in the channel "{channel}": {reason}'),
  manyFailed: message('{count} publications failed. Send them again, or dismiss them.'),
  /** `webhook_output_disabled` */
  outputDisabled: message('The webhook output {name} was disabled: {reason}'),
  manyOutputs: message('{count} webhook outputs were disabled: nothing is delivered to them.'),
  /** `approval_needed` */
  approvalNeeded: message(
    'A post from the endpoint "{endpoint}" is waiting for approval: "{excerpt}". Approve it, or reject it with a reason.',
  ),
  manyApprovals: message('{count} posts are waiting for approval. Approve them, or reject them with a reason.'),
  /** `projection_stopped` */
  projectionStopped: message('The projection {name} stopped at event {position} ({type}): {reason}'),
  manyProjections: message(
    '{count} projections have stopped. They show nothing newer until you retry or skip an event.',
  ),
  /** `store_unavailable` */
  storeUnavailable: message('The event store is not available: {reason} No post is accepted or published.'),
  signed: message('{size} events are in the signed log'),
  notSigned: 'no checkpoint has been signed yet: start a process with the role worker',
};
