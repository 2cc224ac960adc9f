import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import shared from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/shared_pb.js';
import statusPb from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/status_pb.js';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import type { LoggedEvent, ProposedEvent } from './event-log.js';

export const nameOf = (identifier: shared.StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();

export const identifierOf = (stream: string): shared.StreamIdentifier =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(stream).toString('base64'));

export const proposedEvent = (
  message: streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage,
): ProposedEvent => ({
  id: message.getId()?.getString() ?? '',
  type: message.getMetadataMap().get('type') ?? '',
  isJson: message.getMetadataMap().get('content-type') === 'application/json',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
});

/** Converts a UUID to text or, for clients that request it, to two halves. */
const uuid = (id: string, structured: boolean): shared.UUID => {
  if (!structured) return new shared.UUID().setString(id);
  const hex = id.replaceAll('-', '');
  const half = (text: string): string => BigInt.asIntN(64, BigInt(`0x${text}`)).toString();
  return new shared.UUID().setStructured(
    new shared.UUID.Structured()
      .setMostSignificantBits(half(hex.slice(0, 16)))
      .setLeastSignificantBits(half(hex.slice(16))),
  );
};

export const eventMessage = (event: LoggedEvent, structuredIds: boolean): streams.ReadResp => {
  const position = event.position.toString();
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(uuid(event.id, structuredIds))
    .setStreamIdentifier(identifierOf(event.stream))
    .setStreamRevision(event.revision.toString())
    .setPreparePosition(position)
    .setCommitPosition(position)
    .setData(event.data)
    .setCustomMetadata(event.metadata);
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('created', event.created.toString())
    .set('content-type', event.isJson ? 'application/json' : 'application/octet-stream');
  return new streams.ReadResp().setEvent(
    new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position),
  );
};

export const confirmationMessage = (): streams.ReadResp =>
  new streams.ReadResp().setConfirmation(
    new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(crypto.randomUUID()),
  );

/** Creates the message without a position, as servers before 24.10 send it. */
export const caughtUpMessage = (): streams.ReadResp =>
  new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());

export const fellBehindMessage = (): streams.ReadResp =>
  new streams.ReadResp().setFellBehind(new streams.ReadResp.FellBehind());

export const checkpointMessage = (position: bigint): streams.ReadResp =>
  new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint().setCommitPosition(position.toString()).setPreparePosition(position.toString()),
  );

export const notFoundMessage = (stream: string): streams.ReadResp =>
  new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifierOf(stream)),
  );

const packMessage = (message: { serializeBinary(): Uint8Array }, typeName: string): anyPb.Any => {
  const any = new anyPb.Any();
  any.pack(message.serializeBinary(), typeName);
  return any;
};

export const batchSuccess = (revision: bigint, position: bigint | undefined): streams.BatchAppendResp => {
  const success = new streams.BatchAppendResp.Success().setCurrentRevision(revision.toString());
  if (position === undefined) success.setNoPosition(new emptyPb.Empty());
  else {
    const text = position.toString();
    success.setPosition(new shared.AllStreamPosition().setCommitPosition(text).setPreparePosition(text));
  }
  return new streams.BatchAppendResp().setSuccess(success);
};

export const batchWrongExpectedVersion = (current: bigint | undefined): streams.BatchAppendResp => {
  const wrong = new shared.WrongExpectedVersion();
  if (current === undefined) wrong.setCurrentNoStream(new emptyPb.Empty());
  else wrong.setCurrentStreamRevision(current.toString());
  return batchError('WrongExpectedVersion', packMessage(wrong, 'event_store.client.WrongExpectedVersion'));
};

export const batchStreamDeleted = (stream: string): streams.BatchAppendResp =>
  batchError(
    'StreamDeleted',
    packMessage(
      new shared.StreamDeleted().setStreamIdentifier(identifierOf(stream)),
      'event_store.client.StreamDeleted',
    ),
  );

/** Creates the error of a write that the server abandoned after its own time limit. */
export const batchTimeout = (): streams.BatchAppendResp =>
  batchError('Timeout', packMessage(new shared.Timeout(), 'event_store.client.Timeout'));

export const batchAccessDenied = (): streams.BatchAppendResp =>
  batchError('AccessDenied', packMessage(new shared.AccessDenied(), 'event_store.client.AccessDenied'));

export const batchTooLarge = (limit: number): streams.BatchAppendResp =>
  batchError(
    'Maximum Append Size Exceeded',
    packMessage(
      new shared.MaximumAppendSizeExceeded().setMaxappendsize(limit),
      'event_store.client.MaximumAppendSizeExceeded',
    ),
  );

/** Creates an error that the client does not recognise: "Could not recognize …". */
export const batchUnrecognized = (message: string): streams.BatchAppendResp =>
  batchError(message, packMessage(new emptyPb.Empty(), 'google.protobuf.Empty'));

const batchError = (message: string, details: anyPb.Any): streams.BatchAppendResp =>
  new streams.BatchAppendResp().setError(new statusPb.Status().setMessage(message).setDetails(details));

/** Creates a gRPC error with the metadata by which the client determines its type. */
export const createFailure = (
  code: status,
  details: string,
  metadata: Readonly<Record<string, string>> = {},
): ServiceError => {
  const sent = new Metadata();
  for (const [name, value] of Object.entries(metadata)) sent.add(name, value);
  return Object.assign(new Error(details), { code, details, metadata: sent });
};

export const accessDenied = (): Error =>
  createFailure(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

export const serverNotReady = (): ServiceError => createFailure(status.UNAVAILABLE, 'Server Is Not Ready');

/** Creates the error of a call to a stream with a tombstone. */
export const streamDeleted = (stream: string): ServiceError =>
  createFailure(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });
