import {
  ArrayMaxSize,
  getMetadataStorage,
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
  type ValidationArguments,
  type ValidationOptions,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { oneOf } from '../kernel/message.js';
import type { JsonSchema } from './json-schema.js';
import { FIELD_MESSAGES } from './messages.js';
import { countCharacters, isVisible } from './text-measure.js';
import { describeValue, type FieldProblem, tooLongPredicate, tooManyPredicate, wrongTypePredicate } from './wording.js';

/**
 * Context of a rule in class-validator's errors. It describes what is wrong with a value that breaks the rule:
 * class-validator's own messages would put the whole value into the response, however long.
 */
export interface RuleContext {
  readonly findProblem: (value: unknown) => FieldProblem;
  /** Equivalent JSON Schema keywords, for the documentation; none if no keyword can express the rule. */
  readonly schema?: JsonSchema;
  /** True for the rule that requires a field. */
  readonly isPresence?: boolean;
}

type Described = Omit<RuleContext, 'findProblem'>;

const broken = (code: string, describe: (value: unknown) => string, described: Described = {}): ValidationOptions =>
  withContext((value) => ({ code, predicate: describe(value) }), described);

const withContext = (complain: RuleContext['findProblem'], described: Described): ValidationOptions => ({
  // class-validator keeps the context of a rule only if the rule has a message.
  message: 'see contexts',
  context: { findProblem: complain, ...described } satisfies RuleContext,
});

/**
 * Declares a rule that describes its own problems.
 * @param findProblemOf returns undefined for a value that obeys the rule
 */
const rule = (
  name: string,
  findProblemOf: (value: unknown) => FieldProblem | undefined,
  schema: JsonSchema = {},
  options: ValidationOptions = {},
): PropertyDecorator =>
  ValidateBy(
    { name, validator: { validate: (value) => findProblemOf(value) === undefined } },
    { ...options, ...withContext((value) => findProblemOf(value)!, { schema }) },
  );

/** Declares a rule for text; a value of another type breaks other rules. */
const textRule = (
  name: string,
  findProblemOf: (text: string) => FieldProblem | undefined,
  schema: JsonSchema = {},
  options: ValidationOptions = {},
): PropertyDecorator =>
  rule(name, (value) => (typeof value === 'string' ? findProblemOf(value) : undefined), schema, options);

const CREDENTIAL = /^[\x21-\x7e]{1,4096}$/;
/** A line without control characters. */
const ONE_LINE = { pattern: '^\\P{Cc}*$' };

const wrongTypeProblem = (kind: string, value: unknown): FieldProblem => ({
  code: 'wrong_type',
  predicate: wrongTypePredicate(kind, value),
});

/** Declares a rule for visible text of at most `limit` characters, on one line unless `isMultiline` is set. */
const textForPeople = (name: string, limit: number, isMultiline: boolean): PropertyDecorator =>
  rule(
    name,
    (value) => {
      if (typeof value !== 'string') return wrongTypeProblem('a string', value);
      const length = countCharacters(value);
      if (length > limit) return { code: 'too_long', predicate: tooLongPredicate(length, limit, 'characters') };
      if (!isVisible(value)) return { code: 'empty', predicate: FIELD_MESSAGES.invisible };
      if (isMultiline || !/\p{Cc}/u.test(value)) return undefined;
      return { code: 'control_character', predicate: FIELD_MESSAGES.notOneLine };
    },
    { type: 'string', minLength: 1, maxLength: limit, ...(!isMultiline && ONE_LINE) },
  );

const only = <T>(when: ((object: T) => boolean) | undefined): ValidationOptions =>
  when ? { validateIf: (object: unknown) => when(object as T) } : {};

const wrongType = (kind: string, type: string): ValidationOptions =>
  broken('wrong_type', (value) => wrongTypePredicate(kind, value), { schema: { type } });

/** Decorators that declare the rules of a body's fields. The decorator nearest to a field is checked first. */
export const Must = {
  /** @param example a valid value @param when true for objects that require the field; default: all */
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

  /** @param refusedLater known values that another rule refuses with a better explanation */
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
      { maxLength: limit }, // JSON Schema counts characters, which have one or two units
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
  /** The name of a resource: 1 to 200 characters on one line. */
  beName: (): PropertyDecorator => textForPeople('isName', 200, false),
  /** One visible line of at most `limit` characters. */
  beLine: (limit: number): PropertyDecorator => textForPeople('isLine', limit, false),
  /** Visible text of at most `limit` characters, line breaks included. */
  beVisibleText: (limit: number): PropertyDecorator => textForPeople('isVisibleText', limit, true),
  /** A network's token or key, which is sent in URLs and headers. */
  beCredential: (): PropertyDecorator =>
    rule(
      'isCredential',
      (value) => {
        if (typeof value !== 'string') return wrongTypeProblem('a string', value);
        if (CREDENTIAL.test(value)) return undefined;
        return { code: 'bad_credential', predicate: FIELD_MESSAGES.badCredential };
      },
      { type: 'string', pattern: CREDENTIAL.source },
    ),
  /**
   * Text that matches a pattern.
   * @param inWords describes the pattern; completes the phrase "must be …"
   * @param also other text that is taken, which the schema does not name
   */
  match: (form: RegExp, inWords: string, also?: RegExp): PropertyDecorator =>
    rule(
      'matches',
      (value) => {
        if (typeof value === 'number')
          return { code: 'wrong_type', predicate: FIELD_MESSAGES.numberForText({ form: inWords }) };
        if (typeof value !== 'string') return wrongTypeProblem('a string', value);
        return form.test(value) || also?.test(value)
          ? undefined
          : { code: 'bad_form', predicate: wrongTypePredicate(inWords, value) };
      },
      { type: 'string', pattern: form.source },
    ),
  /**
   * A value that a function accepts.
   * @param findProblemOf returns undefined for an allowed value
   * @param schema the part of the rule that JSON Schema can express
   */
  beAllowedBy: (
    findProblemOf: (value: unknown) => FieldProblem | undefined,
    schema: JsonSchema = { type: 'string' },
  ): PropertyDecorator => rule('isAllowed', findProblemOf, schema),
  /**
   * A rule for text that describes its own problems, such as the rules in url-rules.ts.
   * @param when as for {@link Must.bePresent}
   */
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
  /** An integer from `least` to `most`, inclusive. */
  beWithin: (least: number, most: number): PropertyDecorator => {
    const range = broken('out_of_range', (value) => FIELD_MESSAGES.outOfRange({ least, most, value: String(value) }), {
      schema: { minimum: least, maximum: most },
    });
    const rules = [IsInt(wrongType('an integer', 'integer')), Min(least, range), Max(most, range)];
    return (target, property) => rules.forEach((rule) => rule(target, property));
  },
} as const;

interface Rule {
  readonly property: string;
  readonly isPresence: boolean;
  readonly applies: ((object: object, value: unknown) => boolean) | undefined;
  /** Arguments for the validators; object and value are set for each check. */
  readonly args: ValidationArguments;
  readonly validators: readonly ValidatorConstraintInterface[];
}

const compiled = new WeakMap<object, readonly Rule[]>();

/**
 * Returns true if class-validator would accept an object (missing properties skipped). Collects the constraints once
 * per class, whereas class-validator collects them for every object, which costs more than the checks (ADR-19). If an
 * object fails, class-validator provides the messages.
 */
export const passesRules = (dto: object): boolean => {
  const values = dto as Readonly<Record<string, unknown>>;
  for (const { property, isPresence, applies, args, validators } of rulesOf(dto.constructor)) {
    const value = values[property];
    if (!isPresence && (value === undefined || value === null)) continue;
    if (applies && !applies(dto, value)) continue;
    args.object = dto;
    args.value = value;
    for (const validator of validators) if (validator.validate(value, args) !== true) return false;
  }
  return true;
};

const rulesOf = (target: object): readonly Rule[] => {
  const known = compiled.get(target);
  if (known) return known;
  const storage = getMetadataStorage();
  const metadata = storage.getTargetValidationMetadatas(target as never, '', false, false);
  const rules = metadata.map(({ name, propertyName, validateIf, constraints, constraintCls }) => ({
    property: propertyName,
    isPresence: name === 'isDefined',
    applies: validateIf as Rule['applies'],
    args: { targetName: '', property: propertyName, object: {}, value: undefined, constraints: constraints ?? [] },
    validators: storage.getTargetValidatorConstraints(constraintCls).map(({ instance }) => instance),
  }));
  compiled.set(target, rules);
  return rules;
};
