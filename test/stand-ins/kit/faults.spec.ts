import { startStandIn } from '../telegram/stand-in.js';

let telegram: Awaited<ReturnType<typeof startStandIn>>;
beforeEach(async () => {
  telegram = await startStandIn();
});
afterEach(() => telegram.stop());

const send = (text: string, chat_id = '@faults') => telegram.call('sendMessage', { chat_id, text });
const accepted = async () => (await telegram.control.readLedger()).map(({ text }) => text);

describe('faults', () => {
  it('answer instead of accepting, with the status, headers and body of the fault', async () => {
    await telegram.control.addFault({ mode: 'answer', status: 503, body: { ok: false }, headers: { 'x-a': 'b' } });
    const answer = await send('one');
    expect([answer.status, answer.headers.get('x-a'), answer.body]).toEqual([503, 'b', { ok: false }]);
    expect(await accepted()).toEqual([]);
    expect((await send('two')).status).toBe(200);
  });

  it("answer with the network's own error body if the fault has none", async () => {
    await telegram.control.addFault({ mode: 'answer', status: 502 });
    expect((await send('one')).body).toEqual({ ok: false, error_code: 502, description: 'Bad Gateway' });
  });

  it('accept and send another answer', async () => {
    await telegram.control.addFault({ mode: 'accept_then_answer', status: 200, body: '<html>' });
    await expect(send('one')).rejects.toThrow(/JSON/);
    expect(await accepted()).toEqual(['one']);
  });

  it.each([
    ['accept_then_drop', ['one']],
    ['drop_before_accepting', []],
  ] as const)('%s breaks the connection', async (mode, ledger) => {
    await telegram.control.addFault({ mode });
    await expect(send('one')).rejects.toThrow();
    expect(await accepted()).toEqual(ledger);
  });

  it('break the connection in the middle of an answer', async () => {
    await telegram.control.addFault({ mode: 'accept_then_answer', status: 200, body: { ok: true }, cut_at: 5 });
    await expect(send('one')).rejects.toThrow();
    expect(await accepted()).toEqual(['one']);
  });

  it.each([
    ['hang', []],
    ['accept_then_hang', ['one']],
  ] as const)('%s keeps the caller waiting until the stand-in stops', async (mode, ledger) => {
    await telegram.control.addFault({ mode });
    const call = send('one').then(
      () => 'answered',
      () => 'broken',
    );
    while ((await telegram.control.listCalls()).total === 0) await new Promise((resolve) => setImmediate(resolve));
    while ((await accepted()).length < ledger.length) await new Promise((resolve) => setImmediate(resolve));
    expect(await accepted()).toEqual(ledger);
    await telegram.stop();
    expect(await call).toBe('broken');
    telegram = await startStandIn();
  });

  it('apply to the configured number of calls, of their method and channel only', async () => {
    await telegram.control.addFault({ mode: 'answer', method: 'sendMessage', channel: '@faults', times: 2 });
    expect((await telegram.call('getMe', {})).status).toBe(200);
    expect((await send('elsewhere', '@other')).status).toBe(200);
    expect([(await send('1')).status, (await send('2')).status, (await send('3')).status]).toEqual([500, 500, 200]);
    expect(await telegram.control.listFaults()).toEqual([]);
  });

  it('last until they are removed if they have no number of times', async () => {
    await telegram.control.addFault({ mode: 'answer', times: null });
    for (const text of ['1', '2', '3']) expect((await send(text)).status).toBe(500);
    await telegram.control.clearFaults();
    expect((await send('4')).status).toBe(200);
  });

  it('apply in the order in which they were added', async () => {
    for (const status of [500, 429, 403]) await telegram.control.addFault({ mode: 'answer', status });
    expect([(await send('1')).status, (await send('2')).status, (await send('3')).status]).toEqual([500, 429, 403]);
  });

  it('delay one call or all calls without changing them', async () => {
    await telegram.control.addFault({ mode: 'delay', delay_ms: 30 });
    await telegram.control.setDelay(20);
    expect((await send('slow')).status).toBe(200);
    expect((await telegram.control.listCalls()).items.at(-1)).toMatchObject({ fault: 'delay', status: 200 });
    expect(await accepted()).toEqual(['slow']);
  });

  it.each([
    [{ mode: 'explode' }, 'mode must be one of'],
    [{ times: 0 }, 'times must be a whole number from 1'],
    [{ delay_ms: -1 }, 'delay_ms must be'],
    [{ staus: 500 }, 'unknown field staus of a fault'],
  ])('are rejected if invalid: %p', async (fault, message) => {
    await expect(telegram.control.request('POST', 'faults', fault)).rejects.toThrow(message);
  });
});

describe('the log of calls', () => {
  it('contains every call in order, with request and status but without the token', async () => {
    await send('one');
    await telegram.control.addFault({ mode: 'drop_before_accepting' });
    await send('two').catch(() => null);
    await telegram.call('getMe', {});
    const { items, total, counts } = await telegram.control.listCalls();
    expect(items).toMatchObject([
      { seq: 1, method: 'sendMessage', channel: '@faults', status: 200, fault: null, request: { text: 'one' } },
      { seq: 2, method: 'sendMessage', status: null, fault: 'drop_before_accepting' },
      { seq: 3, method: 'getMe', channel: null, status: 200 },
    ]);
    expect([total, counts]).toEqual([3, { sendMessage: 2, getMe: 1 }]);
    expect(JSON.stringify(items)).not.toContain('ABC-DEF');
    expect((await telegram.control.listCalls({ after: 1, method: 'sendMessage' })).items).toHaveLength(1);
  });

  it('rejects unknown controls', async () => {
    await expect(telegram.control.request('POST', 'nonsense', {})).rejects.toThrow('unknown control POST nonsense');
  });
});
