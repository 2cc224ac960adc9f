import { message } from '../kernel/message.js';

/**
 * Reasons why a file cannot be published: status 400, or the error of a publication. Each is prefixed with the path of
 * the URL.
 */
export const MEDIA_MESSAGES = {
  empty: 'is an empty file: check the URL',
  emptyUpload: 'is empty: send its bytes',
  unknownUpload: message('is of no format that can be published, judging by its content: send {formats}'),
  damaged: 'is damaged: it ends before its content begins. Export it again',
  webPage: message('is a web page, not {wanted}: send the direct URL of the file'),
  otherType: message('is {found} ({format}), not {wanted}: send {formats}, or correct its type'),
  notOfType: message('is not {wanted}, judging by its content: send {formats}'),
  unsupportedFormat: message('is {mime}, which cannot be published as {wanted}: send {formats}'),
  noVideoTrack: 'has no video track, only audio: send a video',
  tooLarge: message('has {size}; {type} may have at most {limit}: make it smaller'),
  tooManyPixels: message('has {width} x {height} = {pixels} pixels; at most {limit} are allowed: scale it down'),
  tooLong: message('lasts {duration}; at most {limit} are allowed: shorten it'),
  sumTooLarge: message('have a total of {size}; at most {limit} are allowed: send fewer or smaller files'),
};

/** Facts about a file that the check before acceptance could not determine, shown in the sandbox's notes. */
export const PROBE_NOTES = {
  unreadable: 'could not be read',
  unknownSize: 'has no known size in bytes',
  unknownDimensions: 'has no known size in pixels',
  unknownDuration: 'could not be read far enough to determine its length',
  outOfTime: message('took longer than {ms} ms'),
};

/** Failures of the gateway's own storage and photo editor. Each is prefixed with the path of the URL. */
export const MEDIA_CACHE_MESSAGES = {
  largerThanCache: "is larger than the gateway's media cache",
  cacheFull: "could not be stored: all files in the gateway's media cache are in use",
  exceedsLimit: message('has {bytes} bytes; at most {limit} are allowed'),
  notWritten: "could not be written to the gateway's disk",
  notRead: "could not be read from the gateway's disk",
  resizeStopped: 'was not resized: the gateway is stopping',
  resizeFailed: 'could not be resized',
  /** at startup */
  folder: message('DATA_DIR must be a folder that this user can write to, for media in transit: {error}'),
};

/** Reasons why an uploaded file cannot be read. Each is prefixed with the path of its id. */
export const UPLOAD_SOURCE_MESSAGES = {
  /** `media_gone` */
  gone: 'is not in the store of uploaded files any more: upload it again, and send a new post',
  storeDown: 'cannot be read: the store of uploaded files does not answer',
};

/** Missing isolation of helper processes, shown in the log and at `/readyz`. */
export const HELPER_MESSAGES = {
  lessIsolated:
    'helper processes, which parse files of unknown origin, are less isolated than they can be; docs/deployment.md says how to fix it',
  filesNotIsolated: "this Node has no permission model: helpers may read this user's files",
  networkNotIsolated:
    "this user may not create namespaces (unshare -rn is refused): helpers can use the gateway's network",
  memoryNotLimited: "the system does not limit the memory of a helper's native code",
  helperFails: message('helper processes do not start: {reason}'),
};
