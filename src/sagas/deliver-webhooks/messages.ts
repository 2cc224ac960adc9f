import { message } from '../../kernel/message.js';

/** Errors in a delivery's log: why an attempt was skipped or got no usable response from the customer's server. */
export const DELIVERY_MESSAGES = {
  redirect: message('HTTP {status} is a redirect, which is not followed: set the final address as the URL.'),
  privateAddress: 'The host has a private address, which the gateway does not call.',
  badCertificate: message('The certificate of the host is not valid ({code}): renew it on the host.'),
  tlsFailed: 'The TLS connection to the host failed.',
  timeout: message('The server did not answer within {seconds} s.'),
  unreachable: 'The connection to the host failed: check that the server is running and that its name resolves.',
  notSent: 'Not sent, because an earlier delivery could not reach the host a moment ago.',
  badAnswer: 'The server returned a malformed HTTP response.',
  refusedUrl: 'The URL must be an https:// address on port 443.',
  secretErased: 'The signing secret of this webhook output was erased: rotate it, then enable the webhook output.',
  secretUnreadable:
    'The signing secret of this webhook output cannot be decrypted: rotate it, then enable the webhook output.',
  bodyDamaged:
    'The stored body of this delivery differs from the scheduled body, so it is not sent: read the post through the API.',
};
