import { isDeepStrictEqual } from 'node:util';
import type { OpenApiDocument } from '../../../src/api/documentation/openapi-document.js';
import type { JsonSchema } from '../../../src/validation/json-schema.js';

/** Whether a schema describes what clients send or what they read. Both must keep working. */
type Direction = 'request' | 'answer';
type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, Schema>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly headers?: Schemas; readonly content?: Content }>>;
}

/** Bounds of requests, with the direction in which a value may move: +1 up, -1 down. */
const BOUNDS: Readonly<Record<string, 1 | -1>> = {
  minimum: -1,
  minLength: -1,
  minItems: -1,
  maximum: 1,
  maxLength: 1,
  maxItems: 1,
};

/**
 * Lists the changes of an OpenAPI document that may break a client that was written for the older one
 * (docs/compatibility.md). Each item names its place.
 */
export const findBreakingChanges = (older: OpenApiDocument, newer: OpenApiDocument): string[] => {
  const comparison = new Comparison(older.components.schemas, newer.components.schemas);
  for (const [path, operations] of Object.entries(older.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const where = `${method.toUpperCase()} ${path}`;
      const counterpart = newer.paths[path]?.[method];
      if (!counterpart) comparison.changes.push(`${where}: the route is gone`);
      else comparison.operations(operation as unknown as Operation, counterpart as unknown as Operation, where);
    }
  return [...new Set(comparison.changes)];
};

class Comparison {
  readonly changes: string[] = [];

  constructor(
    private readonly olderSchemas: Readonly<Record<string, JsonSchema>>,
    private readonly newerSchemas: Readonly<Record<string, JsonSchema>>,
    /** Pairs of named schemas that have been, or are being, compared. */
    private readonly seen = new Set<string>(),
  ) {}

  operations(older: Operation, newer: Operation, where: string): void {
    this.parameters(older.parameters ?? [], newer.parameters ?? [], where);
    const body = newer.requestBody;
    if (body?.required && !older.requestBody?.required) this.changes.push(`${where}: the body is now required`);
    if (older.requestBody) this.contents(older.requestBody.content, body?.content ?? {}, 'request', `${where} body`);
    for (const [status, answer] of Object.entries(older.responses)) {
      if (!status.startsWith('2')) continue; // errors have one body, and their codes may change with their causes
      const counterpart = newer.responses[status];
      if (!counterpart) {
        this.changes.push(`${where}: ${status} is gone`);
        continue;
      }
      this.contents(answer.content ?? {}, counterpart.content ?? {}, 'answer', `${where} ${status}`);
      for (const name of Object.keys(answer.headers ?? {}))
        if (!counterpart.headers?.[name]) this.changes.push(`${where} ${status}: the header ${name} is gone`);
    }
  }

  private parameters(older: readonly Parameter[], newer: readonly Parameter[], where: string): void {
    const find = (list: readonly Parameter[], { name, in: place }: Parameter) =>
      list.find((each) => each.name === name && each.in === place);
    for (const parameter of older) {
      const counterpart = find(newer, parameter);
      if (counterpart) this.schemas(parameter.schema, counterpart.schema, 'request', `${where} ${parameter.name}`);
      else this.changes.push(`${where}: the parameter ${parameter.name} is gone`);
    }
    for (const parameter of newer)
      if (parameter.required && !find(older, parameter)?.required)
        this.changes.push(`${where}: the parameter ${parameter.name} is now required`);
  }

  private contents(older: Content, newer: Content, direction: Direction, where: string): void {
    for (const [type, { schema }] of Object.entries(older))
      if (newer[type]) this.schemas(schema, newer[type].schema, direction, where);
      else this.changes.push(`${where}: ${type} is gone`);
  }

  private schemas(older: Schema, newer: Schema, direction: Direction, where: string): void {
    const names = [older.$ref, newer.$ref];
    if (names.some((name) => name !== undefined)) {
      const pair = `${direction} ${names.join(' ')}`;
      if (names.every((name) => name !== undefined) && this.seen.has(pair)) return;
      this.seen.add(pair);
    }
    const before = resolve(older, this.olderSchemas);
    const after = resolve(newer, this.newerSchemas);
    this.types(before, after, direction, where);
    this.values(before, after, direction, where);
    this.variants(before, after, direction, where);
    this.members(before, after, direction, where);
    if (direction === 'request') this.bounds(before, after, where);
    if (!isDeepStrictEqual(before.format, after.format) && (direction === 'answer' || after.format !== undefined))
      this.changes.push(`${where}: the format is now ${JSON.stringify(after.format)}`);
    if (before.items && after.items)
      this.schemas(before.items as Schema, after.items as Schema, direction, `${where}[]`);
  }

  /** A request must still accept all of its types; an answer must not get new types. */
  private types(before: Schema, after: Schema, direction: Direction, where: string): void {
    const [narrow, wide] = direction === 'request' ? [before, after] : [after, before];
    const lost = typesOf(narrow).filter((type) => {
      const allowed = typesOf(wide);
      return allowed.length > 0 && !allowed.includes(type) && !(type === 'integer' && allowed.includes('number'));
    });
    const isOpened = typesOf(narrow).length === 0 && typesOf(wide).length > 0 && !isUnion(narrow);
    if (lost.length > 0 || isOpened)
      this.changes.push(`${where}: the type was ${nameTypes(before)} and is ${nameTypes(after)}`);
  }

  /**
   * No value may disappear. Answers may get new ones (docs/compatibility.md), but requests no list where there was
   * none.
   */
  private values(before: Schema, after: Schema, direction: Direction, where: string): void {
    const [old, now] = [valuesOf(before), valuesOf(after)];
    if (old === null && now !== null && direction === 'request')
      this.changes.push(`${where}: only some values are taken now`);
    if (old !== null && now === null && direction === 'answer')
      this.changes.push(`${where}: any value is now possible`);
    for (const value of old ?? [])
      if (now !== null && !now.some((each) => isDeepStrictEqual(each, value)))
        this.changes.push(`${where}: the value ${JSON.stringify(value)} is gone`);
  }

  /** Every old form of a request must still be allowed; every new form of an answer must have been allowed before. */
  private variants(before: Schema, after: Schema, direction: Direction, where: string): void {
    if (!isUnion(before) && !isUnion(after)) return;
    const [old, now] = [variantsOf(before), variantsOf(after)];
    const fits = (one: Schema, other: Schema): boolean => {
      const attempt = new Comparison(this.olderSchemas, this.newerSchemas, new Set(this.seen));
      attempt.schemas(one, other, direction, '');
      return attempt.changes.length === 0;
    };
    if (direction === 'request') {
      if (!old.every((one) => now.some((other) => fits(one, other))))
        this.changes.push(`${where}: a form of it is no longer taken`);
    } else {
      if (!now.every((other) => old.some((one) => fits(one, other))))
        this.changes.push(`${where}: it has a form that it did not have`);
    }
  }

  private members(before: Schema, after: Schema, direction: Direction, where: string): void {
    const fields = (before.properties ?? {}) as Schemas;
    const nowFields = (after.properties ?? {}) as Schemas;
    if (isUnion(before) || isUnion(after)) return;
    for (const [name, schema] of Object.entries(fields))
      if (nowFields[name]) this.schemas(schema, nowFields[name], direction, `${where}.${name}`);
      else this.changes.push(`${where}: the field ${name} is gone`);
    const [required, nowRequired] = [before, after].map(({ required = [] }) => required as readonly string[]);
    for (const name of nowRequired!)
      if (direction === 'request' && !required!.includes(name))
        this.changes.push(`${where}: the field ${name} is now required`);
    for (const name of required!)
      if (direction === 'answer' && nowFields[name] && !nowRequired!.includes(name))
        this.changes.push(`${where}: the field ${name} may now be absent`);
    const [rest, nowRest] = [before.additionalProperties, after.additionalProperties];
    if (direction === 'request' && nowRest === false && rest !== false)
      this.changes.push(`${where}: unknown fields are now refused`);
    if (isSchema(rest) && isSchema(nowRest)) this.schemas(rest, nowRest, direction, `${where}.*`);
  }

  private bounds(before: Schema, after: Schema, where: string): void {
    for (const [name, way] of Object.entries(BOUNDS)) {
      const [old, now] = [before[name], after[name]] as (number | undefined)[];
      if (now !== undefined && (old === undefined || (now - old) * way < 0))
        this.changes.push(`${where}: ${name} was ${old ?? 'open'} and is ${now}`);
    }
    if (after.pattern !== undefined && after.pattern !== before.pattern)
      this.changes.push(`${where}: the pattern is now ${JSON.stringify(after.pattern)}`);
    if (after.uniqueItems === true && before.uniqueItems !== true) this.changes.push(`${where}: items must now differ`);
  }
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

const resolve = (schema: Schema, named: Readonly<Record<string, JsonSchema>>): Schema => {
  if (typeof schema.$ref !== 'string') return schema;
  const name = schema.$ref.split('/').at(-1)!;
  const found = named[name];
  if (!found) throw new Error(`${schema.$ref} does not exist`);
  return resolve(found, named);
};

const typesOf = ({ type = [] }: Schema): readonly string[] => [type].flat() as string[];
const nameTypes = (schema: Schema): string => typesOf(schema).join(' or ') || 'open';

const valuesOf = (schema: Schema): readonly unknown[] | null =>
  'const' in schema ? [schema.const] : ((schema.enum as readonly unknown[] | undefined) ?? null);

const isUnion = ({ oneOf, anyOf }: Schema): boolean => oneOf !== undefined || anyOf !== undefined;

const variantsOf = (schema: Schema): readonly Schema[] =>
  ((schema.oneOf ?? schema.anyOf) as readonly Schema[] | undefined) ?? [schema];
