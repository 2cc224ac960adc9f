/**
 * Import rules, denied by default: a part of src/ may import its own files and the places listed here, and nothing else.
 * A folder that is not listed may import nothing. Each part carries the reason for its limits; `npm run check` refuses a
 * violation, and test/architecture/import-rules.spec.ts proves that the refusals work.
 */
const specs = '\\.spec\\.ts$';

/** The read side: all that code outside src/projections may use of it. */
const READ_SIDE = [
  '^src/projections/[^/]+/[^/]+\\.(queries|tables)\\.ts$',
  '^src/projections/engine/progress\\.ts$',
  '^src/projections/posts/post-payloads\\.ts$',
  '^src/sagas/engine/saga-status\\.queries\\.ts$',
];

/** The domain's vocabulary: events, the types in them, the bounds of D-20, and the rule of the monthly quota. Deciders stay behind the commands. */
const EVENTS = [
  '^src/domain/[^/]+/[^/]+\\.events\\.ts$',
  '^src/domain/project/processing\\.ts$',
  '^src/domain/owner/monthly-quota\\.ts$',
  '^src/domain/publication/retry-limits\\.ts$',
];

/** The event store's port, without its adapters. */
const EVENT_STORE = ['^src/event-store/[^/]+\\.ts$'];

/** The contract between generic code and the networks: what a network is, without the list of networks. */
const PLATFORM_PORT = ['^src/platforms/(publisher|platform-catalogue|messages)\\.ts$'];

/** Rules about addresses and URLs that are pure: they make no calls. */
const URL_RULES = ['^src/outbound-http/url-rules\\.ts$'];

const part = (name) => `^src/${name}/`;

/** Each part of src/: why its imports are limited, and what it may import beside itself. */
const PARTS = {
  kernel: { why: 'Everything rests on the kernel; it rests on nothing.', may: [] },
  runtime: { why: 'Services that any Node program needs know nothing of posts.', may: [part('kernel')] },
  config: {
    why: 'Settings are read before anything else exists; plans have their names from the domain.',
    may: [part('kernel'), '^src/domain/owner/owner\\.events\\.ts$'],
  },
  validation: {
    why: 'Checks of a body are pure and shared by every interface; they know no kind of body.',
    may: [part('kernel'), part('runtime')],
  },
  payload: {
    why: 'The payload is shared by publishing, sandbox, tools and webhooks: it knows no interface.',
    may: [part('kernel'), part('validation'), ...URL_RULES],
  },
  domain: {
    why: 'Deciders are pure: no store, clock or network may leak into a decision.',
    may: [part('kernel'), part('payload')],
  },
  'outbound-http': {
    why: 'The guarded client calls hosts for anybody: it knows no use of what it fetches.',
    may: [part('kernel'), part('runtime'), part('validation')],
  },
  secrets: {
    why: 'The vault encrypts and stores; it knows no owner of a secret.',
    may: [
      part('kernel'),
      part('runtime'),
      '^src/postgres/(pool|tokens|unavailable)\\.ts$',
      '^src/jobs/job\\.ts$',
      '^src/event-store/(port|content-keys)\\.ts$', // for Unavailable, and what keys are for
    ],
  },
  jobs: {
    why: 'A job is kept and carried out whatever it does: its handlers are given to it.',
    may: [part('kernel'), part('runtime'), part('postgres')],
  },
  erasure: {
    why: 'Notes of what is to be erased are written by use cases and read by a saga; they know no meaning of a subject.',
    may: [part('kernel'), '^src/postgres/tokens\\.ts$'],
  },
  drafts: {
    why: 'Drafts are kept for people who write; until they are published, nothing else knows them.',
    may: [part('kernel'), '^src/postgres/(pool|tokens)\\.ts$'],
  },
  postgres: {
    why: 'The pool, leases and migrations know tables, not use cases.',
    may: [part('kernel'), part('runtime'), '^src/config/child-environment\\.ts$'],
  },
  'event-store': {
    why: 'The store keeps events; it decides nothing.',
    may: [part('kernel'), part('runtime'), '^src/postgres/(binary-array|tokens|unavailable)\\.ts$'],
  },
  limits: {
    why: 'The database evaluates limits, from plan figures and usage.',
    may: [part('kernel'), part('runtime'), part('config'), ...EVENTS, part('postgres'), ...READ_SIDE],
  },
  health: {
    why: 'Health reads ports; it changes nothing. Its answers have the form of every other answer, also on its own listener.',
    may: [
      part('kernel'),
      part('runtime'),
      part('config'),
      ...EVENT_STORE,
      ...READ_SIDE,
      part('postgres'),
      '^src/secrets/tokens\\.ts$',
      '^src/media/helper\\.ts$',
      '^src/api/transport/(client-errors|headers|problem\\.view)\\.ts$',
    ],
  },
  projections: {
    why: 'A read model is folded from events alone, so that it can be rebuilt and never sends anything.',
    may: [
      part('kernel'),
      part('runtime'),
      '^src/payload/(payload|excerpt|search-words)\\.ts$',
      ...EVENTS,
      ...EVENT_STORE,
      part('postgres'),
      '^src/jobs/(job|job-table)\\.ts$',
    ],
  },
  commands: {
    why: 'A use case talks to deciders, the store and queries; never to HTTP, a network or a saga.',
    may: [
      '^src/config/(tokens|limits-profile)\\.ts$',
      part('kernel'),
      part('runtime'),
      part('payload'),
      part('domain'),
      ...EVENT_STORE,
      ...READ_SIDE,
      '^src/projections/engine/rebuild/(rebuilds|decisions)\\.ts$',
      '^src/jobs/(job|job-table)\\.ts$',
      '^src/limits/resource-reservations\\.ts$',
      part('uploads'),
      '^src/postgres/tokens\\.ts$', // holds of uploads (ADR-375)
      part('erasure'),
      part('secrets'),
    ],
  },
  history: {
    why: 'History reads streams and changes nothing but the transparency log, and an empty store that it fills by an import; its folds are pure and know no decision.',
    may: [
      part('kernel'),
      part('runtime'),
      '^src/payload/payload\\.ts$',
      ...EVENTS,
      ...EVENT_STORE,
      ...READ_SIDE,
      part('secrets'),
      '^src/postgres/(pool|tokens)\\.ts$',
      '^src/jobs/job\\.ts$',
    ],
  },
  changes: {
    why: 'The feed of changes follows the log for its listeners: it writes nothing and knows no interface.',
    may: [
      part('kernel'),
      part('runtime'),
      ...EVENTS,
      ...EVENT_STORE,
      ...READ_SIDE,
      '^src/projections/engine/projection\\.ts$', // for the token
    ],
  },
  media: {
    why: 'Media are fetched, checked and edited the same way for every network.',
    may: [part('kernel'), part('runtime'), part('validation'), '^src/payload/payload\\.ts$', part('outbound-http')],
  },
  uploads: {
    why: 'Uploaded files are stored and read the same way for posts, answers and webhooks: the stores know no use of a file.',
    may: [
      part('kernel'),
      part('runtime'),
      part('validation'),
      '^src/config/(tokens|settings|media-settings)\\.ts$',
      '^src/payload/(payload|uploads)\\.ts$',
      '^src/domain/media/media\\.decider\\.ts$',
      '^src/outbound-http/(answer-receiver|url-rules)\\.ts$',
      ...EVENTS,
      ...EVENT_STORE,
      ...READ_SIDE,
      '^src/postgres/tokens\\.ts$',
      part('media'),
    ],
  },
  platforms: {
    why: 'A publisher renders and sends; it neither stores nor decides.',
    may: [part('kernel'), part('runtime'), part('validation'), part('payload'), part('media')],
  },
  processing: {
    why: 'Processing is the same in the sandbox and in publishing: it knows neither, and no network.',
    may: [
      part('kernel'),
      part('runtime'),
      part('validation'),
      part('payload'),
      '^src/domain/project/processing\\.ts$',
      '^src/platforms/(publisher|outcomes)\\.ts$',
      part('outbound-http'),
      part('secrets'),
    ],
  },
  statistics: {
    why: 'Numbers of networks are facts outside the log: read through the publisher port, kept in tables of their own.',
    may: [
      part('kernel'),
      part('runtime'),
      '^src/config/(tokens|settings)\\.ts$',
      part('domain'),
      ...EVENT_STORE,
      part('postgres'),
      ...PLATFORM_PORT,
      ...READ_SIDE,
      part('secrets'),
    ],
  },
  sagas: {
    why: 'A saga drives commands and the publisher port; it knows no network by name.',
    may: [
      part('kernel'),
      part('runtime'),
      '^src/config/(tokens|settings|limits-profile)\\.ts$',
      part('domain'),
      part('payload'),
      part('commands'),
      ...EVENT_STORE,
      part('postgres'),
      '^src/history/transparency-log/',
      ...PLATFORM_PORT,
      ...READ_SIDE,
      part('drafts'),
      part('erasure'),
      part('secrets'),
      part('outbound-http'),
      part('media'),
      part('uploads'),
      part('processing'),
      part('statistics'),
    ],
  },
  api: {
    why: 'Interfaces translate; what they do goes through commands and queries.',
    may: [
      part('kernel'),
      part('runtime'),
      part('validation'),
      part('payload'),
      part('commands'),
      part('history'),
      part('changes'),
      part('drafts'),
      part('jobs'),
      ...EVENTS,
      '^src/domain/endpoint/console-endpoint\\.ts$',
      ...READ_SIDE,
      part('config'),
      '^src/event-store/(port|store-outage)\\.ts$',
      '^src/postgres/(unavailable|tokens|call-turns)\\.ts$',
      part('limits'),
      part('outbound-http'),
      part('media'),
      part('uploads'),
      part('processing'),
      part('secrets'),
      ...PLATFORM_PORT,
      part('statistics'),
      part('health'),
    ],
  },
  language: {
    why: 'Answers are translated where they are written, from their text alone: it knows every message, and what makes none.',
    may: [
      '/messages\\.ts$',
      part('kernel'),
      '^src/platforms/[^/]+/(change-)?errors\\.ts$',
      '^src/processing/translation/errors\\.ts$',
      '^src/api/transport/problem\\.view\\.ts$',
    ],
  },
  cli: {
    why: 'The command line is a client of the HTTP API, through the typed client: it knows nothing else of a gateway.',
    may: ['^src/kernel/message\\.ts$', '^src/config/command-line\\.ts$'],
  },
  app: { why: 'The composition root wires everything.', may: ['^src/'] },
};

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(PARTS).map(([name, { why, may }]) =>
      rule(name, why, { path: part(name), pathNot: specs }, { path: '^src/', pathNot: [part(name), ...may] }),
    ),
    rule(
      'unlisted-folder',
      'A folder of src/ without an entry in PARTS may import nothing: decide what it may know, and write down why.',
      { path: '^src/[^/]+/', pathNot: Object.keys(PARTS).map(part) },
      { path: '^src/' },
    ),
    rule(
      'main',
      'main.ts starts the program and contains nothing else.',
      { path: '^src/[^/]+\\.ts$' },
      {
        path: '^src/',
        pathNot: ['^src/app/', '^src/config/'],
      },
    ),
    rule(
      'no-circular',
      'Two files that import each other cannot be understood or tested apart.',
      {},
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    ),
    rule(
      'domain-uses-no-library',
      'A decision must be replayable for ever; a library behind it would change under it.',
      { path: '^src/(domain|kernel)/', pathNot: specs },
      { dependencyTypes: ['npm'], pathNot: ['uuid'] },
    ),
    rule(
      'platforms-are-islands',
      'The needs of one network must never change another.',
      { path: '^src/platforms/([^/]+)/' },
      { path: '^src/platforms/([^/]+)/', pathNot: '^src/platforms/$1/' },
    ),
    rule(
      'networks-through-their-descriptors',
      'A network is one folder. Code outside the folder reaches it through its descriptor, which the catalogue lists.',
      { path: '^src/', pathNot: [specs, '^src/platforms/[^/]+/', '^src/platforms/catalogue\\.ts$', part('language')] },
      { path: '^src/platforms/[^/]+/' },
    ),
    rule(
      'catalogue-lists-descriptors',
      'The catalogue of networks needs nothing of a network but its descriptor.',
      { path: '^src/platforms/catalogue\\.ts$' },
      { path: '^src/platforms/[^/]+/', pathNot: '/descriptor\\.ts$' },
    ),
    rule(
      'stand-ins-stand-alone',
      'A stand-in that shared code with its publisher would share its mistakes.',
      { path: '^stand-ins/' },
      { path: '^(src|test|bench|scripts|clients|console)/' },
    ),
    rule(
      'stand-ins-are-islands',
      'A stand-in is one folder: the others, the kit and the walls do not know it. Its catalogue lists its descriptor.',
      { path: '^stand-ins/([^/]+)/' },
      { path: '^stand-ins/([^/]+)/', pathNot: '^stand-ins/($1|kit|walls)/' },
    ),
    rule(
      'program-without-stand-ins',
      'The program runs against the real networks: only the composition root starts a stand-in, for the demo.',
      { path: '^src/', pathNot: part('app') },
      { path: '^stand-ins/' },
    ),
    rule(
      'stand-ins-through-their-descriptors',
      'The demo starts a stand-in through its descriptor, which the catalogue of stand-ins lists.',
      { path: part('app') },
      { path: '^stand-ins/', pathNot: '^stand-ins/((kit|walls)/|catalogue\\.ts$)' },
    ),
    rule(
      'event-store-adapters-apart',
      'Adapters meet in the port and nowhere else.',
      { path: '^src/event-store/(postgres|kurrentdb)/' },
      { path: '^src/event-store/(postgres|kurrentdb)/', pathNot: '^src/event-store/$1/' },
    ),
    rule(
      'library-internals-in-one-file',
      'What the adapter uses of its libraries beyond their public interfaces is in one file, whose spec fails if a new version differs.',
      { path: '^src/', pathNot: '^src/event-store/kurrentdb/library-internals\\.ts$' },
      {
        path: 'node_modules/(@grpc/grpc-js|@kurrent/kurrentdb-client)/(build|dist)/',
        pathNot: '/(build/src|dist)/index\\.(js|d\\.ts)$',
      },
    ),
    rule(
      'own-transport-behind-own-connection',
      'Calls over connections that gRPC-js does not make are opened in one place: own-connection.ts.',
      { path: '^src/', pathNot: [specs, '^src/event-store/kurrentdb/(own-connection|grpc-call)\\.ts$'] },
      { path: '^src/event-store/kurrentdb/grpc-(call|frames)\\.ts$' },
    ),
    rule(
      'public-and-management-apart',
      'The two interfaces share the transport, not each other.',
      { path: '^src/api/public/' },
      { path: '^src/api/management/' },
    ),
    rule(
      'client-stands-alone',
      'The client is installed by others, in Node and browsers: it has no dependencies, and no module of Node.',
      { path: '^clients/typescript/' },
      { pathNot: '^clients/typescript/' },
    ),
    rule(
      'console-uses-the-api',
      'The console knows the gateway through the typed client alone, and the walls through the rendering that they share.',
      { path: '^console/src/' },
      {
        path: '^(src|stand-ins|test|bench|scripts|clients)/',
        pathNot: ['^clients/typescript/src/index\\.ts$', '^stand-ins/(walls/|readers-views\\.ts$)'],
      },
    ),
    rule(
      'screens-are-islands',
      'A screen can be changed without a look at the others: shared parts lie beside the screens.',
      { path: '^console/src/screens/([^/]+)/' },
      { path: '^console/src/screens/([^/]+)/', pathNot: '^console/src/screens/$1/' },
    ),
    rule(
      'program-without-client',
      'The gateway does not call itself; its command line is a client.',
      { path: '^src/', pathNot: part('cli') },
      { path: '^(clients|console)/' },
    ),
    rule(
      'command-line-uses-the-client',
      'The command line sends its requests as every user of the typed client can.',
      { path: part('cli') },
      { path: '^(clients|console)/', pathNot: '^clients/typescript/src/index\\.ts$' },
    ),
    rule(
      'not-to-dev-dependency',
      'The program must not need what only developers install.',
      { path: '^(src|stand-ins)/', pathNot: specs },
      { dependencyTypes: ['npm-dev'], pathNot: ['@types/'] },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
