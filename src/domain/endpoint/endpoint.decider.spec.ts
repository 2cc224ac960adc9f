import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/events.js';
import { consoleEndpointId } from './console-endpoint.js';
import { endpoint } from './endpoint.decider.js';
import type { DisabledBy, EndpointEvent, EndpointSettings } from './endpoint.events.js';

const HOUR = 3_600_000;
const T = Date.UTC(2025, 2, 14, 12);
const endpointId = 'ep_1';
const settings: EndpointSettings = {
  name: 'Newsroom',
  projectIds: ['prj_1'],
  minInterval: 10,
  requireSignature: false,
  requireTimestamp: false,
  ipAllowlist: [],
  verboseDiscovery: false,
  requiresApproval: false,
};
const created: EndpointEvent = {
  type: 'EndpointCreated',
  data: {
    endpointId,
    ownerId: 'own_1',
    slug: 's1',
    mode: 'live',
    tokenHash: 'a1',
    signingSecretId: 'sec_1',
    settings,
  },
};
const disabled = (by: DisabledBy): EndpointEvent => ({
  type: 'EndpointDisabled',
  data: { endpointId, by, reason: by },
});
const disable = (by: DisabledBy) => ({ type: 'DisableEndpoint', endpointId, by, reason: by }) as const;
const enabled: EndpointEvent = { type: 'EndpointEnabled', data: { endpointId } };

describe('an endpoint', () => {
  it('is created with a slug and one token, of which only the hash is stored (D-12)', () =>
    spec(endpoint)
      .given([])
      .when({ type: 'CreateEndpoint', ...created.data })
      .then([created]));

  it('of the console may be opened by a key that may only post, and nothing else may be created or changed by it', () => {
    const create = { type: 'CreateEndpoint', ...created.data } as const;
    const id = consoleEndpointId('own_1', 3);
    const scopes = [
      { ...create, endpointId: id },
      { type: 'AddProjects', endpointId: id, projectIds: [] } as const,
      { ...create, endpointId: id, ownerId: 'own_2' },
      create,
      { type: 'ChangeEndpoint', endpointId: id, settings: {} } as const,
      { type: 'DeleteEndpoint', endpointId: id } as const,
    ].map((command) => endpoint.scopeOf!(command));
    expect(scopes).toEqual(['post', 'post', 'manage', 'manage', 'manage', 'manage']);
  });

  it('cannot be created twice', () =>
    spec(endpoint)
      .given([created])
      .when({ type: 'CreateEndpoint', ...created.data })
      .thenRejected('already_exists'));

  it.each([
    { type: 'ChangeEndpoint', endpointId, settings: { name: null } },
    { type: 'RotateToken', endpointId, tokenHash: 'b2' },
    { type: 'RotateSlug', endpointId, slug: 's2', at: T },
    { type: 'RotateSigningSecret', endpointId, signingSecretId: 'sec_2', previousUntil: T },
    disable('owner'),
    { type: 'EnableEndpoint', endpointId },
  ] as const)('rejects $type if it does not exist', (command) =>
    spec(endpoint).given([]).when(command).thenRejected('not_found'),
  );

  it('does not exist without its first event', () =>
    spec(endpoint)
      .given([disabled('owner')])
      .when({ type: 'EnableEndpoint', endpointId })
      .thenRejected('not_found'));
});

describe('changing the settings of an endpoint', () => {
  it('appends the settings that change, and no others', () =>
    spec(endpoint)
      .given([created])
      .when({
        type: 'ChangeEndpoint',
        endpointId,
        settings: { ...settings, name: null, projectIds: ['prj_1', 'prj_2'], requireSignature: true },
      })
      .then([
        {
          type: 'EndpointChanged',
          data: { endpointId, settings: { name: null, projectIds: ['prj_1', 'prj_2'], requireSignature: true } },
        },
      ]));

  it('appends nothing if nothing changes', () =>
    spec(endpoint).given([created]).when({ type: 'ChangeEndpoint', endpointId, settings }).then([]));

  it('keeps a setting that was not sent', () =>
    spec(endpoint)
      .given([created])
      .when({ type: 'ChangeEndpoint', endpointId, settings: { name: undefined, minInterval: 5 } })
      .then([{ type: 'EndpointChanged', data: { endpointId, settings: { minInterval: 5 } } }]));

  it('compares with the current settings, including those not changed since', () =>
    spec(endpoint)
      .given([created, { type: 'EndpointChanged', data: { endpointId, settings: { ipAllowlist: ['10.0.0.0/8'] } } }])
      .when({ type: 'ChangeEndpoint', endpointId, settings: { ...settings, ipAllowlist: ['10.0.0.0/8'] } })
      .then([]));

  it('treats another order of the same projects as a change, as the first sets the processing (D-27)', () =>
    spec(endpoint)
      .given([created, { type: 'EndpointChanged', data: { endpointId, settings: { projectIds: ['prj_1', 'prj_2'] } } }])
      .when({ type: 'ChangeEndpoint', endpointId, settings: { projectIds: ['prj_2', 'prj_1'] } })
      .then([{ type: 'EndpointChanged', data: { endpointId, settings: { projectIds: ['prj_2', 'prj_1'] } } }]));
});

describe('rotating the token and the signing secret of an endpoint', () => {
  it('a new token replaces the old one at once (publish-api.md: Authentication, 3)', () => {
    const rotated: EndpointEvent = { type: 'EndpointTokenRotated', data: { endpointId, tokenHash: 'b2' } };
    spec(endpoint).given([created]).when({ type: 'RotateToken', endpointId, tokenHash: 'b2' }).then([rotated]);
    expect(fold(endpoint, [created, rotated])).toMatchObject({ tokenHash: 'b2', slug: 's1', mode: 'live' });
  });

  it('a secret stays valid for the overlap; the next rotation keeps the newest as the previous one (D-40)', () => {
    const rotated: EndpointEvent = {
      type: 'EndpointSecretRotated',
      data: { endpointId, signingSecretId: 'sec_2', previousSecretId: 'sec_1', previousUntil: T + HOUR },
    };
    spec(endpoint)
      .given([created])
      .when({ type: 'RotateSigningSecret', endpointId, signingSecretId: 'sec_2', previousUntil: T + HOUR })
      .then([rotated]);
    spec(endpoint)
      .given([created, rotated])
      .when({ type: 'RotateSigningSecret', endpointId, signingSecretId: 'sec_3', previousUntil: T + 2 * HOUR })
      .then([
        {
          type: 'EndpointSecretRotated',
          data: { endpointId, signingSecretId: 'sec_3', previousSecretId: 'sec_2', previousUntil: T + 2 * HOUR },
        },
      ]);
  });
});

describe('rotating the slug of an endpoint (publish-api.md: Inbound endpoint)', () => {
  const rotated = (slug: string, at: number): EndpointEvent => ({
    type: 'EndpointSlugRotated',
    data: { endpointId, slug, at },
  });
  const rotate = (at: number) => ({ type: 'RotateSlug', endpointId, slug: 's3', at }) as const;

  it('needs no wait the first time', () =>
    spec(endpoint)
      .given([created])
      .when({ type: 'RotateSlug', endpointId, slug: 's2', at: T })
      .then([rotated('s2', T)]));

  it('is rejected until 24 hours have passed, with the moment at which it is possible', () => {
    const figures = { retry_at: '2025-03-15T12:00:00.000Z' };
    spec(endpoint)
      .given([created, rotated('s2', T)])
      .when(rotate(T))
      .thenRejected('cooldown', figures);
    spec(endpoint)
      .given([created, rotated('s2', T)])
      .when(rotate(T + 24 * HOUR - 1))
      .thenRejected('cooldown', figures);
  });

  it('is possible again after 24 hours', () =>
    spec(endpoint)
      .given([created, rotated('s2', T)])
      .when(rotate(T + 24 * HOUR))
      .then([rotated('s3', T + 24 * HOUR)]));

  it('counts from the last rotation, not from the first', () =>
    spec(endpoint)
      .given([created, rotated('s2', T), rotated('s3', T + 24 * HOUR)])
      .when(rotate(T + 47 * HOUR))
      .thenRejected('cooldown', { retry_at: '2025-03-16T12:00:00.000Z' }));

  it('keeps the token and the projects', () =>
    expect(fold(endpoint, [created, rotated('s2', T)])).toMatchObject({ slug: 's2', tokenHash: 'a1', settings }));

  it('is not delayed by a rotation of the token', () =>
    spec(endpoint)
      .given([created, { type: 'EndpointTokenRotated', data: { endpointId, tokenHash: 'b2' } }])
      .when(rotate(T))
      .then([rotated('s3', T)]));
});

describe('disabling and enabling an endpoint (D-8)', () => {
  it.each(['owner', 'rate_limits', 'plan'] as const)('%s disables it', (by) =>
    spec(endpoint)
      .given([created])
      .when(disable(by))
      .then([disabled(by)]),
  );

  it.each([
    ['rate_limits', 'rate_limits'],
    ['rate_limits', 'plan'],
    ['plan', 'rate_limits'],
    ['plan', 'plan'],
    ['owner', 'rate_limits'],
    ['owner', 'plan'],
    ['owner', 'owner'],
  ] as const)('disabled by %s, it is not disabled again by %s', (first, second) =>
    spec(endpoint)
      .given([created, disabled(first)])
      .when(disable(second))
      .then([]),
  );

  it.each(['rate_limits', 'plan'] as const)("disabled by %s, the owner's reason replaces it", (guard) =>
    spec(endpoint)
      .given([created, disabled(guard)])
      .when(disable('owner'))
      .then([disabled('owner')]),
  );

  it("an owner's reason that replaced an automatic one remains", () =>
    spec(endpoint)
      .given([created, disabled('rate_limits'), disabled('owner')])
      .when(disable('owner'))
      .then([]));

  it.each(['owner', 'rate_limits', 'plan'] as const)('disabled by %s, it is enabled manually', (by) =>
    spec(endpoint)
      .given([created, disabled(by)])
      .when({ type: 'EnableEndpoint', endpointId })
      .then([enabled]),
  );

  it('is enabled only if it is disabled', () => {
    spec(endpoint).given([created]).when({ type: 'EnableEndpoint', endpointId }).then([]);
    spec(endpoint)
      .given([created, disabled('plan'), enabled])
      .when({ type: 'EnableEndpoint', endpointId })
      .then([]);
  });

  it('can be disabled again after it was enabled', () =>
    spec(endpoint)
      .given([created, disabled('owner'), enabled])
      .when(disable('rate_limits'))
      .then([disabled('rate_limits')]));
});

describe('the deletion of an endpoint (management-api.md: DELETE)', () => {
  const deleted: EndpointEvent = { type: 'EndpointDeleted', data: { endpointId } };

  it('is an event, once, after which every command is one to nothing', () => {
    spec(endpoint).given([created]).when({ type: 'DeleteEndpoint', endpointId }).then([deleted]);
    for (const command of [
      { type: 'DeleteEndpoint', endpointId },
      { type: 'EnableEndpoint', endpointId },
      { type: 'ChangeEndpoint', endpointId, settings: { name: 'Mine' } },
      { type: 'RotateToken', endpointId, tokenHash: 'b2' },
      { type: 'RotateSlug', endpointId, slug: 's2', at: T },
      { type: 'RemoveProjects', endpointId, projectIds: ['prj_1'] },
      disable('plan'),
    ] as const)
      spec(endpoint).given([created, deleted]).when(command).thenRejected('not_found');
  });

  it('of a project takes it out of the endpoint, once', () => {
    const changed: EndpointEvent = { type: 'EndpointChanged', data: { endpointId, settings: { projectIds: [] } } };
    const command = { type: 'RemoveProjects', endpointId, projectIds: ['prj_1', 'prj_9'] } as const;
    spec(endpoint).given([created]).when(command).then([changed]);
    spec(endpoint).given([created, changed]).when(command).then([]);
  });
});
