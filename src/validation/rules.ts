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
import { LIMITS } from '../payload/payload.js';
import { charactersIn, isVisible } from './text-measure.js';
import { described, grouped, tooLong, type Complaint } from './wording.js';

/**
 * What a broken rule hands to class-validator, to be found in the error's contexts. The complaint is made from the value
 * only when the rule is broken; class-validator's own messages would put whatever was sent, at any length, into the
 * answer.
 */
export interface RuleContext {
  readonly complain: (value: unknown) => Complaint;
}

const breach = (code: string, what: (value: unknown) => string): ValidationOptions =>
  refusing((value) => ({ code, what: what(value) }));

const refusing = (complain: RuleContext['complain']): ValidationOptions => ({
  // class-validator keeps the context of a rule only where the rule has a message.
  message: 'see contexts',
  context: { complain } satisfies RuleContext,
});

/** A rule on text, of our own; what is no text breaks other rules. */
const textRule = (
  name: string,
  complaintAbout: (text: string) => Complaint | undefined,
  options: ValidationOptions = {},
): PropertyDecorator =>
  ValidateBy(
    { name, validator: { validate: (value) => typeof value !== 'string' || complaintAbout(value) === undefined } },
    { ...options, ...refusing((value) => complaintAbout(value as string) as Complaint) },
  );

const only = <T>(when: ((object: T) => boolean) | undefined): ValidationOptions =>
  when ? { validateIf: (object: unknown) => when(object as T) } : {};

const wrongType = (kind: string): ValidationOptions =>
  breach('wrong_type', (value) => `must be ${kind}, not ${described(value)}`);

/** The rules that a payload's fields are declared with. Those nearest to a field are checked first. */
export const Must = {
  /** @param example what to send. @param when tells on which objects the field is required; on all, where left out. */
  bePresent: <T>(example: string, when?: (object: T) => boolean): PropertyDecorator =>
    IsDefined({
      ...breach('missing', () => `is missing: send ${example}`),
      ...only(when),
    }),
  beText: (): PropertyDecorator => IsString(wrongType('a string')),
  beBoolean: (): PropertyDecorator => IsBoolean(wrongType('true or false')),
  beObject: (): PropertyDecorator => IsObject(wrongType('an object')),
  beArray: (of: string): PropertyDecorator => IsArray(wrongType(`an array of ${of}`)),
  beInteger: (): PropertyDecorator => IsInt(wrongType('an integer')),

  /** @param refusedLater values that are known, and that another rule refuses with a better reason. */
  beOneOf: (values: readonly string[], refusedLater: readonly string[] = []): PropertyDecorator =>
    IsIn(
      [...values, ...refusedLater],
      breach('unknown_value', (value) => `must be one of ${values.join(', ')}, not ${described(value)}`),
    ),
  beAtLeast: (least: number): PropertyDecorator =>
    Min(
      least,
      breach('out_of_range', (value) => `must be ${least} or more, not ${String(value)}`),
    ),
  beVisible: (): PropertyDecorator =>
    textRule('isVisible', (text) =>
      isVisible(text) ? undefined : { code: 'empty', what: 'has nothing in it that can be seen' },
    ),
  haveAtMostUnits: (limit: number): PropertyDecorator =>
    textRule('hasAtMostUnits', ({ length }) =>
      length <= limit ? undefined : { code: 'too_long', what: tooLong(length, limit, 'UTF-16 units') },
    ),
  haveAtMostCharacters: (limit: number): PropertyDecorator =>
    textRule('hasAtMostCharacters', (text) => {
      const length = charactersIn(text);
      return length <= limit ? undefined : { code: 'too_long', what: tooLong(length, limit, 'characters') };
    }),
  /** A rule with complaints of its own, such as those of url-rules.ts. @param when as for {@link Must.bePresent}. */
  satisfy: <T>(
    complaintAbout: (text: string) => Complaint | undefined,
    when?: (object: T) => boolean,
  ): PropertyDecorator => textRule('satisfies', complaintAbout, only(when)),
  haveAtMostItems: (limit: number): PropertyDecorator =>
    ArrayMaxSize(
      limit,
      breach(
        'too_many',
        (value) => `has ${grouped((value as readonly unknown[]).length)} items; at most ${limit} are allowed`,
      ),
    ),
  /** A pause in minutes (publish-api.md: Limits). */
  bePauseMinutes: (): PropertyDecorator => {
    const range = breach('out_of_range', (value) => `must be from 0 to ${LIMITS.pauseMinutes}, not ${String(value)}`);
    const rules = [IsInt(wrongType('an integer')), Min(0, range), Max(LIMITS.pauseMinutes, range)];
    return (target, property) => rules.forEach((rule) => rule(target, property));
  },
} as const;
