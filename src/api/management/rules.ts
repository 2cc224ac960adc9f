import { ValidateBy } from 'class-validator';
import type { RuleContext } from '../../validation/rules.js';
import { charactersIn, isVisible } from '../../validation/text-measure.js';
import { described, tooLong, type Complaint } from '../../validation/wording.js';

/** A rule of our own, in the form in which payload/check-fields.ts reads them. */
const rule = (name: string, complaintAbout: (value: unknown) => Complaint | undefined): PropertyDecorator =>
  ValidateBy(
    { name, validator: { validate: (value) => complaintAbout(value) === undefined } },
    {
      message: 'see contexts',
      context: { complain: (value) => complaintAbout(value) ?? { code: name, what: 'is wrong' } } satisfies RuleContext,
    },
  );

const complaint = (code: string, what: string): Complaint => ({ code, what });

const wrongType = (kind: string, value: unknown): Complaint =>
  complaint('wrong_type', `must be ${kind}, not ${described(value)}`);

/** Text that people read: visible, on one line where `multiline` is not set, at most so many characters. */
const textComplaint = (value: unknown, limit: number, multiline: boolean): Complaint | undefined => {
  if (typeof value !== 'string') return wrongType('a string', value);
  const length = charactersIn(value);
  if (length > limit) return complaint('too_long', tooLong(length, limit, 'characters'));
  if (!isVisible(value)) return complaint('empty', 'has nothing in it that can be seen');
  if (!multiline && /\p{Cc}/u.test(value)) return complaint('control_character', 'must be one line of plain text');
  return undefined;
};

const integerComplaint = (value: unknown, min: number, max: number): Complaint | undefined => {
  if (typeof value !== 'number' || !Number.isInteger(value)) return wrongType('an integer', value);
  return value >= min && value <= max
    ? undefined
    : complaint('out_of_range', `must be from ${min} to ${max}, not ${value}`);
};

/** The rules of what is managed, beside those of the payload (`Must`). They are checked from the field upwards. */
export const Is = {
  /** Names of things: 1 to 200 characters on one line. */
  name: (): PropertyDecorator => rule('isName', (value) => textComplaint(value, 200, false)),
  /** One line of at most so many characters. */
  line: (limit: number): PropertyDecorator => rule('isLine', (value) => textComplaint(value, limit, false)),
  /** Text of at most so many characters, line breaks included. */
  text: (limit: number): PropertyDecorator => rule('isText', (value) => textComplaint(value, limit, true)),
  integer: (min: number, max: number): PropertyDecorator =>
    rule('isIntegerWithin', (value) => integerComplaint(value, min, max)),
  /** A token or key of a network: it travels in URLs and headers. */
  credential: (): PropertyDecorator =>
    rule('isCredential', (value) => {
      if (typeof value !== 'string') return wrongType('a string', value);
      return /^[\x21-\x7e]{1,4096}$/.test(value)
        ? undefined
        : complaint('bad_credential', 'must be 1 to 4096 visible ASCII characters without spaces');
    }),
  /** Text of a form. @param inWords what it looks like, as the end of "must be …" */
  like: (form: RegExp, inWords: string): PropertyDecorator =>
    rule('isLike', (value) => {
      if (typeof value === 'number') return complaint('wrong_type', `must be ${inWords}: send it as a string`);
      if (typeof value !== 'string') return wrongType('a string', value);
      return form.test(value) ? undefined : complaint('bad_form', `must be ${inWords}, not ${described(value)}`);
    }),
  /** A rule with complaints of its own. */
  fine: (complaintAbout: (value: unknown) => Complaint | undefined): PropertyDecorator =>
    rule('isFine', complaintAbout),
} as const;

/** A number that stands for an id is taken as text; one that JSON has rounded already is left, and complained about. */
export const idText = (value: unknown): unknown => (Number.isSafeInteger(value) ? String(value) : (value ?? undefined));
