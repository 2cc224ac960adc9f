/**
 * Who may import whom. Each rule carries its reason; `npm run check` refuses a breach,
 * and test/architecture/import-rules.spec.ts proves that the refusals work.
 */
const specs = '(\\.spec|\\.properties)\\.ts$';
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
const only = (name, comment, from, allowed) =>
  rule(name, comment, { path: from, pathNot: specs }, { path: '^src/', pathNot: [from, ...allowed] });

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    rule(
      'no-circular',
      'A circle means two rooms that cannot be understood apart.',
      {},
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    ),
    only('kernel-stands-alone', 'The kernel is what everything rests on; it rests on nothing.', '^src/kernel/', []),
    only(
      'payload-is-pure',
      'The payload is shared by publishing, sandbox, tools and outbound: it may know no edge.',
      '^src/payload/',
      ['^src/kernel/'],
    ),
    only(
      'domain-is-pure',
      'Deciders are pure: no store, no clock, no network may leak into a decision.',
      '^src/domain/',
      ['^src/kernel/', '^src/payload/'],
    ),
    rule(
      'domain-uses-no-library',
      'A decision must be replayable for ever; a library behind it would change under it.',
      { path: '^src/(domain|kernel)/', pathNot: specs },
      { dependencyTypes: ['npm'], pathNot: ['uuid'] },
    ),
    only(
      'commands-orchestrate',
      'A use case speaks to deciders, the store and queries; never to HTTP, a platform or a saga.',
      '^src/commands/',
      [
        '^src/kernel/',
        '^src/payload/',
        '^src/domain/',
        '^src/event-store/',
        '^src/projections/[^/]+/[^/]+\\.queries\\.ts$',
        '^src/projections/progress\\.ts$',
        '^src/projections/[^/]+/[^/]+\\.tables\\.ts$',
        '^src/projections/posts/post-payloads\\.ts$',
        '^src/secrets/',
      ],
    ),
    only(
      'projections-see-events-only',
      'A read model is folded from events alone, so that it can be rebuilt.',
      '^src/projections/',
      [
        '^src/kernel/',
        '^src/payload/payload\\.ts$',
        '^src/domain/[^/]+/[^/]+\\.events\\.ts$',
        '^src/event-store/',
        '^src/postgres/',
      ],
    ),
    rule(
      'no-saga-from-projection',
      'A rebuild must never send a post: projections do not know that sagas exist.',
      { path: '^src/projections/' },
      { path: '^src/(sagas|platforms|commands|http|manage)/' },
    ),
    only(
      'sagas-through-ports',
      'A saga drives commands and the publisher port; it knows no network by name.',
      '^src/sagas/',
      [
        '^src/kernel/',
        '^src/domain/',
        '^src/payload/',
        '^src/commands/',
        '^src/event-store/',
        '^src/postgres/',
        '^src/platforms/(publisher|registry)\\.ts$',
        '^src/projections/[^/]+/[^/]+\\.queries\\.ts$',
        '^src/projections/progress\\.ts$',
        '^src/projections/[^/]+/[^/]+\\.tables\\.ts$',
        '^src/projections/posts/post-payloads\\.ts$',
        '^src/secrets/',
        '^src/media/',
        '^src/processing/',
      ],
    ),
    {
      name: 'platforms-are-islands',
      comment: 'What one network needs must never change another.',
      severity: 'error',
      from: { path: '^src/platforms/([^/]+)/' },
      to: { path: '^src/platforms/([^/]+)/', pathNot: '^src/platforms/$1/' },
    },
    only('platforms-see-the-port', 'A publisher renders and sends; it neither stores nor decides.', '^src/platforms/', [
      '^src/kernel/',
      '^src/payload/',
      '^src/media/',
    ]),
    only(
      'processing-is-rules',
      'What a project makes of a post is the same in the sandbox and in publishing: it knows neither, and no network.',
      '^src/processing/',
      [
        '^src/kernel/',
        '^src/payload/',
        '^src/domain/project/processing\\.ts$',
        '^src/platforms/publisher\\.ts$',
        '^src/media/(guarded-client|media-fetch-error)\\.ts$',
        '^src/secrets/',
      ],
    ),
    only(
      'edges-through-buses',
      'HTTP, management and tools translate; what they do goes through commands and queries.',
      '^src/(http|manage|tools)/',
      [
        '^src/(http|manage|tools)/',
        '^src/kernel/',
        '^src/payload/',
        '^src/commands/',
        // The domain's vocabulary: platforms, plans, what a setting may be. Deciders stay behind the commands.
        '^src/domain/[^/]+/[^/]+\\.events\\.ts$',
        '^src/domain/project/processing\\.ts$',
        '^src/projections/[^/]+/[^/]+\\.queries\\.ts$',
        '^src/projections/progress\\.ts$',
        '^src/projections/[^/]+/[^/]+\\.tables\\.ts$',
        '^src/projections/posts/post-payloads\\.ts$',
        '^src/config/',
        '^src/event-store/port\\.ts$',
        '^src/postgres/(unavailable|tokens)\\.ts$',
        '^src/limits/',
        '^src/media/',
        '^src/processing/',
        '^src/secrets/',
        '^src/platforms/(publisher|registry)\\.ts$',
        '^src/health/',
      ],
    ),
    rule(
      'stand-ins-stand-apart',
      'A stand-in that shared code with its publisher would agree with its mistakes.',
      { path: '^src/stand-ins/' },
      { path: '^src/', pathNot: ['^src/stand-ins/'] },
    ),
    rule(
      'stand-ins-only-from-composition',
      'Only the composition root may start a stand-in: no production path depends on one.',
      { path: '^src/', pathNot: ['^src/stand-ins/', '^src/app/', '^src/main\\.ts$'] },
      { path: '^src/stand-ins/' },
    ),
    rule(
      'event-store-adapters-apart',
      'Adapters meet in the port and nowhere else.',
      { path: '^src/event-store/(postgres|kurrentdb|memory)/' },
      { path: '^src/event-store/(postgres|kurrentdb|memory)/', pathNot: '^src/event-store/$1/' },
    ),
    rule(
      'not-to-dev-dependency',
      'What ships must not need what only developers install.',
      { path: '^src/', pathNot: specs },
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
