import type { sendUnaryData, ServerDuplexStream } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import shared from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/shared_pb.js';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { EventLog, ExpectedState, ProposedEvent } from './event-log.js';
import type { Faults } from './faults.js';
import {
  accessDenied,
  batchAccessDenied,
  batchStreamDeleted,
  batchSuccess,
  batchTimeout,
  batchTooLarge,
  batchUnrecognized,
  batchWrongExpectedVersion,
  createFailure,
  identifierOf,
  nameOf,
  proposedEvent,
  serverNotReady,
  streamDeleted,
} from './messages.js';
import type { Replication } from './replication.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the size of events in bytes, as the server's limit counts it: two bytes per character of a type. */
const sizeOnDisk = (events: readonly ProposedEvent[]): number =>
  events.reduce((sum, { type, data, metadata }) => sum + 2 * type.length + data.length + metadata.length, 0);

/** Creates the `BatchAppend` call. */
export const createAppendCall =
  (log: EventLog, replication: Replication, faults: Faults, maxAppendSize: number) =>
  (call: ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>) => {
    if (faults.areBatchesUnknown) {
      faults.countCall('unknownBatches');
      return call.emit('error', createFailure(status.UNIMPLEMENTED, 'The server does not implement the method'));
    }
    const pending = new Map<string, { options: streams.BatchAppendReq.Options; events: ProposedEvent[] }>();
    const respond = (request: streams.BatchAppendReq, stream: string, response: streams.BatchAppendResp): void => {
      call.write(response.setCorrelationId(request.getCorrelationId()).setStreamIdentifier(identifierOf(stream)));
    };
    call.on('data', (request: streams.BatchAppendReq) => {
      const correlation = request.getCorrelationId()?.getString() ?? '';
      const options = request.getOptions();
      if (options) pending.set(correlation, { options, events: [] });
      const write = pending.get(correlation);
      if (!write) return;
      const stream = nameOf(write.options.getStreamIdentifier());
      write.events.push(...request.getProposedMessagesList().map(proposedEvent));
      if (sizeOnDisk(write.events) > maxAppendSize) {
        pending.delete(correlation);
        return respond(request, stream, batchTooLarge(maxAppendSize));
      }
      if (!request.getIsFinal()) return;
      pending.delete(correlation);
      if (faults.shouldRejectCall('batchAppend'))
        return respond(request, stream, batchUnrecognized('Server Is Not Ready'));
      if (faults.denied.includes('append')) return respond(request, stream, batchAccessDenied());
      if (stream === '' || write.events.some(({ id, type }) => !UUID.test(id) || type === '')) {
        return respond(request, stream, batchUnrecognized('BadRequest'));
      }
      const outcome = log.append(stream, batchExpected(write.options), write.events);
      if (outcome.kind === 'stream-deleted') return respond(request, stream, batchStreamDeleted(stream));
      if (outcome.kind === 'wrong-expected-version') {
        return respond(request, stream, batchWrongExpectedVersion(outcome.current));
      }
      const isLost = faults.shouldLoseResponse();
      replication.answer(
        stream,
        outcome,
        () => isLost || respond(request, stream, batchSuccess(outcome.revision, outcome.position)),
        () => respond(request, stream, batchTimeout()),
      );
    });
    call.on('end', () => call.end());
  };

/** Creates the call that deletes a stream softly. Supports only the expected state `any`. */
export const createDeleteCall =
  (log: EventLog, faults: Faults) =>
  ({ request }: { request: streams.DeleteReq }, answer: sendUnaryData<streams.DeleteResp>) => {
    if (faults.shouldRejectCall('append')) return answer(serverNotReady());
    if (faults.denied.includes('append')) return answer(accessDenied());
    log.deleteStream(nameOf(request.getOptions()?.getStreamIdentifier()));
    if (!faults.shouldLoseResponse()) answer(null, new streams.DeleteResp().setNoPosition(new shared.Empty()));
  };

/** Creates the call that deletes a stream permanently. Supports only the expected state `any`. */
export const createTombstoneCall =
  (log: EventLog, faults: Faults) =>
  ({ request }: { request: streams.TombstoneReq }, answer: sendUnaryData<streams.TombstoneResp>) => {
    if (faults.shouldRejectCall('append')) return answer(serverNotReady());
    if (faults.denied.includes('append')) return answer(accessDenied());
    const stream = nameOf(request.getOptions()?.getStreamIdentifier());
    if (!log.tombstoneStream(stream)) return answer(streamDeleted(stream));
    if (!faults.shouldLoseResponse()) answer(null, new streams.TombstoneResp().setNoPosition(new shared.Empty()));
  };

const batchExpected = (options: streams.BatchAppendReq.Options): ExpectedState => {
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamPosition()) return BigInt(options.getStreamPosition());
  return options.hasStreamExists() ? 'stream_exists' : 'any';
};
