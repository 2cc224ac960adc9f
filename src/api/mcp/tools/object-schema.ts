import type { ArgumentSchemas } from './tool.js';

/** Schema of a text that may be null. */
export const NULLABLE_TEXT = { type: ['string', 'null'] };

/** The schema of an object. */
export type ObjectSchema = { type: 'object'; properties: ArgumentSchemas; required: string[] };

/** Returns the schema of an object. @param optional names of properties that may be absent */
export const objectSchema = (properties: ArgumentSchemas, optional: readonly string[] = []): ObjectSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
