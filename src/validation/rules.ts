import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Max,
  Min,
  ValidateBy,
  type ValidationOptions,
} from 'class-validator';
import { oneOf } from '../kernel/message.js';
import type { JsonSchema } from './json-schema.js';
import { FIELD_MESSAGES } from './messages.js';
import { countCharacters, isVisible } from './text-measure.js';
import { describeValue, tooLongPredicate, tooManyPredicate, wrongTypePredicate, type FieldProblem } from './wording.js';

/**
 * Context of a rule in class-validator's errors. It describes the problem only when the rule is broken; class-validator's
 * own messages would put the value, at any length, into the answer.
 */
export interface RuleContext {
  readonly findProblem: (value: unknown) => FieldProblem;
  /** Keywords of JSON Schema that say the same as the rule, for the documentation; none if no keyword can. */
  readonly schema?: JsonSchema;
  /** True for the rule that a field is there. */
  readonly isPresence?: boolean;
}

type Described = Omit<RuleContext, 'findProblem'>;

const broken = (code: string, describe: (value: unknown) => string, described: Described = {}): ValidationOptions =>
  withContext((value) => ({ code, predicate: describe(value) }), described);

const withContext = (complain: RuleContext['findProblem'], described: Described): ValidationOptions => ({
  // class-validator keeps the context of a rule only where the rule has a message.
  message: 'see contexts',
  context: { findProblem: complain, ...described } satisfies RuleContext,
});

/** A custom rule on text; a value of another type breaks other rules. */
const textRule = (
  name: string,
  findProblemOf: (text: string) => FieldProblem | undefined,
  schema: JsonSchema = {},
  options: ValidationOptions = {},
): PropertyDecorator =>
  ValidateBy(
    { name, validator: { validate: (value) => typeof value !== 'string' || findProblemOf(value) === undefined } },
    { ...options, ...withContext((value) => findProblemOf(value as string) as FieldProblem, { schema }) },
  );

const only = <T>(when: ((object: T) => boolean) | undefined): ValidationOptions =>
  when ? { validateIf: (object: unknown) => when(object as T) } : {};

const wrongType = (kind: string, type: string): ValidationOptions =>
  broken('wrong_type', (value) => wrongTypePredicate(kind, value), { schema: { type } });

/** Decorators that declare the rules of a body's fields. The one nearest to a field is checked first. */
export const Must = {
  /** @param example a valid value. @param when selects the objects on which the field is required; default: all. */
  bePresent: <T>(example: string, when?: (object: T) => boolean): PropertyDecorator =>
    IsDefined({
      ...broken('missing', () => FIELD_MESSAGES.missing({ example }), { isPresence: true }),
      ...only(when),
    }),
  beText: (): PropertyDecorator => IsString(wrongType('a string', 'string')),
  beBoolean: (): PropertyDecorator => IsBoolean(wrongType('true or false', 'boolean')),
  beObject: (): PropertyDecorator => IsObject(wrongType('an object', 'object')),
  beArray: (of: string): PropertyDecorator => IsArray(wrongType(`an array of ${of}`, 'array')),
  beInteger: (): PropertyDecorator => IsInt(wrongType('an integer', 'integer')),

  /** @param refusedLater known values that another rule refuses with a better reason. */
  beOneOf: (values: readonly string[], refusedLater: readonly string[] = []): PropertyDecorator =>
    IsIn(
      [...values, ...refusedLater],
      broken(
        'unknown_value',
        (value) => FIELD_MESSAGES.notOneOf({ values: oneOf(values), value: describeValue(value) }),
        { schema: { type: 'string', enum: values } },
      ),
    ),
  beAtLeast: (least: number): PropertyDecorator =>
    Min(
      least,
      broken('out_of_range', (value) => FIELD_MESSAGES.belowMinimum({ least, value: String(value) }), {
        schema: { minimum: least },
      }),
    ),
  beVisible: (): PropertyDecorator =>
    textRule(
      'isVisible',
      (text) => (isVisible(text) ? undefined : { code: 'empty', predicate: FIELD_MESSAGES.invisible }),
      { minLength: 1 },
    ),
  haveAtMostUnits: (limit: number): PropertyDecorator =>
    textRule(
      'hasAtMostUnits',
      ({ length }) =>
        length <= limit ? undefined : { code: 'too_long', predicate: tooLongPredicate(length, limit, 'UTF-16 units') },
      { maxLength: limit }, // of characters, of which each has one unit or two
    ),
  haveAtMostCharacters: (limit: number): PropertyDecorator =>
    textRule(
      'hasAtMostCharacters',
      (text) => {
        const length = countCharacters(text);
        return length <= limit
          ? undefined
          : { code: 'too_long', predicate: tooLongPredicate(length, limit, 'characters') };
      },
      { maxLength: limit },
    ),
  /** A rule with its own problems, such as those of url-rules.ts. @param when as for {@link Must.bePresent} */
  satisfy: <T>(
    findProblemOf: (text: string) => FieldProblem | undefined,
    when?: (object: T) => boolean,
  ): PropertyDecorator => textRule('satisfies', findProblemOf, {}, only(when)),
  haveAtMostItems: (limit: number): PropertyDecorator =>
    ArrayMaxSize(
      limit,
      broken('too_many', (value) => tooManyPredicate((value as readonly unknown[]).length, limit), {
        schema: { maxItems: limit },
      }),
    ),
  /** An integer from `least` to `most`, both included. */
  beWithin: (least: number, most: number): PropertyDecorator => {
    const range = broken('out_of_range', (value) => FIELD_MESSAGES.outOfRange({ least, most, value: String(value) }), {
      schema: { minimum: least, maximum: most },
    });
    const rules = [IsInt(wrongType('an integer', 'integer')), Min(least, range), Max(most, range)];
    return (target, property) => rules.forEach((rule) => rule(target, property));
  },
} as const;
