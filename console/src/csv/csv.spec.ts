import { csvTime, toCell, toLines } from './csv.js';

describe('a cell', () => {
  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "no"', '"say ""no"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+7 999', "'+7 999"],
    ['-2', "'-2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['  =cmd|calc', "'  =cmd|calc"],
    ['\t=1', "'\t=1"],
    ['＝1', "'＝1"],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
    [-2, '-2'],
    [true, 'true'],
    [null, ''],
    [undefined, ''],
  ])('of %j is %j', (value, cell) => {
    expect(toCell(value, ',')).toBe(cell);
  });

  it('is quoted for its own separator alone', () => {
    expect(toCell('a,b', ';')).toBe('a,b');
    expect(toCell('a;b', ';')).toBe('"a;b"');
  });
});

it('lines end as spreadsheets expect', () => {
  const columns = [
    { title: 'n', cell: (n: number) => n },
    { title: 'text', cell: (n: number) => `=${n}` },
  ];
  expect(toLines([1, 2], columns, ',')).toBe("1,'=1\r\n2,'=2\r\n");
});

it('a time has its zone', () => {
  expect(csvTime('2026-11-29T11:05:03.000Z')).toMatch(/^2026-11-\d\d \d\d:\d\d:03 [+-]\d\d:\d\d$/);
  expect(Date.parse(csvTime('2026-11-29T11:05:03.000Z')!.replace(' ', 'T').replace(' ', ''))).toBe(
    Date.parse('2026-11-29T11:05:03.000Z'),
  );
  expect(csvTime(null)).toBeNull();
});
