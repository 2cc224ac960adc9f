import { message } from '../../kernel/message.js';

/** Rejections of requests to the assistant tool server before a tool is called, answered in JSON-RPC form. */
export const TOOL_SERVER_MESSAGES = {
  /** 403 `origin_not_allowed` */
  originNotAllowed: message(
    'Pages of {origin} may not call this server. Connect from an assistant, from a page of the gateway itself, or ask the operator to allow the origin (CORS_ORIGINS).',
  ),
  /** 404 `unknown_session` */
  unknownSession:
    'The session is unknown: it has ended, or it belongs to another process or another token. Connect again with GET.',
  /** 404 `unknown_session` */
  sessionMissing: 'The query parameter sessionId is missing. Send messages to the address in the event "endpoint".',
  /** 405 `no_stream` */
  noStream:
    'This server sends no messages on its own, so there is no stream to open. Send each message with POST to the same address.',
  /** 405 `method_not_allowed` */
  method: 'Send messages with POST. Clients of the former transport (HTTP with SSE) connect with GET.',
  /** 413 `batch_too_large` */
  batch: message('The batch has {count} messages; at most {limit} are allowed. Send them one by one.'),
  /** 400 `bad_message` */
  badMessage:
    'This is not a JSON-RPC 2.0 message: send an object with "jsonrpc": "2.0", "method", and "id" for a request.',
  /** 400 `bad_message` */
  longId: message('The id of a JSON-RPC request may have at most {limit} characters. Use a short string or a number.'),
  /** 429 `too_many_calls` */
  busy: message('The session has {limit} unanswered calls. Wait for a response before the next call.'),
  /** 503 `too_many_sessions` */
  sessionsOfEndpoint: message(
    'This endpoint has {limit} open connections, the maximum. Close one, or use the current transport (POST), which needs none.',
  ),
  /** 503 `too_many_sessions` */
  sessions: message(
    'This process has {limit} open connections, the maximum. Connect again later, or use the current transport (POST), which needs none.',
  ),
  /** JSON-RPC -32601 */
  noSubscriptions: 'This server has nothing to subscribe to: its tools do not change.',
  /** JSON-RPC -32602 */
  unknownTool: message('There is no tool {name}. The tools are: {tools}.'),
};

/** Descriptions of the assistant tools and of their arguments, for the assistant. */
export const TOOL_DESCRIPTIONS = {
  instructions: message(
    'Publishes posts to the channels (targets) of one Crosspost endpoint. Call {discover} first: it lists the targets. {publish} queues a post, or plans it for a time; {status} shows when it is published; {reschedule} moves a planned post, and {cancel} cancels it; {edit} changes what is published, and {withdraw} deletes it. Text is plain: formatting goes into entities, with offsets in UTF-16 units. Calls count against the rate limits of the endpoint: if a call is refused for too many requests, wait as long as the error says.',
  ),
  discover: message(
    "Lists the projects and targets that posts go to, their pauses, and the limits of a post. Targets have names only if the endpoint's owner has turned on verbose discovery. At most 60 calls a minute.",
  ),
  publish: message(
    'Queues one post for the targets of the endpoint, by default all active ones. The response says how many targets the post is queued for; it is not published yet. With publish_at it is planned for that time instead. Call {status} with the returned id to see its progress. Send the same idempotency_key to repeat a call safely: the post is then queued once.',
  ),
  pause: message(
    'Pauses publishing for a number of minutes, without posting: projects (project_minutes), channels (target_minutes), or both. Posts wait until the pause ends. A longer pause that is already active is not shortened. {resume} ends pauses.',
  ),
  resume: message(
    'Ends pauses of projects, channels, or both. Waiting posts then go out one per minute on each channel. Without arguments it ends every pause of this endpoint.',
  ),
  sandbox: message(
    'Checks a post and shows how each network would receive it: text after trimming, calls, warnings. Nothing is stored or published. Takes the same fields as {publish}.',
  ),
  status: message(
    'Shows the status of a post: the state of each publication (planned, queued, publishing, published, failed, in_doubt, filtered, dismissed, withdrawing, withdrawn, withdraw_failed), links to the messages, errors, which version of the content readers see (content_version; edit tells of a newer one), and how many people saw it (statistics: views, reactions, comments, shares; null is unknown, not 0). Takes the id that {publish} returned.',
  ),
  reschedule: message(
    'Moves a planned post to another time, or publishes it now (publish_at null). Only a post that is still planned can be moved: {status} shows whether it is. At most 60 changes a minute.',
  ),
  cancel: message(
    "Cancels a post's planned and queued publications. Published messages stay ({withdraw} deletes them), and the post cannot be planned again. At most 60 changes a minute.",
  ),
  edit: message(
    'Gives a post new content, also where it is published: messages are edited in their places, and nothing is posted again. The arguments replace the whole content: send everything that is to stay. Networks limit what can be edited: channels that cannot show the content keep the old one, and the response says why. Editing goes on after the response: {status} shows which channels have it. At most 60 changes a minute.',
  ),
  withdraw: message(
    'Takes a post back: deletes its published messages, and cancels the rest, on all targets or on those given. This cannot be undone: ask the user first. Deleting goes on after the response: {status} shows what became of each publication. Some networks refuse, for example after two days; the status says what to do. Repeating a call is safe. At most 60 changes a minute.',
  ),
  discoverTitle: 'List projects and targets',
  publishTitle: 'Publish a post',
  pauseTitle: 'Pause publishing',
  resumeTitle: 'Resume publishing',
  sandboxTitle: 'Check and preview a post',
  statusTitle: 'Show the status of a post',
  rescheduleTitle: 'Move a planned post to another time',
  cancelTitle: 'Cancel a post',
  editTitle: 'Edit a post',
  withdrawTitle: 'Take a post back',
  ofPost: {
    text: 'Plain text without HTML. With media it is the caption. Text that is too long for a network is trimmed there.',
    entities: 'Formatting of ranges of text. offset and length count UTF-16 units.',
    media:
      'Photos, videos and audio, shown as one album. Each has either a url, a direct https link without redirects, or the id of an uploaded file (med_…).',
    buttons: 'Rows of link buttons. Some networks show no buttons: put the link into the text as well.',
    is_advertisement: 'Label for statistics. It does not pause anything on its own.',
    ad_pause_minutes: 'Minutes to pause the whole project after the post is published.',
    ad_target_pause_minutes: 'Minutes to pause each channel after the post is published there.',
    targets:
      'Target ids (tgt_…) from discovery, or whole names if discovery shows names. Leave it out for all active targets.',
    external_id: 'Your own id for the post. A second post with the same id within 24 hours is not queued again.',
    trace_id: 'Any text; it is returned and logged.',
    metadata: 'Any JSON object; it is stored with the post.',
    overrides:
      'Content that differs by network or target: an object whose keys are networks (such as telegram) or target ids, and whose values have any of text, entities, media, buttons. Each replaces the field of the post there; null removes it.',
    publish_at:
      'When to publish the post: RFC 3339 with an offset, such as 2027-03-01T09:00:00+03:00, at most 366 days ahead. Leave it out to publish now.',
  },
  newTime:
    'The new time: RFC 3339 with an offset, such as 2027-03-01T09:00:00+03:00. null publishes the post now, or as soon as it is approved.',
  idempotencyKey:
    'A unique string for this post, such as a UUID. Repeat the call with the same key after an error or a lost response.',
  ofPause: {
    project_minutes: 'Minutes to pause all projects of the endpoint.',
    target_minutes: 'Minutes to pause the channels, in every project that uses them.',
    targets: 'Channels to pause: ids (tgt_…) or whole names. Leave it out for all.',
  },
  ofResume: {
    scope: 'What to resume: project, targets, or all (the default).',
    targets: 'Channels to resume if scope is targets: ids (tgt_…) or whole names. Leave it out for all.',
  },
  ofEdit: 'Edit only if the post still has this revision, from its status: it may have been changed since.',
  ofWithdrawal: {
    targets: 'Targets on which to take the post back: ids (tgt_…) or whole names. Leave it out for all.',
    reason: 'Why, in a sentence: the owner sees it in the history.',
  },
  postId: 'The id of the post: post_…',
};

/** Results of the assistant tools, for the assistant to read. */
export const TOOL_ANSWERS = {
  discovered: message('{targets} in {projects}.{names}'),
  namesHidden: ' Names are hidden: use the ids. (The owner of the endpoint can switch on verbose discovery.)',
  queued: message(
    'The post {id} is queued for {targets}. It is not published yet: call {status} with this id to see when.',
  ),
  planned: message(
    'The post {id} is planned for {at}, for {targets}. It is not published yet. {status} shows it, {reschedule} moves it, {cancel} cancels it.',
  ),
  needsApproval: message(
    "The post {id}, for {targets}, is waiting for the endpoint's owner to approve it. {status} shows it, {reschedule} gives it a time, {cancel} cancels it.",
  ),
  moved: message('The post {id} is now planned for {at}. Call {status} with this id to see what it waits for.'),
  unplanned: message(
    'The post {id} no longer has a time: it is published as soon as it is approved. {status} shows it.',
  ),
  released: message(
    'The post {id} is queued. It is not published yet: call {status} with this id to see when. It can no longer be moved.',
  ),
  cancelled: message('{publications} of the post {id} will not be published.'),
  nothingCancelled: message(
    'The post {id} had nothing left that was planned or queued, so nothing was cancelled. {status} shows its state.',
  ),
  withdrawing: message(
    'The post {id} is being taken back: {states}. Call {status} with this id to see when its messages are deleted.',
  ),
  withdrawn: message('The post {id} was taken back before it was published: {states}.'),
  nothingWithdrawn: message('Nothing was left to take back of the post {id}: {states}. {status} shows its state.'),
  queuedNowhere:
    'The endpoint has no project: nothing was queued and no post was created. Ask its owner to bind a project.',
  repeated: message(
    'A post with this key was accepted before: nothing new is queued. This is its first answer: post {id}, for {targets}. Call {status} with this id to see what became of it.',
  ),
  someTargets: message(
    ' You specified {named} targets; {queued} of them will get the post: the others are unknown here, or disabled. Call {discover} for the list.',
  ),
  paused: message('Paused: {projects} and {channels}; {moved} now wait longer.'),
  resumed: message(
    'Resumed: {projects} and {channels} were paused; {moved} may now go out earlier, one per minute on each channel.',
  ),
  checked: 'The post would be accepted. preview shows it on each network.',
  checkedNowhere:
    'The post is valid, but the endpoint has no project: it would not be published anywhere. Ask its owner to bind a project.',
  rejected: message('The post would be refused: {errors} Correct it and check it again.'),
  status: message('The post {id}, revision {revision}: {states}.'),
  contentOfPost: message(
    'The content of the post {id} is now revision {revision}: {states}. Call {status} with this id to see when readers see it.',
  ),
  edited: message('edited; readers see revision {version}'),
  unedited: message('readers see revision {version}; edit to revision {revision} {state}{why}'),
  noPublications: 'no publications',
};

/** Errors of the assistant tools, for the assistant to read: the failure, then the action to take. */
export const TOOL_ERRORS = {
  refused: message('{errors} {advice}'),
  wrongArguments: message('The arguments must be an object, not {value}. Send a JSON object.'),
  unknownArgument: message(
    'There is no argument {name}. The arguments are: {known}. Correct the name or leave it out.',
  ),
  wrongTargets: message(
    'targets must be a list of strings (target ids such as tgt_…, or whole names), not {value}. Call {discover} for the ids.',
  ),
  wrongText: message('{name} must be a string, not {value}. Send it as a string.'),
  wrongNumber: message('{name} must be a positive whole number, not {value}. Send it as a number.'),
  namesHidden: message(
    '{name} is not a target id, and names cannot be used: this endpoint hides them. Call {discover} and use the ids (tgt_…).',
  ),
  unknownName: message('No target is called {name}. The targets are: {targets}. Use an id or a whole name.'),
  ambiguousName: message('{count} targets are called {name}: {targets}. Use the id of the target that you mean.'),
  noTargets: 'none',
  adviceCorrect: 'Correct the arguments and call the tool again.',
  adviceTargets: message('Call {discover} for the ids of the targets.'),
  adviceWait: message(
    'Wait at least {seconds} s before the next call, with the same idempotency_key if there was one. Repeated calls that come too early disable the endpoint.',
  ),
  adviceQuota: 'Do not call again: ask the user to buy a post pack, or to wait until next month.',
  adviceOwner: "Do not call again until the endpoint's owner has acted: tell the user.",
  adviceUnauthorized:
    'Do not call again: ask the user to check the token, the signing secret and the allowlist of the endpoint.',
  adviceNotFound: 'Check the id: it must be one that publishing returned.',
  adviceTooLate: 'Do not call again for this post: tell the user.',
  adviceNotEditable: message(
    'Readers keep what they see. Call {edit} again with content that the reasons allow, or ask the user whether to call {withdraw} and then {publish} with the new content.',
  ),
  adviceLater: 'Call again in a few seconds, with the same idempotency_key if there was one.',
};
