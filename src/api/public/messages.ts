import { message } from '../../kernel/message.js';

/** Problems with the uploads that a post names: status 422. Each is prefixed with the path of the field. */
export const UPLOAD_PROBLEMS = {
  /** `unknown_media` */
  unknown: 'is not the id of an uploaded file: it never was, or the file has expired or was deleted. Upload it again',
};

/** Rejections of requests to `/v1` by the gate, except for rate limits. */
export const GATE_MESSAGES = {
  /** 401 `unauthorized`, for every cause */
  unauthorized: 'Unauthorized.',
  /** 503 `maintenance` */
  maintenance: 'The service is under maintenance. Send the same request again later.',
  /** 403 `test_endpoint`, only with a management key */
  testEndpoint:
    'This is a test endpoint: it publishes nothing. Try the post in its sandbox, or send it to a live endpoint.',
  /** 403 `endpoint_disabled` */
  disabledByOwner: message('The endpoint is disabled. {remedy}'),
  /** 503 `endpoint_paused` */
  disabledByLimits: message(
    'The endpoint was disabled after repeated rate-limit violations. Send requests more slowly. {remedy}',
  ),
  /** 503 `plan_not_allowed` */
  planWithoutInput: message('The plan does not allow posting through webhooks. Upgrade the plan first. {remedy}'),
  /** 503 `plan_not_allowed`, once the owner has a plan that allows it */
  disabledByEarlierPlan: message(
    'The endpoint was disabled, because an earlier plan did not allow posting through webhooks. {remedy}',
  ),
  enableEndpoint: message('Its owner can enable it again with POST /manage/v1/endpoints/{id}/enable.'),
  /** 415 `unsupported_media_type` */
  mediaType: message('Content-Type is {type}. Send application/json, in UTF-8.'),
  /** 402 `quota_exhausted` */
  monthlyQuota: message(
    'The monthly post quota of the plan is used up. Buy a post pack, or send the post again from {at}.',
  ),
  /** 404 `not_found` */
  postNotFound: 'This endpoint did not accept a post with this id. Check the id.',
  /** 403 `changes_not_allowed` */
  changesNotAllowed: message(
    'Clients of this endpoint may not change what it has published. Its owner can take the post back, or allow it by setting allow_changes with PATCH /manage/v1/endpoints/{id}.',
  ),
  /** for notices: the reason why an endpoint was disabled after rate-limit violations */
  violationsReason: message('{violations} rate-limit violations within an hour'),
  /** 503 `unavailable` */
  endpointChanging: 'The endpoint is being changed. Send the same request again.',
};

/** `can.text`: why a publication cannot be taken back. Networks have reasons of their own. */
export const FORECAST_MESSAGES = {
  nothing: 'Readers see nothing of it, so there is nothing to take back.',
  channelDeleted: 'The channel was deleted, and its credentials with it.',
  notSupported: message('Messages on {network} cannot be deleted from here.'),
};

/** Reasons why a client may not change its post. */
export const CHANGE_MESSAGES = {
  /** 412 `revision_mismatch` */
  otherRevision: message('The post is at revision {revision}. Read it, then repeat the change with that revision.'),
  /** 409 `publishing` */
  publishing: 'A publication of this post is being sent right now. Send the request again when it has finished.',
};

/** Rate limits: status 429, code `rate_limited`; the probe budget's code is `probe_budget`. */
export const RATE_LIMIT_MESSAGES = {
  exceeded: {
    min_interval: message('Too many requests: this endpoint accepts one post {interval}. Retry in {seconds} s.'),
    burst: message('Too many requests: too many posts to this endpoint in a short time. Retry in {seconds} s.'),
    hourly_quota: message(
      'Too many requests: the hourly post quota of this endpoint is used up. Retry in {seconds} s.',
    ),
    discovery: message('Too many requests: too many discovery requests within a minute. Retry in {seconds} s.'),
    changes: message('Too many requests: too many changes to posts within a minute. Retry in {seconds} s.'),
    pauses: message('Too many requests: too many pause and resume requests within a minute. Retry in {seconds} s.'),
    replays: message('Too many requests: too many repeated posts within a minute. Retry in {seconds} s.'),
    sandbox: message('Too many requests: the daily quota of sandbox requests is used up. Retry in {seconds} s.'),
  },
  probeBudget: message(
    'Too many requests: {whose} requests fetched too much within a minute, to check media or to translate. Retry in {seconds} s.',
  ),
  previewBudget: message(
    'Too many requests: the previews of this owner took too much computing time. Retry in {seconds} s, and preview fewer projects and channels at a time, or with simpler patterns.',
  ),
  ofEndpoint: "this endpoint's",
  ofProject: "this project's",
  ofOwner: "this owner's",
  perSecond: 'per second',
  everySeconds: message('every {seconds} seconds'),
};

/** Warnings in the sandbox's previews. */
export const PREVIEW_MESSAGES = {
  /** `channel_disabled` */
  channelDisabled: 'The channel is disabled: this post is not published there.',
  /** `no_target` */
  noTarget: message("This post is not published on {platform}: none of the post's targets is there."),
  /** `no_target` */
  ownOverrides: message(
    "No channel on {platform} gets this content: each of the post's channels there has its own override.",
  ),
  /** `no_target` */
  noChannel: message('This post is not published on {platform}: the endpoint has no channel there.'),
  /** `requests_left_out` */
  callsLeftOut: message('The calls for {channels} are omitted, because there are too many.'),
  wouldWait: message('{error} The post would wait and be retried.'),
};

/** Warnings in the sandbox about the payload. */
export const PAYLOAD_WARNINGS = {
  /** `looks_like_html` */
  looksLikeHtml: message(
    '{path} contains {part}, which looks like HTML: readers would see it as literal text. Send plain text, and its formatting as entities.',
  ),
  /** `unused_override` */
  unusedOverride: message('{path} has no effect: the post has no such target.'),
  /** `unused_field` */
  unusedField: message('{path} has no effect: only text, entities, media, buttons and overrides can be edited.'),
};

/**
 * Reasons why a publication waits, for the client of the post's endpoint (D-66). `when` is empty if the end is not
 * known.
 */
export const WAITING_MESSAGES = {
  withdrawal: {
    retry: message('Deleting did not succeed yet. {error} It is tried again at {until}.'),
    platform_limit: message('The network asked for a delay. {error} It is tried again at {until}.'),
    needs_attention: message('The network refuses the channel. {error} It is tried again at {until}.'),
  },
  edit: {
    retry: message('Editing did not succeed yet. {error} It is tried again at {until}.'),
    platform_limit: message('The network asked for a delay. {error} It is tried again at {until}.'),
    needs_attention: message('The network refuses the channel. {error} It is tried again at {until}.'),
  },
  until: message(' until {until}'),
  next: 'It is next on its channel and will be published as soon as a worker is free.',
  retryDue: 'The last attempt failed. The next one is due.',
  restored: 'A backup was restored. The post is held until its owner confirms it.',
  scheduled: message('The post is planned for {at}.'),
  approval: 'The owner must approve this post before it is published.',
  approvalAndTime: message('The owner must approve this post before it is published. It is planned for {at}.'),
  rules: {
    project_pause: message('Its project was paused when the post arrived. It waits{when}.'),
    channel_pause: message('Its channel is paused{when}.'),
    backlog_spacing: message('Posts held back by a pause are published one at a time. This one waits{when}.'),
    earlier_publication: message(
      'Posts keep their order: an earlier post on this channel goes first. This one waits{when}.',
    ),
    retry: message('The last attempt failed. The next one waits{when}.'),
    platform_limit: message('The network asked for a delay{when}.'),
    pace: message('The network limits how often a channel may post. This one waits for its turn{when}.'),
    share: message(
      'The gateway is fetching media for posts of this owner, or is busy with other posts of this owner. This one waits for them{when}.',
    ),
    needs_attention: message(
      'The owner must fix this channel first: it is disabled, or the network refuses its posts. The post waits{when}; sending it again does not help.',
    ),
    quota: message(
      "The plan's posts for this month are used up. The post waits{when}, or until the owner adds a post pack or chooses a larger plan.",
    ),
  },
};
