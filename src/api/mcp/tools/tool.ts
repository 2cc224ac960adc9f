import type { Tool as ToolDefinition } from '@modelcontextprotocol/server';
import { asSentence } from '../../../kernel/message.js';
import { type BodyClass, isObject } from '../../../validation/check-fields.js';
import { type JsonSchema, schemaOf } from '../../../validation/json-schema.js';
import { quoteShort } from '../../../validation/wording.js';
import { readAnswers } from '../../documentation/documented.js';
import { TOOL_ERRORS } from '../messages.js';
import type { GatewayAnswer, GatewayCall } from '../tool-server.js';

/** Sends a request to the public API on behalf of the tool's caller. */
export type Send = (call: Omit<GatewayCall, 'tool'>) => Promise<GatewayAnswer>;

/** The result of a tool call: a sentence for the assistant, and the fields of the output schema. */
export interface ToolAnswer {
  readonly text: string;
  readonly structured: Record<string, unknown>;
}

/** An assistant tool (D-39): a client of the public API. */
export interface Tool {
  /** Its name, schemas and annotations, as `tools/list` shows them. */
  readonly definition: ToolDefinition;
  /** True if its calls do not appear in any request log (D-44). */
  readonly isSandbox?: true;
  /** Calls the tool. @param args the arguments as sent @throws ToolError */
  call(args: unknown, send: Send, slug: string): Promise<ToolAnswer>;
}

type ArgumentSchemas = NonNullable<ToolDefinition['inputSchema']['properties']>;

/** Names of the tools, which contain the brand (D-34). */
export type ToolNames = Readonly<
  Record<
    'discover' | 'publish' | 'pause' | 'resume' | 'sandbox' | 'status' | 'reschedule' | 'cancel' | 'edit' | 'withdraw',
    string
  >
>;

/** A tool call that failed. Its message tells the assistant what failed and what to do. */
export class ToolError extends Error {
  constructor(
    message: string,
    /** Machine-readable fields. */
    readonly details?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.name = 'ToolError';
  }
}

/** A tool call that was refused before it sent a request to `/v1`, so no other request-log entry records it. */
export class RefusedArguments extends ToolError {
  constructor(
    message: string,
    /** The cause in the request log; snake_case. */
    readonly reason: 'invalid_arguments' | 'invalid_targets' = 'invalid_arguments',
  ) {
    super(message);
    this.name = 'RefusedArguments';
  }
}

type ObjectSchema = { type: 'object'; properties: ArgumentSchemas; required: string[] };

/** Returns the schema of an object whose properties are required. */
export const objectSchema = (properties: ArgumentSchemas): ObjectSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

/** Returns the body of a successful response. @throws ToolError for an error response; its message says what to do */
export const requireSuccess = (answer: GatewayAnswer, names: ToolNames): GatewayAnswer['body'] => {
  const { status, retryAfter, body } = answer;
  if (status < 300) return body;
  const { code, request_id, details } = body;
  const text = TOOL_ERRORS.refused({ errors: joinErrors(body), advice: adviseOn(answer, names) });
  const wait = retryAfter !== null && { retry_after: retryAfter };
  throw new ToolError(text, { status, code, request_id, details, ...wait });
};

export const joinErrors = ({ errors }: GatewayAnswer['body']): string =>
  Array.isArray(errors) ? errors.map((error) => asSentence(String(error))).join(' ') : '';

const adviseOn = ({ status, retryAfter, body }: GatewayAnswer, names: ToolNames): string => {
  if (status === 429) return TOOL_ERRORS.adviceWait({ seconds: retryAfter ?? 1 });
  if (body.code === 'invalid_targets') return TOOL_ERRORS.adviceTargets({ discover: names.discover });
  switch (status) {
    case 401:
      return TOOL_ERRORS.adviceUnauthorized;
    case 402:
      return TOOL_ERRORS.adviceQuota;
    case 404:
      return TOOL_ERRORS.adviceNotFound;
    case 409:
      if (body.code === 'not_editable') return TOOL_ERRORS.adviceNotEditable({ ...names });
      return body.code === 'publishing' ? TOOL_ERRORS.adviceLater : TOOL_ERRORS.adviceTooLate;
    case 403:
      return TOOL_ERRORS.adviceOwner;
    case 503:
      return body.code === 'endpoint_paused' || body.code === 'plan_not_allowed'
        ? TOOL_ERRORS.adviceOwner
        : TOOL_ERRORS.adviceLater;
    default:
      return status >= 500 ? TOOL_ERRORS.adviceLater : TOOL_ERRORS.adviceCorrect;
  }
};

/** Arguments of a tool call. */
export type Arguments = Readonly<Record<string, unknown>>;

/**
 * Reads the arguments of a call. Rejects unknown arguments, because an assistant would assume that they had an effect.
 * @throws RefusedArguments
 */
export const readArguments = (args: unknown, known: readonly string[]): Arguments => {
  if (!isObject(args)) throw new RefusedArguments(TOOL_ERRORS.wrongArguments({ value: describe(args) }));
  const unknown = Object.keys(args).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new RefusedArguments(
      TOOL_ERRORS.unknownArgument({ name: quoteShort(unknown), known: known.join(', ') || 'none' }),
    );
  return args;
};

/** Reads a string argument; undefined if it is absent. @throws RefusedArguments */
export const readText = (args: Arguments, name: string): string | undefined => {
  const value = args[name] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw new RefusedArguments(TOOL_ERRORS.wrongText({ name, value: describe(value) }));
};

/** Reads a positive whole number; undefined if it is absent. @throws RefusedArguments */
export const readNumber = (args: Arguments, name: string): number | undefined => {
  const value = args[name] ?? undefined;
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)) return value as number | undefined;
  throw new RefusedArguments(TOOL_ERRORS.wrongNumber({ name, value: describe(value) }));
};

/** Describes a value of the wrong type, shortened. */
export const describe = (value: unknown): string => {
  if (typeof value === 'string') return quoteShort(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(value);
};

const answers = readAnswers();

/** Puts the schemas that a schema refers to into it, and leaves out keywords. */
const inline = (schema: JsonSchema, isLeftOut: (keyword: string, value: unknown) => boolean): JsonSchema => {
  const rebuild = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rebuild);
    if (!isObject(value)) return value;
    const { $ref, ...own } = value;
    if (typeof $ref === 'string') return rebuild({ ...answers.schemas[$ref.split('/').at(-1)!], ...own });
    // An object is a schema, perhaps of a field that is called like a keyword.
    const kept = Object.entries(own).filter(([name, part]) => isObject(part) || !isLeftOut(name, part));
    return Object.fromEntries(kept.map(([name, part]) => [name, rebuild(part)]));
  };
  return rebuild(schema) as JsonSchema;
};

/**
 * Returns the schemas of a body's fields, as an assistant sends them: targets are ids or full names (D-39).
 * @param descriptions by field; a field without one has its docstring
 */
export const argumentsOf = (
  Body: BodyClass<object>,
  descriptions: Readonly<Record<string, string>>,
): ArgumentSchemas => {
  // Some models refuse tools whose text has another format.
  const isOtherFormat = (keyword: string, value: unknown): boolean => keyword === 'format' && value !== 'date-time';
  const schema = inline(schemaOf(Body), (keyword, value) => keyword === 'x-class' || isOtherFormat(keyword, value));
  const fields = Object.entries(schema.properties as Readonly<Record<string, JsonSchema>>);
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const description = descriptions[name] ?? answers.fields[Body.name]?.[name];
      return [name, { ...field, ...(name === 'targets' && { items: { type: 'string' } }), description }];
    }),
  ) as ArgumentSchemas;
};

/**
 * Returns the schema of a response from the type that its route returns. It lists no values: a client may keep the schema
 * of an earlier version, and would refuse a new value.
 */
export const answerOf = (type: string): ObjectSchema =>
  inline(answers.schemas[type]!, (keyword) => keyword === 'enum' || keyword === 'const') as ObjectSchema;
