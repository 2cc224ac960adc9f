import fc from 'fast-check';
import type { OpenApiDocument } from '../../../src/api/documentation/openapi-document.js';
import type { JsonSchema } from '../../../src/validation/json-schema.js';

/** Generators for patterns that fast-check does not support, by pattern. */
const BY_PATTERN: Readonly<Record<string, fc.Arbitrary<string>>> = {
  '^\\P{Cc}*$': fc.string({ minLength: 1, maxLength: 50 }).filter((text) => text.trim() !== ''),
  '^https://': fc.constantFrom('https://media.example/a.jpg', 'https://media.example/b.mp4?x=1'),
  '^(https|tg)://': fc.constantFrom('https://example.com/', 'tg://resolve?domain=example'),
};

/** Returns values that a schema of the document allows. */
export const arbitraryOf = (schema: JsonSchema, document: OpenApiDocument): fc.Arbitrary<unknown> => {
  const of = (part: unknown): fc.Arbitrary<unknown> => arbitraryOf(part as JsonSchema, document);
  if (typeof schema.$ref === 'string') return of(document.components.schemas[schema.$ref.split('/').at(-1)!]);
  const choices = (schema.oneOf ?? schema.anyOf) as readonly JsonSchema[] | undefined;
  if (choices) return fc.oneof(...choices.map(of));
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type: string) => of({ ...schema, type })));
  switch (schema.type) {
    case 'object':
      return objectOf(schema, of);
    case 'array': {
      const items = schema.items === undefined ? fc.constant({}) : of(schema.items);
      const maxLength = Math.min((schema.maxItems as number | undefined) ?? 4, 4);
      return schema.uniqueItems
        ? fc.uniqueArray(items, { maxLength, selector: (item) => JSON.stringify(item) })
        : fc.array(items, { maxLength });
    }
    case 'integer':
      return fc.integer({
        min: (schema.minimum as number | undefined) ?? -10,
        max: (schema.maximum as number | undefined) ?? 1_000,
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return textOf(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
};

const objectOf = (schema: JsonSchema, of: (part: unknown) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  if (schema.properties === undefined)
    return fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 1 }));
  const required = (schema.required ?? []) as readonly string[];
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, of(field)]));
  return fc.record(fields, { requiredKeys: [...required] });
};

const textOf = (schema: JsonSchema): fc.Arbitrary<string> => {
  if (schema.format === 'date-time')
    return fc
      .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString());
  const pattern = schema.pattern as string | undefined;
  if (pattern !== undefined) return BY_PATTERN[pattern] ?? fc.stringMatching(new RegExp(pattern, 'u'));
  if (schema.format === 'uri') return fc.constantFrom('https://example.com/', 'https://translate.example/translate');
  const { minLength = 0, maxLength = 200 } = schema as { minLength?: number; maxLength?: number };
  return fc.oneof(
    fc.string({ minLength, maxLength: Math.min(maxLength, 60), unit: 'grapheme' }),
    fc.string({ minLength, maxLength: Math.min(maxLength, 60) }),
  );
};
