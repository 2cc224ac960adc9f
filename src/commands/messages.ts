import { message } from '../kernel/message.js';

/** Rejections of use cases that involve more than one resource. */
export const COMMAND_MESSAGES = {
  /** 422 `unknown_ids` */
  unknownIds: message('These do not exist or belong to another owner: {ids}.'),
  /** 403 `missing_scope` */
  evadesApproval:
    'Posts to these projects need approval, and this key may not approve. Make this call once with a key that may, or publish through the endpoint that requires approval.',
  /** 404 `not_found` */
  ownerDeleted: 'This owner no longer exists: it was deleted.',
  /** 409 `in_use` */
  inUse: message('This {what} is used by {others}. Remove it there first, or repeat the call with ?cascade=true.'),
  /** 402 `plan_not_allowed` */
  planWithoutInput: message(
    'The plan "{plan}" has no webhook input. Use one of the plans {plans}, or a test endpoint.',
  ),
  /** 402 `plan_not_allowed` */
  planWithoutOutput: message('The plan "{plan}" does not include webhook outputs. Use one of the plans {plans}.'),
  /** 402 `resource_limit` */
  resourceLimit: message(
    'This owner has {existing} {resource}, and the plan "{plan}" allows {allowed}. Delete what is not needed, or use a plan that allows more.',
  ),
  /** 402 `resource_limit` */
  mediaLimit: message(
    'This file does not fit: the owner has {used} MB of uploaded files, and the plan "{plan}" allows {allowed} MB. Delete files that are not needed, or use a plan that allows more.',
  ),
  /** 429 `too_many_uploads` */
  tooManyUploads: message('Too many uploads, in the last minute or at once. Try again in {seconds} s.'),
  /** 409 `output_disabled` */
  outputDisabled: 'The webhook output is disabled. Enable it, then request the delivery again.',
  /** 409 `recovery_running` */
  recoveryRunning:
    'The gateway is still marking what waited before the restore. Nothing was settled. Try again in a few seconds.',
  /** 409 `recovery_running` */
  recoveryLookingUp:
    'The gateway is still asking the networks which publications in doubt were published, for five minutes at most. Nothing was settled. Try again in a moment, or leave out `in_doubt` to settle the planned posts alone.',
  /** 409 `not_stopped` */
  notStopped: 'This projection has not stopped: there is no event to retry or skip.',
  /** 409 `not_stopped` */
  sagaNotStopped: 'This saga is not stopped at an event, so there is nothing to skip.',
  /** 409 `not_stopped` */
  sagaStoppedElsewhere: message('This saga is stopped at position {at}, not at {position}. Nothing was skipped.'),
  /** 409 `candidate_exists` */
  candidateExists: 'A candidate already exists. Promote or discard it first.',
  /** 409 `no_candidate` */
  noCandidate: 'This projection has no candidate. A rebuild creates one.',
  /** 409 `candidate_deployed` */
  candidateDeployed: 'A newer version of the program is building this candidate, and will make it live automatically.',
  /** 409 `no_previous` */
  noPrevious: 'No previous version is kept: there is nothing to go back to.',
  /** 409 `not_level` */
  notLevel:
    'This version has not reached the end of the history, or no process is filling it. Try again when it has caught up.',
  /** 409 `views_in_use` */
  viewsInUse: 'Long-running queries lock the views of this projection. Nothing was changed. Try again.',
  /** 409 `other_program` */
  otherProgram:
    'Another version of the program fills this projection. Send the request to a process running that version.',
  /** 409 `job_running` */
  jobRuns: message('A job is already working on this projection: {id}. Wait until it has finished.'),
  /** 422 `invalid_targets` */
  noTarget: 'None of these ids is a target of this endpoint. GET …/info lists the ids.',
  /** 422 `too_many_targets` */
  tooManyTargets: message(
    'This post addresses {addressed} targets; at most {allowed} are allowed. List fewer in `targets`, and send further posts to the others.',
  ),
  /** 409 `wrong_state` */
  nothingToCancel: 'This post has no publications, so there is nothing to cancel.',
  /** 409 `wrong_state`, for a post that ended before its release */
  nothingPlanned: 'This post has no planned publications left to cancel.',
  /** 409 `content_erased` */
  contentErased: 'The content of this post was erased, so it cannot be sent again.',
  /** 409 `wrong_state` */
  historyDamaged:
    'The stored history of this publication is damaged: it is not sent again automatically. To publish the text, send a new post.',
  /** 409 `channel_deleted` */
  channelDeleted: "This publication's channel was deleted, so the publication cannot be sent again.",
};

/** Reasons why an endpoint or webhook output is disabled, for its event and for the notice about it. */
export const DISABLED_REASONS = {
  byOwner: 'disabled by its owner',
  planWithoutInput: message('the plan "{plan}" has no webhook input'),
  planWithoutOutput: message('the plan "{plan}" has no webhook output'),
  outputGone: 'its server answered 410 Gone: it accepts no more deliveries',
  outputFailures: 'every attempt to deliver to it has failed for five days',
  outputSecret:
    'its signing secret cannot be read: rotate it, then enable the webhook output to send the waiting deliveries',
};
