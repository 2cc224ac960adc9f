import { TRANSLATION_ERRORS } from '../processing/translation/errors.js';
import { MAX_CHANGE_ERRORS, MAX_EDIT_ERRORS, MAX_ERRORS, MAX_PIN_ERRORS } from './max/errors.js';
import { OK_CHANGE_ERRORS, OK_ERRORS } from './ok/errors.js';
import { type Answer, type ErrorRow, ErrorTable } from './outcomes.js';
import type { StepOutcome } from './publisher.js';
import { TELEGRAM_CHANGE_ERRORS, TELEGRAM_EDIT_ERRORS, TELEGRAM_PIN_ERRORS } from './telegram/change-errors.js';
import { TELEGRAM_ERRORS } from './telegram/errors.js';
import { VK_CHANGE_ERRORS, VK_EDIT_ERRORS, VK_PIN_ERRORS } from './vk/change-errors.js';
import { VK_ERRORS } from './vk/errors.js';

const VK = new ErrorTable('vk', 'VK', VK_ERRORS);
const OK = new ErrorTable('ok', 'OK', OK_ERRORS);
const TABLES = [
  new ErrorTable('telegram', 'Telegram', TELEGRAM_ERRORS),
  VK,
  new ErrorTable('max', 'MAX', MAX_ERRORS),
  OK,
  new ErrorTable('gateway', 'LibreTranslate', TRANSLATION_ERRORS),
  new ErrorTable('telegram', 'Telegram, deletions', TELEGRAM_CHANGE_ERRORS),
  new ErrorTable('telegram', 'Telegram, edits', TELEGRAM_EDIT_ERRORS),
  new ErrorTable('telegram', 'Telegram, pins', TELEGRAM_PIN_ERRORS),
  new ErrorTable('vk', 'VK, deletions', VK_CHANGE_ERRORS),
  new ErrorTable('vk', 'VK, edits', VK_EDIT_ERRORS),
  new ErrorTable('vk', 'VK, pins', VK_PIN_ERRORS),
  new ErrorTable('max', 'MAX, deletions', MAX_CHANGE_ERRORS),
  new ErrorTable('max', 'MAX, edits', MAX_EDIT_ERRORS),
  new ErrorTable('max', 'MAX, pins', MAX_PIN_ERRORS),
  new ErrorTable('ok', 'OK, deletions', OK_CHANGE_ERRORS),
];
const CALL = { visible: true, waits: {}, credentials: { token: 'secret-token' } };

/** Returns an answer for each code and each of the words of a row. */
const answersOf = ({ codes = [], subcode, words = [] }: ErrorRow): Answer[] => {
  const said = words.length > 0 ? words.map((text) => `Bad Request: ${text.replaceAll('*', '50')}`) : ['in words'];
  const named = codes.length > 0 ? codes.map((code) => [code]) : [[]];
  return named.flatMap((list) => said.map((text): Answer => ({ codes: list, subcode, words: text })));
};

const answers = TABLES.flatMap((table) =>
  table.rows.flatMap((row) =>
    answersOf(row).map((answer): [string, ErrorTable, ErrorRow, Answer] => [
      `${table.title}: ${answer.codes.join(', ')} ${answer.words}`,
      table,
      row,
      answer,
    ]),
  ),
);

/** Kind and category of the outcome of each class, for a visible call. */
const ENDS: Readonly<Record<ErrorRow['class'], { readonly kind: StepOutcome['kind']; readonly category: string }>> = {
  retry: { kind: 'retry', category: 'rate_limit' },
  credentials: { kind: 'needs_attention', category: 'credentials' },
  channel: { kind: 'needs_attention', category: 'channel' },
  media: { kind: 'failed', category: 'media' },
  upload: { kind: 'failed', category: 'media' },
  refused: { kind: 'failed', category: 'payload' },
  program: { kind: 'failed', category: 'internal' },
  doubt: { kind: 'in_doubt', category: 'platform' },
};

describe("the tables of the networks' errors (network-errors.md)", () => {
  it.each(answers)('%s', (_, table, row, answer) => {
    expect(table.find(answer)).toBe(row);
    const { kind, category } = ENDS[row.class];
    const outcome = table.classify(answer, CALL);
    expect(outcome).toMatchObject({ kind, error: { code: row.code, source: table.platform } });
    const own = row.class === 'retry' && row.wait === undefined && answer.waitSeconds === undefined;
    expect(outcome).toMatchObject({ error: { category: own ? 'platform' : category, platform_says: answer.words } });
  });

  it.each(TABLES.map((table) => [table.title, table] as const))(
    '%s: names what each means in both languages',
    (_, table) => {
      for (const { advice, code } of table.rows) {
        expect(code).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
        expect(advice.en).toMatch(/^[A-Z].+\.$/);
        expect(advice.ru).toMatch(/[а-яё].*\.$/);
      }
    },
  );

  it('lacks an error: the post is refused with the words of the network, and the code is counted', () => {
    const unknown: string[] = [];
    const call = { ...CALL, countUnknown: (code: string) => unknown.push(code) };
    const outcome = VK.classify({ codes: [12345], words: 'Something new with secret-token' }, call);
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: { code: 'refused', category: 'payload', source: 'vk', platform_says: 'Something new with ***' },
    });
    expect(unknown).toEqual(['12345']);
  });

  it('retries what is in doubt if readers cannot see it', () => {
    const outcome = OK.classify({ codes: [9999], words: 'SYSTEM' }, { ...CALL, visible: false });
    expect(outcome).toMatchObject({ kind: 'retry', named: false, error: { code: 'server_error' } });
  });

  it('waits longer each time where an error implies a delay', () => {
    const afterMs = (waits: number) => {
      const outcome = VK.classify({ codes: [9], words: '' }, { ...CALL, waits: { slow_down: waits } });
      return outcome.kind === 'retry' ? outcome.afterMs : null;
    };
    expect([afterMs(0), afterMs(1), afterMs(20)]).toEqual([300_000, 600_000, 14_400_000]);
  });
});
