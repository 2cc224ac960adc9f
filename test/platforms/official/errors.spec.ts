import { readFileSync } from 'node:fs';
import { MAX_ERRORS } from '../../../src/platforms/max/errors.js';
import { OK_ERRORS } from '../../../src/platforms/ok/errors.js';
import { ErrorTable } from '../../../src/platforms/outcomes.js';
import { VK_ERRORS } from '../../../src/platforms/vk/errors.js';

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`./${name}-errors.json`, import.meta.url), 'utf8')) as T;

interface Codes {
  /** Names by code. */
  readonly errors: Readonly<Record<string, string>>;
}
interface Answers {
  readonly answers: readonly { readonly status: number; readonly code: string; readonly message: string }[];
}

const unknownCodes = (table: ErrorTable, { errors }: Codes): string[] =>
  Object.entries(errors)
    .filter(([code, name]) => !table.find({ codes: [Number(code)], words: name.toUpperCase() }))
    .map(([code, name]) => `${code} ${name}`);

// Before the tables, the gateway did not know 51 of VK's 75 codes, 68 of OK's 96, and 5 of MAX's 23 answers (ADR-280).
describe("errors that the networks list, and the gateway's tables do not", () => {
  it('VK: 10 of 75, about calls that the gateway does not make', () => {
    const list = read<Codes>('vk');
    expect(unknownCodes(new ErrorTable('vk', 'VK', VK_ERRORS), list)).toEqual([
      '19 blocked',
      '30 private_profile',
      '33 not_implemented_yet',
      '34 client_version_deprecated',
      '35 client_update_needed',
      '201 access_audio',
      '500 votes_permission',
      '600 ads_permission',
      '603 ads_specific',
      '3305 assert_votes',
    ]);
    expect(Object.keys(list.errors)).toHaveLength(75);
  });

  it('OK: 36 of 96, about calls that the gateway does not make', () => {
    const list = read<Codes>('ok');
    expect(unknownCodes(new ErrorTable('ok', 'OK', OK_ERRORS), list)).toEqual([
      '25 not_active',
      '26 total_limit_reached',
      '106 param_entity_id',
      '130 param_widget',
      '140 param_message_id',
      '141 param_comment_id',
      '150 param_happening_id',
      '151 param_happening_photo_id',
      '211 param_decision',
      '212 param_badge_id',
      '213 param_present_id',
      '214 param_relation_type',
      '508 photo_pin_too_much',
      '602 media_topic_poll_question_text_limit',
      '603 media_topic_poll_answers_limit',
      '604 media_topic_poll_answer_text_limit',
      '605 media_topic_with_friends_limit',
      '606 media_topic_with_friends_user_limit',
      '610 group_duplicate_join_request',
      '700 comment_not_found',
      '701 invalid_author',
      '702 comment_not_active',
      '704 timeout_exceeded',
      '705 chat_not_found',
      '706 message_not_active',
      '1001 callback_invalid_payment',
      '1002 payment_is_required_payment',
      '1003 invalid_payment',
      '1004 duplicate_payment',
      '1005 not_enough_money',
      '1101 vchat_service_disabled',
      '1102 target_user_unavailable',
      '1103 friendship_required',
      '1200 batch',
      '1400 app_empty_search_params',
      '1401 app_search_scenario_does_not_exist',
    ]);
    expect(Object.keys(list.errors)).toHaveLength(96);
  });

  it('MAX: 1 of 23, a 400 with a code that is in no document', () => {
    const { answers } = read<Answers>('max');
    const table = new ErrorTable('max', 'MAX', MAX_ERRORS);
    const unknown = answers.filter(({ status, code, message }) => {
      const words = [code, message].filter(Boolean).join(': ');
      return !table.find({ codes: [status, ...(code === '' ? [] : [code])], words });
    });
    expect(unknown.map(({ status, code }) => `${status} ${code}`)).toEqual(['400 bad.request']);
    expect(answers).toHaveLength(23);
  });
});
