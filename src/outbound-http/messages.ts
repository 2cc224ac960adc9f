import { message } from '../kernel/message.js';

/**
 * Reasons why a URL is refused because of its form: status 400, or 422 for buttons and text links. Each is prefixed
 * with the path of the field.
 */
export const URL_MESSAGES = {
  notHttps: 'must be an https:// URL',
  invalid: 'is not a valid URL: check it in a browser',
  hasCredentials: 'must not contain a user name or a password: remove them',
  hostEndsWithDot: 'has a host name that ends with a dot: remove the dot',
  privateAddress: 'points at a private address: use one that the Internet can reach',
  port: message('uses port {port}: use port 443, the only one allowed'),
  scheme: message('must begin with {schemes}'),
};

/**
 * Reasons why a file or service could not be read over HTTP. Each is prefixed with the path of a URL or "The
 * translation service".
 */
export const FETCH_MESSAGES = {
  notHttpsOnPort443: 'must be an https:// URL on port 443',
  unknownHost: message('cannot be reached: host name cannot be resolved ({host}); check the URL'),
  connectionFailed: message('cannot be reached: the connection to its host failed ({code})'),
  connectionClosed: 'cannot be reached: its host closes the connection at once',
  badCertificate: message(
    'cannot be reached: the certificate of its host is not valid ({code}); renew it on that host',
  ),
  tlsFailed: message('cannot be reached: a TLS connection to its host failed ({code})'),
  hostTooSlow: message('cannot be reached: its host does not answer in time ({code})'),
  malformedHttp: message('cannot be read: its host returns malformed HTTP ({code})'),
  notReadable: message('could not be downloaded: HTTP {status}; make it readable without signing in'),
  notFound: message('could not be downloaded: HTTP {status}; check the URL'),
  unavailable: message('could not be downloaded for now: HTTP {status}'),
  redirect: message('could not be downloaded: HTTP {status}, a redirect; use the direct URL of the file'),
  compressed:
    'could not be downloaded: its host compressed it without being asked to; turn compression off on the host',
  tooLarge: message('has {bytes} bytes or more; at most {limit} are allowed'),
  tookTooLong: message('did not arrive within {ms} ms'),
  aborted: 'is no longer needed',
  otherStatus: message('could not be downloaded: HTTP {status} instead of the file'),
  otherRange: 'could not be read: its host sent a different range than requested',
  moreThanAnnounced: 'could not be read: its host sent more bytes than it announced',
  noRanges: 'could not be read: its host does not support range requests',
};
