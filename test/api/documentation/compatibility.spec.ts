import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiDocument } from '../../../src/api/documentation/openapi-document.js';
import { findBreakingChanges } from './compare-documents.js';

const ROOT = join(import.meta.dirname, '../../..');

/** Changes that docs/compatibility.md names as exceptions, and the reasons there. */
const EXCEPTION =
  /\bsequence: the type was number and is number or null$|\bwaiting_for: it has a form that it did not have$|\b(payload|media\[\]): (it has a form that it did not have|the field url may now be absent)$|\battempts\[\]\.answer: the type was string and is string or null$|\berror: it has a form that it did not have$|^GET \/manage\/v1\/history\/events (aggregate|actor): the pattern is now /;

it('is compatible with the last released document (docs/compatibility.md)', () => {
  const released = readFileSync(join(ROOT, 'docs/reference/openapi-released.json'), 'utf8');
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 10_000_000 } as const;
  const current = execFileSync(process.execPath, ['scripts/release-openapi.js', '--print'], options);
  const changes = findBreakingChanges(JSON.parse(released) as OpenApiDocument, JSON.parse(current) as OpenApiDocument);
  expect(changes.filter((change) => !EXCEPTION.test(change))).toEqual([]);
});

/** A document as untyped JSON, because the tests change any part of it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
type Draft = any;

const DOCUMENT = {
  openapi: '3.1.1',
  paths: {
    '/things/{id}': {
      post: {
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 200 } },
        ],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/ThingRequest' } } } },
        responses: {
          200: {
            headers: { 'X-Request-Id': { schema: { type: 'string' } } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          404: { content: { 'application/json': { schema: { type: 'object' } } } },
        },
      },
      get: { parameters: [], responses: { 204: {} } },
    },
  },
  components: {
    schemas: {
      ThingRequest: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', maxLength: 10 },
          mode: { type: 'string', enum: ['live', 'test'] },
          size: { type: 'number' },
          parts: { type: 'array', maxItems: 3, items: { $ref: '#/components/schemas/ThingRequest' } },
          source: {
            oneOf: [{ type: 'string' }, { type: 'object', required: ['url'], properties: { url: { type: 'string' } } }],
          },
        },
      },
      Thing: {
        type: 'object',
        required: ['id', 'state'],
        properties: {
          id: { type: 'string' },
          state: { type: 'string', enum: ['new', 'done'] },
          count: { type: 'integer' },
          at: { type: 'string', format: 'date-time' },
          parent: { anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] },
        },
      },
    },
  },
};

const changed = (change: (document: Draft) => void): OpenApiDocument => {
  const draft = structuredClone(DOCUMENT) as Draft;
  change(draft);
  return draft as OpenApiDocument;
};

const post = (document: Draft): Draft => document.paths['/things/{id}'].post;
const request = (document: Draft): Draft => document.components.schemas.ThingRequest;
const answer = (document: Draft): Draft => document.components.schemas.Thing;
const compare = (change: (document: Draft) => void): string[] =>
  findBreakingChanges(DOCUMENT as unknown as OpenApiDocument, changed(change));

describe('a change that breaks clients', () => {
  const BREAKING: readonly (readonly [name: string, change: (document: Draft) => void, reported: RegExp])[] = [
    ['a route removed', (d) => delete d.paths['/things/{id}'], /^POST \/things\/\{id\}: the route is gone/],
    ['a method removed', (d) => delete d.paths['/things/{id}'].get, /^GET \/things\/\{id\}: the route is gone/],
    ['a parameter removed', (d) => post(d).parameters.pop(), /parameter limit is gone/],
    ['a parameter required', (d) => (post(d).parameters[1].required = true), /parameter limit is now required/],
    [
      'a new required parameter',
      (d) => post(d).parameters.push({ name: 'at', in: 'query', required: true, schema: {} }),
      /parameter at is now required/,
    ],
    ['a lower maximum', (d) => (post(d).parameters[1].schema.maximum = 100), /limit: maximum was 200 and is 100/],
    ['a higher minimum', (d) => (post(d).parameters[1].schema.minimum = 2), /limit: minimum was 1 and is 2/],
    ['the body required', (d) => (post(d).requestBody.required = true), /body is now required/],
    ['the body removed', (d) => delete post(d).requestBody, /body: application\/json is gone/],
    ['a field of a request removed', (d) => delete request(d).properties.size, /body: the field size is gone/],
    ['a field of a request required', (d) => request(d).required.push('size'), /body: the field size is now required/],
    [
      'a new required field',
      (d) => {
        request(d).properties.key = {};
        request(d).required.push('key');
      },
      /key is now required/,
    ],
    ['a value removed', (d) => request(d).properties.mode.enum.pop(), /body\.mode: the value "test" is gone/],
    [
      'a list of values where any was taken',
      (d) => (request(d).properties.name.enum = ['a']),
      /name: only some values/,
    ],
    [
      'a type of a request narrowed',
      (d) => (request(d).properties.size.type = 'integer'),
      /size: the type was number and is integer/,
    ],
    ['a length limited', (d) => (request(d).properties.name.minLength = 2), /name: minLength was open and is 2/],
    ['a pattern', (d) => (request(d).properties.name.pattern = '^a'), /name: the pattern is now "\^a"/],
    ['a format of a request', (d) => (request(d).properties.name.format = 'uri'), /name: the format is now "uri"/],
    ['fewer items', (d) => (request(d).properties.parts.maxItems = 2), /parts: maxItems was 3 and is 2/],
    [
      'another type of items',
      (d) => (request(d).properties.parts.items = { type: 'string' }),
      /parts\[\]: the type was object and is string/,
    ],
    [
      'a form of a field removed',
      (d) => request(d).properties.source.oneOf.shift(),
      /source: a form of it is no longer taken/,
    ],
    ['unknown fields refused', (d) => (request(d).additionalProperties = false), /unknown fields are now refused/],
    [
      'a status of a success removed',
      (d) => {
        post(d).responses[201] = post(d).responses[200];
        delete post(d).responses[200];
      },
      /200 is gone/,
    ],
    ['a header of an answer removed', (d) => delete post(d).responses[200].headers, /header X-Request-Id is gone/],
    ['a field of an answer removed', (d) => delete answer(d).properties.count, /200: the field count is gone/],
    ['a field of an answer that may be absent', (d) => answer(d).required.pop(), /field state may now be absent/],
    [
      'an answer that may be null',
      (d) => (answer(d).properties.id.type = ['string', 'null']),
      /id: the type was string and is string or null/,
    ],
    [
      'a wider type of an answer',
      (d) => (answer(d).properties.count.type = 'number'),
      /count: the type was integer and is number/,
    ],
    ['an answer of any type', (d) => (answer(d).properties.count = {}), /count: the type was integer and is open/],
    [
      'a value of an answer that no longer comes',
      (d) => answer(d).properties.state.enum.pop(),
      /state: the value "done" is gone/,
    ],
    ['a list of values given up', (d) => delete answer(d).properties.state.enum, /state: any value is now possible/],
    ['another format of an answer', (d) => delete answer(d).properties.at.format, /at: the format is now undefined/],
    [
      'another form of an answer',
      (d) => answer(d).properties.parent.anyOf.push({ type: 'string' }),
      /parent: it has a form that it did not have/,
    ],
  ];
  it.each(BREAKING)('%s', (_, change, reported) => {
    const changes = compare(change);
    expect(changes).toEqual(expect.arrayContaining([expect.stringMatching(reported)]));
  });
});

describe('a change that clients survive', () => {
  const COMPATIBLE: readonly (readonly [name: string, change: (document: Draft) => void])[] = [
    ['none', () => undefined],
    ['a new route', (d) => (d.paths['/others'] = d.paths['/things/{id}'])],
    ['a new parameter', (d) => post(d).parameters.push({ name: 'at', in: 'query', schema: {} })],
    ['a new field of a request', (d) => (request(d).properties.key = { type: 'string' })],
    ['a field of a request that may be left out', (d) => (request(d).required = [])],
    ['a new value of a request', (d) => request(d).properties.mode.enum.push('dry')],
    ['a wider type of a request', (d) => (request(d).properties.name.type = ['string', 'integer'])],
    ['a wider bound', (d) => (request(d).properties.name.maxLength = 20)],
    ['a bound given up', (d) => delete request(d).properties.parts.maxItems],
    ['a new form of a request', (d) => request(d).properties.source.oneOf.push({ type: 'integer' })],
    ['a new field of an answer', (d) => (answer(d).properties.key = { type: 'string' })],
    ['a field of an answer that is always there', (d) => answer(d).required.push('count')],
    ['a new value of an answer', (d) => answer(d).properties.state.enum.push('failed')],
    ['a form of an answer that no longer comes', (d) => answer(d).properties.parent.anyOf.pop()],
    [
      'another error',
      (d) => {
        delete post(d).responses[404];
        post(d).responses[409] = {};
      },
    ],
    ['other texts', (d) => (answer(d).description = 'A thing.')],
    [
      'another name of a schema',
      (d) => {
        d.components.schemas.Item = answer(d);
        post(d).responses[200].content['application/json'].schema.$ref = '#/components/schemas/Item';
      },
    ],
  ];
  it.each(COMPATIBLE)('%s', (_, change) => expect(compare(change)).toEqual([]));
});
