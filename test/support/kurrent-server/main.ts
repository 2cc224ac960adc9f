/**
 * A stand-in for KurrentDB / EventStoreDB, for tests only: a gRPC server built on the stubs that the official client
 * publishes. It runs in its own process, so that it can be killed and frozen.
 *
 * It behaves like EventStoreDB 23.10.6, as observed on that server and read in its source:
 * - `BatchAppend`, with idempotency by event id. Identical events or a prefix return the first result; longer, mixed or
 *   reordered ones are answered with a wrong expected version. `any` forgets ids at a restart. The position is missing
 *   if retention has removed the events. An append holds at most 1 MiB.
 * - An append is answered once it is replicated. A copy that arrives before that is dropped, and the server says after
 *   its time limit of 2 s that the deadline was exceeded.
 * - Positions that are neither dense nor small. System events interleaved in $all, one of them without `$` in its type.
 * - `$maxCount`, which only stream reads apply, deletion with and without a tombstone, and scavenging, which keeps the
 *   last event of each stream.
 * - Inclusive and exclusive bounds; `start` and `end` that override the direction; reads that do not start at a record
 *   are rejected; filters; a checkpoint per 32 scanned events times the interval; `caughtUp` without a position.
 * - Live consumers that are more than 32 events behind are dropped with the original error (or sent back to catch-up,
 *   as from 24.10 on). A subscription from a scavenged event skips the next one. "Server Is Not Ready" in its three
 *   forms.
 * - Access denied in its two forms, which do not depend on whether the stream exists or has the expected revision.
 * - Gossip, as a single node answers it: clients with `+discover` or several addresses find it.
 *
 * Not implemented: clusters of several nodes, TLS, users, links, $maxAge, persistent subscriptions, projections, fsync.
 */
import { Server, ServerCredentials } from '@grpc/grpc-js';
import gossipGrpc from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/gossip_grpc_pb.js';
import gossip from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/gossip_pb.js';
import serverFeaturesGrpc from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/serverfeatures_grpc_pb.js';
import serverFeatures from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/serverfeatures_pb.js';
import shared from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/shared_pb.js';
import streamsGrpc from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import { createAppendCall, createDeleteCall, createTombstoneCall } from './append-calls.js';
import { EventLog } from './event-log.js';
import { Faults, type Report, type ServerCommand } from './faults.js';
import { createReadCall } from './read-call.js';
import { Replication } from './replication.js';
import { type SlowConsumerPolicy, Subscriptions } from './subscriptions.js';

/** Options of the process, passed as its only argument in JSON. */
export interface ServerOptions {
  readonly file: string;
  readonly port: number;
  readonly firstPosition: string;
  readonly systemEventEvery: number;
  readonly slowConsumerPolicy: SlowConsumerPolicy;
}

const MAX_APPEND_SIZE = 1_048_576;

const startServer = async (options: ServerOptions): Promise<void> => {
  const log = new EventLog({ ...options, firstPosition: BigInt(options.firstPosition) });
  const faults = new Faults();
  const subscriptions = new Subscriptions(log, faults, options.slowConsumerPolicy);

  const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
  server.addService(streamsGrpc.StreamsService, {
    batchAppend: createAppendCall(log, new Replication(faults), faults, MAX_APPEND_SIZE),
    read: createReadCall(log, faults, subscriptions),
    delete: createDeleteCall(log, faults),
    tombstone: createTombstoneCall(log, faults),
  });
  server.addService(gossipGrpc.GossipService, {
    read: (_call: unknown, answer: (error: null, info: gossip.ClusterInfo) => void) =>
      answer(null, clusterOfOne(options.port)),
  });
  server.addService(serverFeaturesGrpc.ServerFeaturesService, {
    getSupportedMethods: (_call: unknown, answer: (error: null, methods: serverFeatures.SupportedMethods) => void) =>
      answer(null, supportedMethods()),
  });

  process.on('message', (command: ServerCommand) => {
    applyCommand(command, log, faults, subscriptions);
    process.send?.({
      events: log.events.length,
      openSubscriptions: subscriptions.count,
      slowDrops: faults.slowDrops,
      droppedCopies: faults.droppedCopies,
      calls: faults.calls,
    } satisfies Report);
  });
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${options.port}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
};

/** Returns the gossip of a single node: it is the leader of a cluster without other nodes. */
const clusterOfOne = (port: number): gossip.ClusterInfo =>
  new gossip.ClusterInfo().setMembersList([
    new gossip.MemberInfo()
      .setInstanceId(new shared.UUID().setString(crypto.randomUUID()))
      .setTimeStamp(String(Date.now()))
      .setState(gossip.MemberInfo.VNodeState.LEADER)
      .setIsAlive(true)
      .setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(port)),
  ]);

const supportedMethods = (): serverFeatures.SupportedMethods => {
  const streams = 'event_store.client.streams.streams';
  const method = (name: string): serverFeatures.SupportedMethod =>
    new serverFeatures.SupportedMethod().setMethodName(name).setServiceName(streams);
  return new serverFeatures.SupportedMethods()
    .setEventStoreServerVersion('23.10.6')
    .setMethodsList(['read', 'batchappend'].map(method));
};

const applyCommand = (command: ServerCommand, log: EventLog, faults: Faults, subscriptions: Subscriptions): void => {
  switch (command.command) {
    case 'not-ready':
      faults.notReadyCalls = command.calls;
      break;
    case 'unknown-batches':
      faults.areBatchesUnknown = command.isUnknown;
      break;
    case 'lose-responses':
      faults.responsesToLose = command.appends;
      break;
    case 'die-after-commits':
      faults.commitsUntilKill = command.appends;
      break;
    case 'end-subscriptions':
      subscriptions.endAll(command.how);
      break;
    case 'scavenge':
      log.scavenge();
      break;
    case 'system-events':
      for (let n = 0; n < command.count; n++) log.writeSystemEvent();
      break;
    case 'replicate-after':
      faults.replicateAfterMs = command.ms;
      break;
    case 'deny':
      faults.denied = command.calls;
      break;
    case 'report':
      break;
  }
};

process.on('disconnect', () => process.exit()); // the process must not outlive its test
await startServer(JSON.parse(process.argv[2] ?? '{}') as ServerOptions);
process.send?.('listening');
