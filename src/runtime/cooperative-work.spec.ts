import { atOnce, inTurns, nextTurn, type Steps } from './cooperative-work.js';

/** Steps that keep the thread for a while each. */
function* working(steps: number, ms: number, note: (step: number) => void = () => undefined): Steps<string> {
  for (let step = 0; step < steps; step++) {
    for (const end = performance.now() + ms; performance.now() < end;);
    note(step);
    yield;
  }
  return 'done';
}

describe('work in steps', () => {
  it('answers the same at once and in turns', async () => {
    expect(atOnce(working(3, 0))).toBe('done');
    expect(await inTurns(working(3, 0))).toBe('done');
  });

  it('in turns lets others have the thread between long steps, at once does not', async () => {
    const heard: string[] = [];
    const speak = (word: string) => setImmediate(() => heard.push(word));
    speak('before');
    atOnce(working(2, 12, (step) => heard.push(`at once ${step}`)));
    await nextTurn();
    await inTurns(
      working(2, 12, (step) => {
        heard.push(`in turns ${step}`);
        speak(`after ${step}`);
      }),
    );
    expect(heard).toEqual(['at once 0', 'at once 1', 'before', 'in turns 0', 'after 0', 'in turns 1', 'after 1']);
  });

  it('takes short steps together', async () => {
    let rounds = 0;
    const count = () => {
      rounds++;
      ticking = setImmediate(count);
    };
    let ticking = setImmediate(count);
    await inTurns(working(10_000, 0));
    clearImmediate(ticking);
    expect(rounds).toBeLessThan(1_000);
  });

  it('passes what goes wrong on', async () => {
    function* failing(): Steps<never> {
      throw new Error('broken');
    }
    await expect(inTurns(failing())).rejects.toThrow('broken');
    expect(() => atOnce(failing())).toThrow('broken');
  });
});

describe('nextTurn', () => {
  it('lets one go on in each round of the event loop', async () => {
    const heard: number[] = [];
    let round = 0;
    const turns = [1, 2, 3].map(() => nextTurn().then(() => heard.push(round)));
    const count = () => {
      round++;
      if (round < 10) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(turns);
    expect(new Set(heard).size).toBe(3);
  });
});
