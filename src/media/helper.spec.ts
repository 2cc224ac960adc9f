import { sumExecutableData } from './helper.js';

it('counts the memory that V8 reserves for code, and no other', () => {
  const maps = `00400000-009d0000 r--p 00000000 08:01 1 /usr/bin/node
7fbd0f800000-7fbd2f580000 rwxp 00000000 00:00 0
7fbd37820000-7fbd477f0000 ---p 00000000 00:00 0
7fbd50000000-7fbd50100000 rwxp 00000000 00:00 0
7fbd51000000-7fbd51100000 rw-p 00000000 00:00 0
`;
  expect(sumExecutableData(maps)).toBe(521_728 + 1_024);
  expect(sumExecutableData('')).toBe(0);
});
