import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { ExpectedRevision } from '../port.js';
import { unpackToCommandError } from './library-internals.js';
import {
  bytesField,
  numberField,
  readBigInt,
  readCommitPosition,
  Reader,
  readFields,
  type Reading,
  readText,
  type WireEvent,
  Writer,
  type Writing,
} from './read-call.js';

const JSON_TYPE = 'application/json';
const BYTES_TYPE = 'application/octet-stream';

/** Writes a `UUID` message in its string form. */
const writeUuid = (writer: Writing, field: number, uuid: string): Writing =>
  writer.uint32(bytesField(field)).fork().uint32(bytesField(2)).string(uuid).ldelim();

const writeEntry = (writer: Writing, field: number, key: string, value: string): Writing =>
  writer
    .uint32(bytesField(field))
    .fork()
    .uint32(bytesField(1))
    .string(key)
    .uint32(bytesField(2))
    .string(value)
    .ldelim();

/**
 * Encodes an append as one `BatchAppend` message. The client's own functions convert each event from a value to text,
 * to base64, to bytes and, to count its size, once more to bytes; this makes up most of the cost of an append
 * (ADR-121).
 * @param correlation UUID that the server returns in its response
 */
export const encodeAppend = (
  correlation: string,
  stream: string,
  expected: ExpectedRevision,
  events: readonly WireEvent[],
): Uint8Array => {
  const writer = writeUuid(Writer.create(), 1, correlation);
  writer.uint32(bytesField(2)).fork();
  writer.uint32(bytesField(1)).fork().uint32(bytesField(3)).string(stream).ldelim();
  if (expected === 'noStream') writer.uint32(bytesField(3)).uint32(0);
  else writer.uint32(numberField(2)).uint64(Number(expected));
  writer.ldelim();
  for (const { id, type, isJson, data, metadata } of events) {
    writer.uint32(bytesField(3)).fork();
    writeUuid(writer, 1, id);
    writeEntry(writer, 2, 'type', type);
    writeEntry(writer, 2, 'content-type', isJson ? JSON_TYPE : BYTES_TYPE);
    writer.uint32(bytesField(3)).string(metadata).uint32(bytesField(4)).string(data).ldelim();
  }
  return writer.uint32(numberField(4)).bool(true).finish();
};

/** Outcome of an append that was written. */
export interface Written {
  readonly revision: bigint;
  /** Undefined if retention has removed the events of a repeated append. */
  readonly position: bigint | undefined;
}

/** Decodes an append response. Errors have the client's own types. */
export const decodeAnswer = (bytes: Uint8Array): { correlation: string } & (Written | { error: Error }) => {
  const reader = Reader.create(bytes);
  let correlation = '';
  let success: Written | undefined;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === bytesField(1)) correlation = readText(reader, 2);
    else if (tag === bytesField(3)) success = readSuccess(reader);
    else reader.skipType(tag & 7);
  }
  return success ? { correlation, ...success } : { correlation, error: decodeError(bytes) };
};

const readSuccess = (reader: Reading): Written => {
  let revision = 0n;
  let position: bigint | undefined;
  readFields(reader, (tag) => {
    if (tag === numberField(1)) return (revision = readBigInt(reader));
    return tag === bytesField(3) ? (position = readCommitPosition(reader)) : undefined;
  });
  return { revision, position };
};

const decodeError = (bytes: Uint8Array): Error => {
  const response = streams.BatchAppendResp.deserializeBinary(bytes);
  const stream = Buffer.from(response.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
  return unpackToCommandError(response.getError()!, stream);
};
