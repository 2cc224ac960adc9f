import { message } from '../../kernel/message.js';

/** Refused uploads (D-90, D-91). */
export const UPLOAD_MESSAGES = {
  /** 415 `unsupported_media_type` */
  mediaType: message(
    'Send the file itself with its media type or application/octet-stream, or as multipart/form-data; the Content-Type was {type}.',
  ),
  /** 415 `unsupported_media_type` */
  encoding: message('Send the file without Content-Encoding; it was {encoding}.'),
  /** 422 `invalid_multipart` */
  noBoundary: 'A multipart body needs a boundary in its Content-Type.',
  /** 422 `invalid_multipart` */
  noPart: 'The body does not begin with the boundary that its Content-Type names.',
  /** 422 `invalid_multipart` */
  badPart: 'The headers of the part are too long or name an encoding. Send the bytes of the file as they are.',
  /** 422 `invalid_multipart` */
  notNamedFile: 'The body must have exactly one part: a file whose field is named "file".',
  /** 422 `invalid_multipart` */
  otherParts: 'The body must have exactly one part. Send one request for each file, without other fields.',
  /** 422 `invalid_multipart` */
  cutOff: 'The body ends before its last boundary.',
  /** 400 `digest_mismatch` */
  digest: 'The body is not what its Content-Digest says. Send it again.',
  /** 400 `digest_mismatch` */
  badDigest: 'Content-Digest must have the form sha-256=:<base64>: (RFC 9530).',
  /** 408 `upload_stalled` */
  stalled: 'The upload was ended: for 30 seconds no byte arrived, or it took two hours. Send the file again.',
  /** 503 `unavailable` */
  notShown: 'The file was stored, but it is not shown yet. Send it again: it is stored only once.',
  /** 429 `too_many_downloads` */
  tooManyDownloads: 'Too many files of this owner are being downloaded at the moment. Try again in a few seconds.',
  /** 416 `range_not_satisfiable` */
  noSuchRange: 'The file is shorter than the requested range.',
  /** 503 `media_store_unavailable` */
  storeUnavailable: 'The store of uploaded files does not answer at the moment. Try again later.',
  /** 503 `media_store_full` */
  storeFull: 'The store of uploaded files is full. Its operator has to make room.',
};
