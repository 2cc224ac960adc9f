import { message } from '../kernel/message.js';

/** Rejections caused by a resource's state: status 409. */
export const STATE_MESSAGES = {
  /** `already_exists` */
  alreadyExists: message('This {what} already exists.'),
  /** `channel_disabled` */
  channelDisabled: 'The channel is disabled. Enable it to retry its posts.',
  /** `channel_disabled` */
  channelDisabledAndRefused:
    'The channel is disabled, and it needs attention. Enable it, then request the retry again: its posts are held until then.',
  /** `nothing_to_retry` */
  nothingToRetry: 'The channel does not need attention: its posts are not on hold.',
  /** `cooldown` */
  slugCooldown: message('The slug was rotated less than 24 hours ago. You can rotate it again from {at}.'),
  /** `replay` */
  keyUsed: 'This key was used within the last 24 hours.',
};

/** Rejections of a key's settings: status 422, and what only the operator may do: 403. */
export const KEY_MESSAGES = {
  /** `forbidden` */
  auditorsForOperator: "Only the operator issues, changes and revokes auditors' keys.",
  /** `audit_alone` */
  auditAlone: 'The scope "audit" goes with no other scope. Issue an auditor a key of its own.',
  /** `audit_alone` */
  auditStays: 'The scope "audit" can be neither added nor removed. Issue another key.',
  /** `limited_manage` */
  limitedManage:
    'A key that is limited to endpoints cannot have the scope "manage" or "audit". Leave out `endpoint_ids`, or use other scopes.',
};

/** Rejections caused by a publication's state: status 409. */
export const PUBLICATION_MESSAGES = {
  alreadyStarted: 'An attempt is in progress.',
  over: message('The publication is {status}.'),
  /** `wrong_state` */
  notResendable: message(
    'Only a publication that is in_doubt or failed can be sent again or dismissed; this one is {status}.',
  ),
  /** `publishing` */
  beingSent:
    'This publication is being sent right now. Wait until the attempt has finished: if the publication is then queued again, it can be cancelled.',
  /** `wrong_state` */
  dismissInstead: message('Only queued publications can be cancelled. This one is {status}; POST …/dismiss closes it.'),
  /** `wrong_state` */
  published: 'Only queued publications can be cancelled. This one is published, and readers see it.',
  /** `wrong_state` */
  notSentAnyway: message('Only queued publications can be cancelled. This one is {status} and will not be sent.'),
  attemptReplaced: 'Another attempt has replaced this one.',
  withdrawn: 'The publication was taken back.',
  stepReported: 'Another worker has already reported this step.',
  /** `wrong_state` */
  noDuplicate: 'No duplicate of this publication is waiting to be dismissed.',
};

/** Rejections of edits: status 409. */
export const POST_CHANGE_MESSAGES = {
  /** `post_ended` */
  nothingToEdit:
    'Nothing of this post is left to edit: all of it was cancelled, filtered or taken back. Send a new post.',
  /** `content_erased` */
  contentErased:
    'The content of this post was erased, so it cannot be edited. Take the post back and publish a new one.',
  /** `approval_required` */
  approvalRequired:
    'Posts of this endpoint need approval, so only someone who may approve them can edit them once they are released. Ask that person, or take the post back.',
  /** `not_editable` */
  notEditable:
    'No channel can take this content, so nothing was changed. See the reason for each channel; taking the post back and sending a new one works on all of them.',
};

/** Reasons why messages cannot be edited, whatever the content is. */
export const EDIT_MESSAGES = {
  /** `chat_changed` */
  chatChanged:
    'The channel was moved to another chat since this was published. Edit the messages in the old chat by hand.',
  /** `channel_deleted` */
  channelDeleted: 'The channel was deleted, and its credentials with it. Edit the messages on the network by hand.',
};

/** Rejections about uploaded files and the posts that name them. */
export const UPLOAD_MESSAGES = {
  /** 422 `unknown_media` */
  unknown: 'A file of this post does not exist any more. Upload it again.',
  /** 409 `media_in_use` */
  inUse: 'Posts need this file. Cancel them or give them other media, then delete the file.',
};

/** Rejections caused by a planned post's state: status 409, unless noted otherwise. */
export const PLANNED_POST_MESSAGES = {
  /** `already_released` */
  alreadyReleased:
    'This post was released already, so its time and channels can no longer be changed. Change its content with PUT …/content, cancel what is still queued, or take it back.',
  /** `post_ended` */
  ended: 'This post has ended without being released: it was cancelled or rejected. Send a new post.',
  /** 412 `revision_mismatch` */
  revisionMismatch: message('The post is at revision {revision}. Read it, then repeat the change with that revision.'),
  /** 409 `too_many_revisions` */
  tooManyRevisions: message(
    'This post has {most} revisions, and a planned post can have no more. Approve, reject or cancel it, or send a new post.',
  ),
  /** `already_decided` */
  alreadyDecided: message('This post is already {state}.'),
  /** `no_approval_required` */
  noApprovalRequired: 'This post needs no approval.',
  notDue: 'This post is not due yet.',
};
