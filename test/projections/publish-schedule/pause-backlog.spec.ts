import { Schedule, type Timeline } from './timeline.js';

let schedule: Schedule;
let time: Timeline;
beforeAll(async () => (schedule = await Schedule.start()));
afterAll(() => schedule.stop());
beforeEach(() => (time = schedule.newTimeline()));

const accept = async (names: string, where?: Parameters<Timeline['accept']>[1]): Promise<void> => {
  for (const name of names) await time.accept(name, where);
};

describe('the backlog of a channel pause (D-21)', () => {
  it('goes out at one-minute intervals after the pause has expired', async () => {
    await time.pauseChannel(10);
    time.at(1);
    await accept('abc');
    expect(await time.publish(9)).toEqual([]);
    expect(await time.publish(30)).toEqual([
      ['a', 10],
      ['b', 11],
      ['c', 12],
    ]);
  });

  it('goes out at one-minute intervals from the moment the pause is lifted', async () => {
    await time.pauseChannel(10);
    await accept('abc');
    await time.at(4).resumeChannel();
    expect(await time.publish(30)).toEqual([
      ['a', 4],
      ['b', 5],
      ['c', 6],
    ]);
  });

  it('includes posts that were accepted before the pause and not yet published', async () => {
    await accept('ab');
    await time.at(1).pauseChannel(5);
    time.at(2);
    await accept('c');
    expect(await time.publish(30)).toEqual([
      ['a', 6],
      ['b', 7],
      ['c', 8],
    ]);
  });

  it('does not include posts accepted after the pause: they follow it immediately, in order', async () => {
    await time.pauseChannel(10);
    await accept('ab');
    time.at(10);
    await accept('xy');
    expect(await time.publish(30)).toEqual([
      ['a', 10],
      ['b', 11],
      ['x', 11],
      ['y', 11],
    ]);
  });

  it('does not include posts accepted after the pause was lifted, though before the end that it would have had', async () => {
    await time.pauseChannel(10);
    await time.at(2).resumeChannel();
    await accept('ab');
    expect(await time.publish(30)).toEqual([
      ['a', 2],
      ['b', 2],
    ]);
  });

  it('does not delay posts that are accepted after it has gone out', async () => {
    await time.pauseChannel(10);
    await accept('a');
    await time.publish(20);
    await accept('xy');
    expect(await time.publish(30)).toEqual([
      ['a', 10],
      ['x', 20],
      ['y', 20],
    ]);
  });

  it('waits during a new pause that starts while it drains, then continues at the same intervals', async () => {
    await time.pauseChannel(5);
    await accept('abcd');
    await time.publish(6.5); // a at 5, b at 6
    await time.pauseChannel(3.5);
    expect(await time.publish(30)).toEqual([
      ['a', 5],
      ['b', 6],
      ['c', 10],
      ['d', 11],
    ]);
  });

  it('keeps the interval across a pause that is lifted within it', async () => {
    await time.pauseChannel(5);
    await accept('ab');
    await time.publish(5.25);
    await time.pauseChannel(5);
    await time.at(5.5).resumeChannel();
    expect(await time.publish(30)).toEqual([
      ['a', 5],
      ['b', 6],
    ]);
  });

  it('is delayed by a longer pause and not by a shorter one: 5 minutes requested during 10 leave 10', async () => {
    await time.pauseChannel(10);
    await accept('a');
    await time.at(1).pauseChannel(5);
    expect(await time.publish(9.9)).toEqual([]);
    await time.pauseChannel(5);
    expect(await time.publish(30)).toEqual([['a', 14.9]]);
  });

  it('is separate for each channel', async () => {
    await time.pauseChannel(10, 'north');
    await time.pauseChannel(10, 'south');
    await accept('ab', { channel: 'north' });
    await accept('xy', { channel: 'south' });
    const published = await time.publish(30);
    expect(published.filter(([post]) => 'ab'.includes(post))).toEqual([
      ['a', 10],
      ['b', 11],
    ]);
    expect(published.filter(([post]) => 'xy'.includes(post))).toEqual([
      ['x', 10],
      ['y', 11],
    ]);
  });

  it('is retried when the network asked for it: the interval applies between posts, not between attempts', async () => {
    await time.pauseChannel(10);
    await accept('ab');
    let attempts = 0;
    const busyOnce = () => (++attempts === 1 ? { retryAfter: 0.25 } : 'success');
    expect(await time.publish(30, busyOnce)).toEqual([
      ['a', 10.25],
      ['b', 11.25],
    ]);
  });

  it('delays the channel in every project that uses it', async () => {
    await time.pauseChannel(10);
    await accept('a', { project: 'one' });
    await accept('b', { project: 'two' });
    expect(await time.publish(30)).toEqual([
      ['a', 10],
      ['b', 11],
    ]);
  });
});

describe('the backlog of a project pause (D-21)', () => {
  it('consists of the posts accepted during it and goes out at one-minute intervals per channel', async () => {
    await time.pauseProject(10);
    await accept('ab', { channel: 'north' });
    await accept('xy', { channel: 'south' });
    const published = await time.publish(30);
    expect([...published].sort()).toEqual([
      ['a', 10],
      ['b', 11],
      ['x', 10],
      ['y', 11],
    ]);
  });

  it('does not include posts accepted before: they go out immediately', async () => {
    await accept('ab');
    await time.pauseProject(10);
    await accept('c');
    expect(await time.publish(30)).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 10],
    ]);
  });

  it('does not delay other projects on the same channel', async () => {
    await time.pauseProject(10, 'paused');
    await accept('a', { project: 'paused' });
    await accept('b', { project: 'open' });
    time.at(5);
    await accept('c', { project: 'open' });
    expect(await time.publish(30)).toEqual([
      ['b', 5],
      ['c', 5],
      ['a', 10],
    ]);
  });

  it('moves with the pause when it is extended and when it is lifted', async () => {
    await time.pauseProject(10);
    await accept('ab');
    await time.at(5).pauseProject(15);
    time.at(6);
    await accept('c');
    expect(await time.publish(19)).toEqual([]);
    await time.resumeProject();
    expect(await time.publish(30)).toEqual([
      ['a', 19],
      ['b', 20],
      ['c', 21],
    ]);
  });

  it('continues when a new pause of the project starts while it drains: its posts were accepted before', async () => {
    await time.pauseProject(10);
    await accept('abc');
    await time.publish(11);
    await time.pauseProject(30);
    await accept('x');
    expect(await time.publish(60)).toEqual([
      ['a', 10],
      ['b', 11],
      ['c', 12],
      ['x', 41],
    ]);
  });

  it('keeps the order of acceptance among all posts that may go', async () => {
    await time.pauseProject(10, 'paused');
    await accept('ab', { project: 'paused' });
    time.at(10);
    await accept('x', { project: 'open' });
    expect(await time.publish(30)).toEqual([
      ['a', 10],
      ['b', 11],
      ['x', 11],
    ]);
  });

  it('also waits for the channel’s own pause', async () => {
    await time.pauseProject(10);
    await time.pauseChannel(20);
    await accept('ab');
    expect(await time.publish(60)).toEqual([
      ['a', 20],
      ['b', 21],
    ]);
  });

  it('waits for the project’s pause after the channel’s is lifted', async () => {
    await time.pauseProject(10);
    await time.pauseChannel(20);
    await accept('a');
    await time.at(5).resumeChannel();
    expect(await time.publish(60)).toEqual([['a', 10]]);
  });
});
