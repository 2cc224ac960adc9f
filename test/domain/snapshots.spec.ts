import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { channel } from '../../src/domain/channel/channel.decider.js';
import { channelEvents } from '../../src/domain/channel/channel.events.js';
import { endpoint } from '../../src/domain/endpoint/endpoint.decider.js';
import { endpointEvents } from '../../src/domain/endpoint/endpoint.events.js';
import { owner } from '../../src/domain/owner/owner.decider.js';
import { ownerEvents } from '../../src/domain/owner/owner.events.js';
import { project } from '../../src/domain/project/project.decider.js';
import { projectEvents } from '../../src/domain/project/project.events.js';
import { type Decider, type DomainEvent, fold } from '../../src/kernel/events.js';
import { isRejection } from '../../src/kernel/result.js';
import { samples } from './samples.js';

interface Aggregate {
  readonly decider: Decider<object, unknown, DomainEvent, string>;
  readonly events: object;
  readonly create: object;
  /** Commands to the aggregate, made of small numbers so that they collide. */
  readonly commands: fc.Arbitrary<object>;
}

const id = 'x_1';
const n = fc.nat(3);
const text = fc.constantFrom('', 'A', 'Анна "A." 🌷', '__proto__');
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => ({ value }));
const of = (type: string, fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ ...fields, type: fc.constant(type) });

const ofOwner = { ownerId: fc.constant(id) };
const ofChannel = { channelId: fc.constant(id) };
const ofProject = { projectId: fc.constant(id) };
const ofEndpoint = { endpointId: fc.constant(id) };
const address = fc.record({ chat_id: text });
const settings = fc.record(
  {
    name: fc.option(text),
    projectIds: fc.array(text, { maxLength: 3 }),
    minInterval: n,
    requireSignature: fc.boolean(),
    requireTimestamp: fc.boolean(),
    ipAllowlist: fc.array(text, { maxLength: 2 }),
    verboseDiscovery: fc.boolean(),
    requiresApproval: fc.boolean(),
    allowChanges: fc.boolean(),
  },
  { requiredKeys: [] },
);
const by = fc.constantFrom('owner', 'rate_limits', 'plan');
const attention = fc.record({ code: text, message: text });

const aggregates: Aggregate[] = [
  {
    decider: owner,
    events: ownerEvents,
    create: { type: 'RegisterOwner', ownerId: id, name: 'A', plan: 'free', keyHash: 'a1' },
    commands: fc.oneof(
      of('ChangeOwner', { ...ofOwner, name: optional(text), plan: optional(fc.constantFrom('free', 'pro')) }),
      of('RotateOwnerKey', { ...ofOwner, keyHash: text }),
      of('SetNoticeChat', { ...ofOwner, chatId: text, secretId: text }),
      of('RemoveNoticeChat', ofOwner),
      of('AddPostPack', { ...ofOwner, posts: n }),
      of('DeleteOwner', ofOwner),
    ),
  },
  {
    decider: channel,
    events: channelEvents,
    create: {
      type: 'ConnectChannel',
      channelId: id,
      ownerId: 'own_1',
      platform: 'ok',
      name: 'A',
      address: { group_id: '1' },
      credentialsId: 's0',
      settings: {},
    },
    commands: fc.oneof(
      of('ChangeChannel', {
        ...ofChannel,
        name: optional(text),
        settings: optional(json),
        enabled: optional(fc.boolean()),
        credentials: optional(fc.record({ credentialsId: text, address })),
      }),
      of('MoveChannel', { ...ofChannel, address }),
      of('DeleteChannel', ofChannel),
      of('FlagChannel', { ...ofChannel, credentialsId: text, at: n, acceptedAt: n, attention }),
    ),
  },
  {
    decider: project,
    events: projectEvents,
    create: { type: 'CreateProject', projectId: id, ownerId: 'own_1', name: 'A', channelIds: [], processing: {} },
    commands: fc.oneof(
      of('ChangeProject', {
        ...ofProject,
        name: optional(text),
        channelIds: optional(fc.array(text, { maxLength: 3 })),
        processing: optional(json),
      }),
      of('RemoveChannels', { ...ofProject, channelIds: fc.array(text, { maxLength: 2 }) }),
      of('DeleteProject', ofProject),
    ),
  },
  {
    decider: endpoint,
    events: endpointEvents,
    create: {
      type: 'CreateEndpoint',
      endpointId: id,
      ownerId: 'own_1',
      slug: 's',
      mode: 'live',
      tokenHash: 'a',
      signingSecretId: 's0',
      settings: { name: null, projectIds: [], ipAllowlist: [] },
    },
    commands: fc.oneof(
      of('ChangeEndpoint', { ...ofEndpoint, settings }),
      of('RotateToken', { ...ofEndpoint, tokenHash: text }),
      of('RotateSlug', { ...ofEndpoint, slug: text, at: n.map((day) => day * 90_000_000) }),
      of('RotateSigningSecret', { ...ofEndpoint, signingSecretId: text, previousUntil: n }),
      of('DisableEndpoint', { ...ofEndpoint, by, reason: text }),
      of('EnableEndpoint', ofEndpoint),
      of('RemoveProjects', { ...ofEndpoint, projectIds: fc.array(text, { maxLength: 2 }) }),
      of('DeleteEndpoint', ofEndpoint),
    ),
  },
];

/** Returns a value as the store or the table of snapshots returns it. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const runs = { seed: 110, numRuns: process.env.TEST_LONG ? 10_000 : 300 };

describe.each(aggregates.map((aggregate) => ({ category: aggregate.decider.category, ...aggregate })))(
  'a snapshot of the aggregate $category',
  ({ category, decider, events: types, create, commands }) => {
    it('and the events after it give the state that all events give, at any cut of any history', () =>
      fc.assert(
        fc.property(fc.array(commands, { maxLength: 30 }), fc.nat(), (history, where) => {
          const events: DomainEvent[] = [];
          let state = decider.initial;
          for (const command of [create, ...history]) {
            const decided = decider.decide(command, state);
            if (isRejection(decided)) continue;
            events.push(...decided.map(stored));
            state = fold(decider, events);
          }
          const cut = where % (events.length + 1);
          const snapshot = stored(fold(decider, events.slice(0, cut)));
          const continued = events.slice(cut).reduce((folded, event) => decider.evolve(folded, event), snapshot);
          expect(continued).toStrictEqual(state);
        }),
        runs,
      ));

    // A failure means that states differ from those in snapshots of this version: raise the decider's `snapshotVersion`, then
    // write the new file with WRITE_GOLDEN=1.
    it('has the form of its version', () => {
      const history = Object.keys(types).map((type) => stored({ type, data: samples[type]!.at(-1) }));
      const file = new URL(`./snapshots/${category}.v${decider.snapshotVersion}.json`, import.meta.url);
      const state = stored(fold(decider, history as DomainEvent[]));
      if (process.env.WRITE_GOLDEN && !existsSync(file)) writeFileSync(file, `${JSON.stringify(state, null, 2)}\n`);
      expect(state).toStrictEqual(JSON.parse(readFileSync(file, 'utf8')));
    });
  },
);
