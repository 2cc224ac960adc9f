import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { anyPayload } from '../../test/support/payload-properties.js';
import * as dtos from '../payload/payload.dto.js';
import { type BodyClass, readFields } from './check-fields.js';
import { passesRules } from './rules.js';

/** True if class-validator itself accepts an object. */
const accepted = (dto: object) => validateSync(dto, { skipMissingProperties: true }).length === 0;

const classes = Object.values(dtos) as BodyClass<object>[];

describe('compiled rules', () => {
  it('agree with class-validator on every class of the payload, for any input', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('bold', 'photo', 'https://example.com/a', 0, -1, 1, 1441, ''),
    );
    const fields = [
      'text',
      'type',
      'url',
      'offset',
      'length',
      'id',
      'language',
      'custom_emoji_id',
      'ad_pause_minutes',
      'trace_id',
    ];
    const sent = fc.dictionary(fc.constantFrom(...fields), value);
    fc.assert(
      fc.property(sent, fc.constantFrom(...classes), (body, Dto) => {
        const dto = readFields(Dto, body);
        expect(passesRules(dto)).toBe(accepted(dto));
      }),
      { numRuns: 3_000, seed: 20_261_121 },
    );
  });

  it('agree with class-validator on realistic payloads', () => {
    fc.assert(
      fc.property(anyPayload, (payload) => {
        const dto = readFields(dtos.PublishPayloadDto, { ...payload });
        expect(passesRules(dto)).toBe(accepted(dto));
      }),
      { numRuns: 500, seed: 20_261_121 },
    );
  });
});
