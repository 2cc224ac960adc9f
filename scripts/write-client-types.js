/**
 * Writes the client's types, clients/typescript/src/schema.ts, and the scopes of routes, route-scopes.ts, from the
 * /openapi.json document (ADR-157, ADR-405). With `--print`, writes both to stdout instead. Part of `npm run openapi`;
 * needs the compiled program.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import prettier from 'prettier';
import { buildDocument } from './openapi-source.js';

const FOLDER = join(import.meta.dirname, '../clients/typescript/src');
const SUCCESS = /^2\d\d$/;

const comment = (text) => (text ? `/** ${text.replaceAll('*/', '* /')} */\n` : '');
const union = (types) => [...new Set(types)].join(' | ') || 'never';

const typeNamed = (name, schema) => {
  if (name === 'array') return `readonly (${typeOf(schema.items ?? {})})[]`;
  if (name === 'object') return objectOf(schema);
  return { integer: 'number', number: 'number', string: 'string', boolean: 'boolean', null: 'null' }[name];
};

const objectOf = ({ properties, required = [], additionalProperties }) => {
  const rest = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
  if (!properties) return `Readonly<Record<string, ${rest}>>`;
  return `{ ${Object.entries(properties)
    .map(([name, schema]) => field(name, required.includes(name), typeOf(schema), schema.description))
    .join('')} }`;
};

const field = (name, isRequired, type, text) =>
  `${comment(text)}readonly ${JSON.stringify(name)}${isRequired ? '' : '?'}: ${type};\n`;

/** Returns the type of a schema. Bounds and formats are left to the gateway. */
const typeOf = (schema) => {
  if (schema.$ref) return `Schemas['${schema.$ref.split('/').at(-1)}']`;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  const either = schema.oneOf ?? schema.anyOf;
  const own = schema.type && union([schema.type].flat().map((name) => typeNamed(name, schema)));
  const all = [own && (!either || schema.properties) ? `(${own})` : null, either && `(${union(either.map(typeOf))})`];
  return all.filter(Boolean).join(' & ') || 'unknown';
};

const parametersOf = (operation, place) => {
  const found = operation.parameters.filter((parameter) => parameter.in === place);
  if (found.length === 0) return '';
  const fields = found.map(({ name, required = false, schema, description }) =>
    field(name, required, typeOf(schema), description),
  );
  return field(
    place,
    found.some(({ required }) => required),
    `{ ${fields.join('')} }`,
  );
};

const bodyOf = ({ requestBody }) => {
  // Files are sent by `uploadMedia`.
  if (!requestBody || 'application/octet-stream' in requestBody.content) return '';
  const [{ schema }] = Object.values(requestBody.content);
  return field('body', requestBody.required, typeOf(schema));
};

const answerOf = ({ responses }) => {
  const [, answer] = Object.entries(responses).find(([status]) => SUCCESS.test(status));
  const [media] = Object.entries(answer.content ?? {});
  if (!media) return 'undefined';
  return media[0] === 'application/json' ? typeOf(media[1].schema) : 'string';
};

const { components, paths } = await buildDocument();
const schemas = Object.entries(components.schemas).map(
  ([name, schema]) => comment(schema.description) + `readonly ${name}: ${typeOf(schema)};\n`,
);
const routes = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => {
    const takes = ['path', 'query'].map((place) => parametersOf(operation, place)).join('') + bodyOf(operation);
    const type = `{ ${field('takes', true, takes ? `{ ${takes} }` : 'object')}${field('answers', true, answerOf(operation))} }`;
    return `${comment(operation.summary)}readonly '${method.toUpperCase()} ${path}': ${type};\n`;
  }),
);
const source = `// Written by \`npm run openapi\` from the document of /openapi.json.

/** The bodies and answers of the API. */
export interface Schemas { ${schemas.join('')} }

/** The routes of the API, with what they take and answer. */
export interface Routes { ${routes.join('')} }
`;
// What the gateway wants for a route that declares nothing: a list of those would only make the console larger.
const usualScope = (method) => (method === 'get' ? 'read' : 'manage');
const scopes = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, operation]) => {
    const { 'x-scope': scope, 'x-limited-keys': isForLimited, 'x-auditors': isForAuditors } = operation;
    const marks = `${isForLimited ? '+' : ''}${isForAuditors && method !== 'get' ? '*' : ''}`;
    if (!path.startsWith('/manage/v1/') || scope === undefined) return [];
    if ((scope === usualScope(method) || scope === 'operator') && marks === '') return [];
    const route = `${method.toUpperCase()} ${path.slice('/manage/v1'.length)}`;
    return [`${JSON.stringify(route)}: '${scope}${marks}',\n`];
  }),
);
const scopeSource = `// Written by \`npm run openapi\` from the document of /openapi.json.

/**
 * The scope that a route needs; \`+\` if limited keys may call it too, \`*\` if auditors may, who may call every GET. A
 * GET that is not listed needs \`read\`, other methods need \`manage\`.
 */
export const ROUTE_SCOPES: Readonly<Record<string, string>> = { ${scopes.join('')} };
`;
const config = await prettier.resolveConfig(join(FOLDER, 'schema.ts'));
for (const [name, content] of Object.entries({ 'schema.ts': source, 'route-scopes.ts': scopeSource })) {
  const text = await prettier.format(content, { ...config, parser: 'typescript' });
  if (process.argv.includes('--print')) process.stdout.write(text);
  else writeFileSync(join(FOLDER, name), text);
}
