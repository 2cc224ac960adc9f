import { ValidateBy } from 'class-validator';
import type { RuleContext } from '../../validation/rules.js';
import type { JsonSchema } from '../../validation/json-schema.js';
import { countCharacters, isVisible } from '../../validation/text-measure.js';
import { wrongTypePredicate, tooLongPredicate, type FieldProblem } from '../../validation/wording.js';
import { FIELD_MESSAGES } from '../../validation/messages.js';
import { BODY_MESSAGES } from './messages.js';

/** Creates a rule in the form that validation/check-fields.ts reads. */
const rule = (
  name: string,
  findProblemOf: (value: unknown) => FieldProblem | undefined,
  schema: JsonSchema,
): PropertyDecorator =>
  ValidateBy(
    { name, validator: { validate: (value) => findProblemOf(value) === undefined } },
    {
      message: 'see contexts',
      context: {
        findProblem: (value) => findProblemOf(value) ?? { code: name, predicate: 'is wrong' },
        schema,
      } satisfies RuleContext,
    },
  );

const CREDENTIAL = /^[\x21-\x7e]{1,4096}$/;
/** A line without control characters. */
const ONE_LINE = { pattern: '^\\P{Cc}*$' };

const textSchema = (maxLength: number, more: JsonSchema = {}): JsonSchema => ({
  ...{ type: 'string', minLength: 1, maxLength },
  ...more,
});

const problem = (code: string, predicate: string): FieldProblem => ({ code, predicate });

const wrongType = (kind: string, value: unknown): FieldProblem =>
  problem('wrong_type', wrongTypePredicate(kind, value));

/** Checks text for people: visible, on one line unless `multiline` is set, at most `limit` characters. */
const findTextProblem = (value: unknown, limit: number, multiline: boolean): FieldProblem | undefined => {
  if (typeof value !== 'string') return wrongType('a string', value);
  const length = countCharacters(value);
  if (length > limit) return problem('too_long', tooLongPredicate(length, limit, 'characters'));
  if (!isVisible(value)) return problem('empty', FIELD_MESSAGES.invisible);
  if (!multiline && /\p{Cc}/u.test(value)) return problem('control_character', BODY_MESSAGES.notOneLine);
  return undefined;
};

const findIntegerProblem = (value: unknown, min: number, max: number): FieldProblem | undefined => {
  if (typeof value !== 'number' || !Number.isInteger(value)) return wrongType('an integer', value);
  return value >= min && value <= max
    ? undefined
    : problem('out_of_range', FIELD_MESSAGES.outOfRange({ least: min, most: max, value }));
};

/** Rules for management bodies, beside those of the payload (`Must`). The rule nearest to the field is checked first. */
export const Is = {
  /** Names of resources: 1 to 200 characters on one line. */
  name: (): PropertyDecorator =>
    rule('isName', (value) => findTextProblem(value, 200, false), textSchema(200, ONE_LINE)),
  /** One line of at most `limit` characters. */
  line: (limit: number): PropertyDecorator =>
    rule('isLine', (value) => findTextProblem(value, limit, false), textSchema(limit, ONE_LINE)),
  /** Text of at most `limit` characters, line breaks included. */
  text: (limit: number): PropertyDecorator =>
    rule('isText', (value) => findTextProblem(value, limit, true), textSchema(limit)),
  integer: (min: number, max: number): PropertyDecorator =>
    rule('isIntegerWithin', (value) => findIntegerProblem(value, min, max), {
      type: 'integer',
      minimum: min,
      maximum: max,
    }),
  /** A token or key of a network: it is sent in URLs and headers. */
  credential: (): PropertyDecorator =>
    rule(
      'isCredential',
      (value) => {
        if (typeof value !== 'string') return wrongType('a string', value);
        return CREDENTIAL.test(value) ? undefined : problem('bad_credential', BODY_MESSAGES.badCredential);
      },
      { type: 'string', pattern: CREDENTIAL.source },
    ),
  /** Text that matches a pattern. @param inWords describes the pattern, as the end of "must be …" */
  matching: (form: RegExp, inWords: string): PropertyDecorator =>
    rule(
      'isLike',
      (value) => {
        if (typeof value === 'number') return problem('wrong_type', BODY_MESSAGES.numberForText({ form: inWords }));
        if (typeof value !== 'string') return wrongType('a string', value);
        return form.test(value) ? undefined : problem('bad_form', wrongTypePredicate(inWords, value));
      },
      { type: 'string', pattern: form.source },
    ),
  /**
   * A value checked by a function, which returns a problem or undefined.
   * @param schema says as much of it as JSON Schema can
   */
  checkedBy: (
    findProblemOf: (value: unknown) => FieldProblem | undefined,
    schema: JsonSchema = { type: 'string' },
  ): PropertyDecorator => rule('isAllowed', findProblemOf, schema),
} as const;

/** Converts a numeric id to text. Leaves a number that JSON has rounded, so that the rule reports it. */
export const idText = (value: unknown): unknown => (Number.isSafeInteger(value) ? String(value) : (value ?? undefined));
