import { type BodyClass, isObject } from '../../../validation/check-fields.js';
import { type JsonSchema, schemaOf } from '../../../validation/json-schema.js';
import { readAnswers } from '../../documentation/documented.js';
import type { ArgumentSchemas, ObjectSchema } from './tool.js';

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
