import { Unavailable } from '../../event-store/port.js';
import { OutageNotice } from './run-under-lease.js';

const lines: string[] = [];
const add =
  (level: string) =>
  (_: object, message: string): number =>
    lines.push(`${level}: ${message}`);
const log = { debug: add('debug'), info: add('info'), warn: add('warn'), error: add('error') };

beforeEach(() => void (lines.length = 0));

describe('the notice of an outage', () => {
  it('is logged once, whatever the number of keys, and so is its end', () => {
    const notice = new OutageNotice('publishing', log);
    notice.recordSuccess();
    for (const key of ['one', 'two', 'three']) notice.recordOutage(new Unavailable(`read ${key}`));
    notice.recordSuccess();
    notice.recordSuccess();
    notice.recordOutage(new Unavailable('append'));
    expect(lines).toEqual([
      'warn: publishing waits until the event store is available',
      'info: publishing continues after an outage',
      'warn: publishing waits until the event store is available',
    ]);
  });

  it('names the database where the event store did not fail', () => {
    const notice = new OutageNotice('delivery', log);
    notice.recordOutage(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }));
    expect(lines).toEqual(['warn: delivery waits until the database is available']);
  });
});
