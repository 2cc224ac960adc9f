/**
 * A stand-in for KurrentDB / EventStoreDB, for tests only: a gRPC server built on the stubs that the official client
 * publishes, in a process of its own, so that it can be killed and frozen.
 *
 * Faithful, as seen on EventStoreDB 23.10.6 and read in its source: appends in both ways, with idempotency by event id
 * (identical or a prefix: first result; longer, mixed or reordered: wrong expected version; `any` forgets at a
 * restart; no position when retention has cut the events off), 1 MiB an append, positions that are neither dense nor
 * small, system events interleaved in $all and one without `$` in its type, `$maxCount` on stream reads alone,
 * scavenging, inclusive and exclusive bounds, `start` and `end` that override the direction, reads off a record's edge
 * refused, filters, checkpoints per 32 scanned events times the interval, `caughtUp` without a position, live
 * consumers that are more than 32 events behind dropped with the very error (or sent back to catch up, as from 24.10
 * on), a subscription from a scavenged event skipping the next one, "Server Is Not Ready" in its three forms.
 *
 * Not there: clusters, TLS, users, links, deletion, $maxAge, $tb, persistent subscriptions, projections, fsync.
 */
import { Server, ServerCredentials } from '@grpc/grpc-js';
import serverFeaturesGrpc from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/serverfeatures_grpc_pb.js';
import serverFeatures from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/serverfeatures_pb.js';
import streamsGrpc from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import { appendCalls } from './append-calls.js';
import { EventLog } from './event-log.js';
import { Faults, type Control, type Report } from './faults.js';
import { failure } from './messages.js';
import { readCall } from './read-call.js';
import { Subscriptions, type WhenTooSlow } from './subscriptions.js';

/** What the process is started with, as its one argument in JSON. */
export interface ServerOptions {
  readonly file: string;
  readonly port: number;
  readonly firstPosition: string;
  readonly systemEventEvery: number;
  readonly whenTooSlow: WhenTooSlow;
  /** Without it, clients append with one call each, as they do to old servers. */
  readonly batchAppend: boolean;
}

const MAX_APPEND_SIZE = 1_048_576;
const UNIMPLEMENTED = 12;

const start = async (options: ServerOptions): Promise<number> => {
  const log = new EventLog({ ...options, firstPosition: BigInt(options.firstPosition) });
  const faults = new Faults();
  const subscriptions = new Subscriptions(log, faults, options.whenTooSlow);
  const unsupported = (_call: unknown, answer: (error: Error) => void): void =>
    answer(failure(UNIMPLEMENTED, 'not in the stand-in'));

  const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
  server.addService(streamsGrpc.StreamsService, {
    ...appendCalls(log, faults, MAX_APPEND_SIZE),
    read: readCall(log, faults, subscriptions),
    delete: unsupported,
    tombstone: unsupported,
  });
  server.addService(serverFeaturesGrpc.ServerFeaturesService, {
    getSupportedMethods: (_call: unknown, answer: (error: null, methods: serverFeatures.SupportedMethods) => void) =>
      answer(null, supportedMethods(options.batchAppend)),
  });

  process.on('message', (control: Control) => {
    obey(control, log, faults, subscriptions);
    process.send?.({
      events: log.events.length,
      openSubscriptions: subscriptions.count,
      slowDrops: faults.slowDrops,
      calls: faults.calls,
    } satisfies Report);
  });
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${options.port}`, ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
};

const supportedMethods = (batchAppend: boolean): serverFeatures.SupportedMethods => {
  const streams = 'event_store.client.streams.streams';
  const method = (name: string): serverFeatures.SupportedMethod =>
    new serverFeatures.SupportedMethod().setMethodName(name).setServiceName(streams);
  return new serverFeatures.SupportedMethods()
    .setEventStoreServerVersion('23.10.6')
    .setMethodsList(['read', 'append', ...(batchAppend ? ['batchappend'] : [])].map(method));
};

const obey = (control: Control, log: EventLog, faults: Faults, subscriptions: Subscriptions): void => {
  switch (control.order) {
    case 'not-ready':
      faults.notReadyCalls = control.calls;
      break;
    case 'lose-answers':
      faults.lostAnswers = control.appends;
      break;
    case 'die-after-commits':
      faults.commitsToLive = control.appends;
      break;
    case 'end-subscriptions':
      subscriptions.endAll(control.how);
      break;
    case 'scavenge':
      log.scavenge();
      break;
    case 'system-events':
      for (let n = 0; n < control.count; n++) log.writeSystemEvent();
      break;
    case 'report':
      break;
  }
};

process.on('disconnect', () => process.exit()); // never outlives the test that started it
const port = await start(JSON.parse(process.argv[2] ?? '{}') as ServerOptions);
process.send?.({ port });
