import { RequestMethod, type Type } from '@nestjs/common';
import { type BodyClass } from '../../validation/check-fields.js';
import { type JsonSchema, schemaOf } from '../../validation/json-schema.js';
import {
  describeAnswers,
  DOCUMENTATION,
  type DocumentationContext,
  Examples,
  readAnswers,
  type RouteDocumentation,
} from './documented.js';
import { DOCUMENTATION_MESSAGES as TEXTS, PARAMETER_TEXTS, TAG_TEXTS } from './messages.js';

/** A route of a controller. */
interface Route {
  readonly method: string;
  /** In router syntax: `/manage/v1/owners/:id`. */
  readonly path: string;
  readonly handler: string;
  readonly documentation: RouteDocumentation;
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
  };
  readonly [member: string]: unknown;
}

/** Version of the API (docs/compatibility.md), not of the program. */
const API_VERSION = '1.0.0';

const answers = readAnswers();
const examples = new Examples((route) => answers.routes[route]?.success);

/** Builds the document for these controllers' routes. */
export const buildOpenApiDocument = (
  controllers: readonly Type[],
  context: DocumentationContext,
  basePath: string,
): OpenApiDocument => {
  const components = new Components();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const routes = controllers.flatMap(listRoutes).sort((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1));
  for (const route of routes) {
    const template = route.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[template] ??= {})[route.method.toLowerCase()] = describeOperation(route, context, components);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Crosspost',
      version: API_VERSION,
      description: TEXTS.api,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath }],
    tags: listTags(paths),
    paths,
    components: {
      schemas: { ...answers.schemas, ...components.schemas },
      securitySchemes: {
        endpointToken: { type: 'http', scheme: 'bearer', description: TEXTS.endpointToken },
        managementKey: { type: 'http', scheme: 'bearer', description: TEXTS.managementKey },
      },
    },
  };
};

const listTags = (paths: OpenApiDocument['paths']): JsonSchema[] => {
  const names = Object.values(paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ tags }) => tags as readonly string[]),
  );
  return [...new Set(names)].map((name) => ({ name, ...(TAG_TEXTS[name] && { description: TAG_TEXTS[name] }) }));
};

const isForClients = ({ path }: Route): boolean => path.startsWith('/v1/');

/** Client routes come before the management API, because most readers want to send posts. */
const sortKeyOf = (route: Route): string => `${isForClients(route) ? 0 : 1} ${route.path} ${route.method}`;

const listRoutes = (controller: Type): Route[] => {
  const base = Reflect.getMetadata('path', controller) as string;
  return Object.getOwnPropertyNames(controller.prototype).flatMap((name) => {
    const handler = (controller.prototype as Readonly<Record<string, object>>)[name]!;
    const documentation = Reflect.getMetadata(DOCUMENTATION, handler) as RouteDocumentation | undefined;
    if (!documentation) return [];
    const method = RequestMethod[Reflect.getMetadata('method', handler) as RequestMethod];
    const path = `/${base}/${Reflect.getMetadata('path', handler) as string}`
      .replaceAll(/\/+/g, '/')
      .replace(/\/$/, '');
    return [{ method, path, handler: name, documentation }];
  });
};

const BYTES = { type: 'string', format: 'binary' };
/** The body of a route that takes a file. */
const FILE_BODY: JsonSchema = {
  required: true,
  content: {
    'application/octet-stream': { schema: BYTES },
    'multipart/form-data': { schema: { type: 'object', properties: { file: BYTES }, required: ['file'] } },
  },
};

const describeOperation = (route: Route, context: DocumentationContext, components: Components): JsonSchema => {
  const { documentation, method, path } = route;
  const { summary, body, query, deprecated } = documentation;
  const description = describeRoute(documentation);
  const isPublic = isForClients(route);
  const name = `${method} ${path}`;
  const sentBody = body && (isClass(body) ? schemaOf(body) : body(context));
  const takesOwner = [sentBody, query && schemaOf(query)].some((sent) => sent !== undefined && hasOwner(sent));
  const bodySchema = sentBody && components.hoist(sentBody);
  return {
    operationId: nameOperation(route),
    summary,
    ...(description !== undefined && { description }),
    ...(deprecated && { deprecated: true }),
    tags: [tagOf(path)],
    ...(documentation.scope && {
      'x-scope': documentation.operatorOnly ? 'operator' : documentation.scope,
      'x-limited-keys': documentation.forLimitedKeys === true,
      'x-auditors': method === 'GET' || documentation.forAuditors === true,
    }),
    security: [isPublic ? { endpointToken: [] } : { managementKey: [] }],
    parameters: [
      ...pathParameters(path),
      ...(query ? queryParameters(query) : []),
      ...headerParameters(method, isPublic, documentation, context.brand),
    ],
    ...(documentation.takesFile && { requestBody: FILE_BODY }),
    ...(bodySchema && {
      requestBody: {
        required: isRequired(bodySchema, components),
        content: {
          [documentation.bodyType ?? 'application/json']: {
            schema: bodySchema,
            ...examples.ofRequest(name),
          },
        },
      },
    }),
    responses: describeAnswers({
      method,
      path,
      isPublic,
      takesOwner,
      documentation,
      known: answers.routes[name] ?? {},
      example: examples.ofAnswer(name),
    }),
  };
};

/** True if an object that matches a schema may have an `owner_id`. */
const hasOwner = ({ properties = {}, oneOf = [], anyOf = [], allOf = [] }: JsonSchema): boolean =>
  'owner_id' in (properties as object) || [oneOf, anyOf, allOf].flat().some((part) => hasOwner(part as JsonSchema));

const describeRoute = ({ description, deprecated }: RouteDocumentation): string | undefined => {
  if (!deprecated) return description;
  const { since, until } = deprecated;
  const notice = until === undefined ? TEXTS.deprecated({ since }) : TEXTS.deprecatedUntil({ since, until });
  return description === undefined ? notice : `${notice} ${description}`;
};

/** True unless the body may be omitted. A post or a pause needs at least one field, although each is optional. */
const isRequired = (schema: JsonSchema, { schemas }: Components): boolean => {
  const of = typeof schema.$ref === 'string' ? schemas[schema.$ref.split('/').at(-1)!]! : schema;
  return 'required' in of || 'oneOf' in of || of['x-class'] === 'PublishPayloadDto' || of['x-class'] === 'TempPauseDto';
};

const isClass = (body: NonNullable<RouteDocumentation['body']>): body is BodyClass<object> =>
  Object.getOwnPropertyDescriptor(body, 'prototype') !== undefined;

/** `GET /manage/v1/channels/:id/receipts` → `channels_receipts`; for an aggregate's history, `history_aggregate`. */
const nameOperation = ({ path, handler }: Route): string => `${tagOf(path).replaceAll('-', '_')}_${handler}`;

const tagOf = (path: string): string => {
  const [, first, , third] = path.split('/');
  return first === 'manage' ? third!.split('.')[0]! : path === '/v1/sandbox/test' ? 'sandbox' : 'webhooks';
};

const pathParameters = (path: string): JsonSchema[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...(PARAMETER_TEXTS[name!] && { description: PARAMETER_TEXTS[name!] }),
  }));

const queryParameters = (query: BodyClass<object>): JsonSchema[] => {
  const { properties, required = [] } = describeFields(schemaOf(query), query.name);
  return Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, field]) => {
    const { description = PARAMETER_TEXTS[name], ...schema } = field;
    return {
      name,
      in: 'query',
      ...((required as readonly string[]).includes(name) && { required: true }),
      ...(description !== undefined && { description }),
      schema,
    };
  });
};

const headerParameters = (
  method: string,
  isPublic: boolean,
  { isQuestion }: RouteDocumentation,
  brand: string,
): JsonSchema[] => {
  const header = (name: string, schema: JsonSchema): JsonSchema => ({
    name,
    in: 'header',
    required: false,
    description: PARAMETER_TEXTS[name.replace(brandName(brand), 'Brand')],
    schema,
  });
  const key = header('Idempotency-Key', { type: 'string', minLength: 1, maxLength: 128 });
  const withKey = method === 'POST' && !isQuestion ? [key] : [];
  if (!isPublic) return withKey;
  return [
    ...withKey,
    header(`X-${brandName(brand)}-Timestamp`, { type: 'string', pattern: '^\\d{1,12}$' }),
    header(`X-${brandName(brand)}-Client-Signature`, { type: 'string', pattern: '^(sha256=)?[0-9a-fA-F]{64}$' }),
  ];
};

/** `service` → `Service`, the spelling used in header names. */
const brandName = (brand: string): string => brand.replaceAll(/(^|-)([a-z])/g, (text) => text.toUpperCase());

/** Adds the docstrings of a class to the fields of its schema. */
const describeFields = (schema: JsonSchema, className: string): JsonSchema => {
  const docs = answers.fields[className] ?? {};
  const fields = Object.entries(schema.properties as Readonly<Record<string, JsonSchema>>);
  const described = fields.map(([name, field]) => [name, docs[name] ? { ...field, description: docs[name] } : field]);
  return { ...schema, properties: Object.fromEntries(described) as JsonSchema };
};

/** Body schemas, by names derived from their classes. */
class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /** Moves class schemas, including nested ones, to `schemas`, and returns the schema with references to them. */
  hoist(schema: JsonSchema): JsonSchema {
    const inner = this.hoistAll(schema) as JsonSchema;
    const className = inner['x-class'] as string | undefined;
    if (className === undefined) return inner;
    const { 'x-class': _, ...described } = describeFields(inner, className);
    if (className === 'Body' || schema.title !== undefined) return described;
    const name = `${className.replace(/(Body|Dto|Fields)$/, '')}Request`;
    this.schemas[name] = described;
    return { $ref: `#/components/schemas/${name}` };
  }

  private hoistAll(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.hoistNested(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.hoistNested(each)]));
  }

  private hoistNested(value: unknown): unknown {
    return typeof value === 'object' && value !== null && 'x-class' in value ? this.hoist(value) : this.hoistAll(value);
  }
}
