import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { FastifyInstance } from 'fastify';
import type { OpenApiDocument } from '../../../src/api/documentation/openapi-document.js';
import { createHttpServer } from '../../../src/app/http-server.js';
import { Resources } from '../../../src/app/process-options.js';
import { createLogger } from '../../../src/config/logger.js';
import { startTestPostgres } from '../../support/postgres.js';
import { loadTestSettings } from '../../support/settings.js';
import { UNLIMITED } from '../../support/test-environment.js';

/** Routes that are not part of the API for clients. */
const NOT_DOCUMENTED = [
  /^\/$/, // leads people to a page
  /^\/(healthz|readyz|metrics)$/, // for operators: docs/deployment.md
  /^\/(openapi\.json|docs)/,
  /^\/walls/, // demo mode
  /^\/console/,
  /^\/media\//, // files under addresses that answers contain
  /^\/sse\//, // the tools of assistants, which describe themselves
];

/** Lists the routes of a router from its printed tree, as `GET /manage/v1/owners/{id}`. */
const listRoutes = (router: FastifyInstance): string[] => {
  const parents: string[] = [];
  return router
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const match = /^([│├└─ \s]*)(\S.*?)(?: \(([A-Z, ]+)\))?$/u.exec(line);
      if (!match) return [];
      const [, indent = '', segment = '', methods = ''] = match;
      const depth = indent.length / 4 - 1;
      parents.length = depth;
      const path = parents.join('') + segment;
      parents.push(segment);
      return methods
        .split(', ')
        .filter((method) => method !== '' && method !== 'HEAD' && method !== 'OPTIONS')
        .map((method) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}').replace(/(.)\/$/, '$1')}`);
    });
};

const ROOT = join(import.meta.dirname, '../../..');

describe('the description of the API', () => {
  let document: OpenApiDocument;
  let routes: string[];
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const postgres = await startTestPostgres({ migrated: true });
    const settings = loadTestSettings({
      PORT: '0',
      BASE_URL: 'http://localhost',
      DEMO: 'off',
      DATABASE_URL: postgres.connectionString,
      LIMITS_PROFILE: UNLIMITED,
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      OPERATOR_KEY: 'operator',
      LOG_LEVEL: 'error',
    });
    const log = createLogger(settings);
    const resources = new Resources(log);
    const app = await createHttpServer({ settings, log }, resources);
    stop = async () => {
      await app.close();
      await resources.closeAll();
      await postgres.stop();
    };
    await app.init();
    const router: FastifyInstance = app.getHttpAdapter().getInstance();
    await router.ready();
    routes = listRoutes(router);
    const response = await router.inject({ method: 'GET', url: '/openapi.json', headers: { host: 'localhost' } });
    document = JSON.parse(response.body) as OpenApiDocument;
  });
  afterAll(() => stop?.());

  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it('has every route of the server, and no other', () => {
    expect(routes).toContain('POST /v1/webhooks/{slug}');
    const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = routes.filter((route) => !NOT_DOCUMENTED.some((form) => form.test(route.split(' ')[1]!)));
    const missing = served.filter((route) => !documented.includes(route));
    const hint = 'put @Documented({ summary, body, query, … }) above its handler and run `npm run openapi`';
    expect(missing.map((route) => `${route} is not documented: ${hint} (CONTRIBUTING.md)`)).toEqual([]);
    expect(documented.filter((route) => !served.includes(route))).toEqual([]);
  });

  it('gives every operation an id of its own', () => {
    const ids = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).map(({ operationId }) => operationId as string),
    );
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    expect(document.paths['/manage/v1/endpoints']!.get!.operationId).toBe('endpoints_list');
    expect(document.paths['/manage/v1/webhook-outputs']!.get!.operationId).toBe('webhook_outputs_list');
  });

  it.each([
    ['post', '/manage/v1/projects'],
    ['post', '/manage/v1/channels'],
    ['post', '/manage/v1/endpoints'],
    ['get', '/manage/v1/projects'],
    ['get', '/manage/v1/posts'],
  ])('says that an owner who is named but may not be seen is not found: %s %s', (method, path) => {
    expect(document.paths[path]![method]!.responses).toMatchObject({ 404: { 'x-codes': ['not_found'] } });
  });

  it.each(['/v1/media', '/manage/v1/media'])('says that %s takes a file, as it is or in a form', (path) => {
    const { content } = document.paths[path]!.post!.requestBody as { content: Record<string, object> };
    expect(Object.keys(content)).toEqual(['application/octet-stream', 'multipart/form-data']);
  });

  it('says something about every field and every answer', () => {
    const bare: string[] = [];
    for (const [path, operations] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(operations)) {
        const where = `${method} ${path}`;
        const responses = operation.responses as Record<string, { content?: Record<string, { schema: object }> }>;
        for (const [status, { content }] of Object.entries(responses))
          for (const { schema } of Object.values(content ?? {}))
            if (Object.keys(schema).length === 0) bare.push(`${where}: ${status} has no schema; name its \`answer\``);
        for (const { name, schema } of operation.parameters as { name: string; schema: object }[])
          if (Object.keys(schema).length === 0) bare.push(`${where}: ${name} has no rule`);
      }
    for (const [name, { properties = {} }] of Object.entries(document.components.schemas))
      if (name.endsWith('Request'))
        for (const [field, schema] of Object.entries(properties as Record<string, object>))
          if (Object.keys(schema).every((keyword) => keyword === 'description'))
            bare.push(`${name}.${field}: neither a rule nor @Schema says what it takes`);
    expect(bare).toEqual([]);
  });

  it('is made from the source as it is: npm run openapi', () => {
    const listed = readFileSync(join(ROOT, 'src/api/documentation/answers.json'), 'utf8');
    const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 10_000_000 } as const;
    expect(execFileSync(process.execPath, ['scripts/list-answers.js', '--print'], options)).toBe(listed);
  });
});
