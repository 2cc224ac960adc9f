import { diffLines } from './diff-lines.js';

describe('the lines of two rows', () => {
  it('are the members that differ, with their neighbours', () => {
    const live = { id: 'a', state: 'published', urls: [], ids: ['812'], at: 1 };
    const fresh = { ...live, urls: ['https://max.ru/812'] };
    expect(diffLines(live, fresh)).toEqual([
      [
        { text: '"state": "published"', isChanged: false },
        { text: '"urls": []', isChanged: true },
        { text: '"ids": ["812"]', isChanged: false },
      ],
      [
        { text: '"state": "published"', isChanged: false },
        { text: '"urls": ["https://max.ru/812"]', isChanged: true },
        { text: '"ids": ["812"]', isChanged: false },
      ],
    ]);
  });

  it('are all members of a row that only one side has', () => {
    expect(diffLines(null, { id: 'a' })).toEqual([null, [{ text: '"id": "a"', isChanged: true }]]);
  });

  it('leave out a member that one side lacks, on that side', () => {
    expect(diffLines({ id: 'a' }, { id: 'a', more: 1 })[0]).toEqual([{ text: '"id": "a"', isChanged: false }]);
  });
});
