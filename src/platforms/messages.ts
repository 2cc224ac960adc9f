import { message } from '../kernel/message.js';

/** Warnings about a post that cannot be published on a network unchanged. */
export const DEGRADATION_MESSAGES = {
  /** `text_trimmed` */
  textTrimmed: message('{network} accepts {limit} characters: the text was shortened by {excess}.'),
  /** `media_dropped`, `links_dropped` */
  linksDropped: message('There is no room in the text for {links}.'),
  /** `formatting_dropped` */
  textTooLongWithFormatting: message(
    'With its formatting, the text has more than the {limit} characters that {network} accepts: it is sent without formatting.',
  ),
  /** `formatting_dropped` */
  plainTextOnly: message('{network} shows text without formatting.'),
  /** `formatting_dropped` */
  formattingNotShown: message('{network} shows the following as plain text: {types}.'),
  /** `entities_dropped` */
  tooManyEntities: message(
    '{network} accepts {limit} formatted parts in a message: the formatting of {parts} after them is omitted.',
  ),
  /** `custom_emoji_dropped` */
  unknownEmoji: message('{network} does not know the custom emoji {id}: the plain one is sent.'),
  /** `link_dropped` */
  linkNotAccepted: message('{network} does not accept a link to {url}: its text is sent without it.'),
  /** `button_dropped` */
  buttonNotAccepted: message('{network} does not accept a button to {url}: “{text}” is left out.'),
  /** `button_text_shortened` */
  buttonShortened: message('The text of a button was shortened to {limit} characters: “{text}…”.'),
  /** `buttons_ignored`, `buttons_linked` */
  noButtons: message('{network} shows no buttons under a post: {instead}.'),
  buttonsLeftOut: 'they are left out',
  buttonsAsLinks: 'they are links in the text',
  /** `buttons_dropped` */
  buttonsSwitchedOff: "The buttons are omitted, because of the channel's settings.",
  /** `text_added` */
  textAdded: message('{network} does not accept buttons without a text: {text} is shown above them.'),
  /** `photo_fitted` */
  photoFitted: message('media[{index}] is scaled down or re-encoded to fit the network.'),
  /** `media_as_link`, `media_linked` */
  mediaAsLink: message('media[{index}] is published as a link in the text: {reason}'),
  /** `media_link_private` */
  mediaLinkPrivate: message(
    'Readers cannot open the link to media[{index}]: BASE_URL of the gateway is not https on a public address. Send the url of a public file instead.',
  ),
  /** `media_as_document` */
  mediaAsDocument: message('{network} does not play media[{index}]: it is sent as a file, in a separate message.'),
  /** `silent_ignored` */
  silentIgnored: message('{network} cannot publish without notifying readers: silent is ignored.'),
  /** `pin_ignored` */
  pinIgnored: message('{network} cannot pin a post from here: pin is ignored.'),
  /** `signature_dropped` */
  signatureDropped: 'The signature does not fit: it is left out.',
  /** `nothing_to_send` */
  nothingToSend: message('No part of this post can be published on {network}.'),
};

/** Reasons why a medium is published as a link. */
export const OBSTACLE_MESSAGES = {
  /** `media_too_large` */
  tooLarge: 'the file is too large for the network',
  /** `media_too_long` */
  tooLong: 'it is too long for the network',
  /** `media_too_many_pixels` */
  tooManyPixels: 'it has too many pixels for the network',
  /** `media_unsuitable` */
  unsuitable: 'the network does not accept its format or shape',
  noAudio: message('{network} does not accept audio.'),
  noUploadToken: 'the channel has no upload token.',
  sizeAboveLimit: message('has {bytes} bytes; the network accepts at most {limit}'),
  formatNotAccepted: message('is {mime}, which the network does not accept'),
  photoNotConvertible: 'cannot be converted into a photo that the network accepts',
};

/** Calls without a response, or with a response that did not come from the network's API. */
export const CALL_MESSAGES = {
  /** `not_sent`, `aborted` */
  notSent: message('{network} could not be reached ({detail}): nothing was sent.'),
  /** `certificate_not_trusted` */
  certificateNotTrusted: message(
    'The certificate of {host} is not trusted ({detail}), so {network} got nothing. Save the certificates of the authority that issued it as a PEM file, set EXTRA_CA_CERTS to its path and restart the gateway.',
  ),
  /** `timed_out`, `connection_lost`, `aborted` */
  notAnswered: message('{network} did not answer the call ({detail}).'),
  /** the same, in doubt */
  notAnsweredInDoubt: message('{network} did not answer the call ({detail}): the post may be visible there.'),
  /** `too_many_requests` */
  slowDown: message('{network} asks the gateway to slow down.'),
  /** `too_many_requests` */
  asksToWait: message('{network} asks the gateway to wait {seconds} s.'),
  /** any error in doubt */
  mayBeVisible: message('{what} The post may be visible there.'),
  /** `refused` */
  refusedUnknown: message('{network} refuses the call with an error that the gateway does not know: {code}.'),
  /** `media_too_large` */
  uploadTooLarge: message('The upload is too large for {network}.'),
  /** `unreadable_refusal` */
  intermediary: message('An intermediary, not {network}, refused the call ({status}).'),
  /** `unreadable_answer` */
  unreadable: message('The answer from {network} ({status}) cannot be read.'),
  /** the same, in doubt */
  unreadableInDoubt: message('The answer from {network} ({status}) cannot be read: the post may be visible there.'),
};

/** Changes of a published message that a network refuses. */
export const CHANGE_MESSAGES = {
  /** `refused` */
  deleteRefused: message(
    '{network} refuses to delete the message: delete it there by hand, then take the post back again.',
  ),
  /** `chat_changed` */
  chatMoved: message(
    'The chat has another id on {network} now, which does not know the message: delete it there by hand.',
  ),
  /** `refused` */
  editRefused: message(
    '{network} refuses to change the message: correct it there by hand, or take the post back and send a new one.',
  ),
  /** `chat_changed` */
  chatMovedSince: message(
    'The chat has another id on {network} now, which does not know the message: change it there by hand.',
  ),
  /** reason for `pin_failed` */
  pinRefused: message('{network} refuses to pin the message: pin it there by hand.'),
};

/** Reasons why published messages cannot hold new content. Networks have reasons of their own. */
export const EDIT_MESSAGES = {
  /** `nothing_left` */
  nothingLeft: message('No part of the new content can be shown on {network}: take the post back instead.'),
  /** `text_removed` */
  textRemoved: message(
    'The text on {network} is in a message of its own, which cannot be emptied: send a text, or take the post back.',
  ),
  /** `media_count` */
  mediaCount: message(
    'The number of media on {network} cannot change, from {published} to {wanted}: replace them one for one, or take the post back and send a new one.',
  ),
  /** `refused` */
  messagesUnknown: message(
    'It is not known which messages on {network} belong to the post, so none is changed: correct them there by hand.',
  ),
};

/** Why there are no numbers of a message. */
export const NUMBERS_MESSAGES = {
  refused: message('{network} refuses to tell the numbers of this post.'),
};

/** Results of a channel test, on every network. */
export const TEST_MESSAGES = {
  notInTime: message('{network} did not answer in time: test the channel again later.'),
  /** `unknown_id`, of a public name */
  noSuchName: message('{network} knows no such name.'),
  questionRefused: message('{network} rejected the test request, but posts may still succeed.'),
};

/** Details of calls without a response. */
export const EXCHANGE_MESSAGES = {
  stopped: 'the call was stopped',
  noAnswer: message('no answer within {ms} ms'),
  endlessAnswer: 'the answer is too long',
  leaseLost: 'another process may have taken over the channel',
  unknown: 'unknown error',
};
