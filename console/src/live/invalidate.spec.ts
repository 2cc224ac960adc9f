import { createInvalidator } from './invalidate.js';

// In modules, Jest is not global.
const { jest } = import.meta as unknown as { readonly jest: typeof globalThis.jest };

describe('changes', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const start = () => {
    const asked: string[] = [];
    const keys = ['overview', 'posts', 'channels', 'ticks'];
    const announce = createInvalidator({
      invalidateQueries: ({ predicate } = {}) => {
        asked.push(keys.filter((key) => predicate?.({ queryKey: [key] } as never)).join(' '));
        return Promise.resolve();
      },
    });
    return { asked, announce };
  };

  it('are shown together soon after the first', () => {
    const { asked, announce } = start();
    announce({ kind: 'post', ids: [] });
    announce({ kind: 'channel', ids: [] });
    expect(asked).toEqual([]);
    jest.advanceTimersByTime(100);
    expect(asked).toEqual(['overview posts channels ticks']);
  });

  it('are shown less often while they keep coming, and the last one is not lost', () => {
    const { asked, announce } = start();
    for (let n = 0; n < 200; n++) {
      announce({ kind: 'post', ids: [] });
      jest.advanceTimersByTime(10);
    }
    expect(asked).toHaveLength(4);
    announce({ kind: 'endpoint', ids: [] });
    jest.advanceTimersByTime(500);
    expect(asked).toHaveLength(5);
    expect(asked[4]).toBe('overview posts ticks');
  });

  it('of a kind that no screen shows concern the history alone', () => {
    const { asked, announce } = start();
    announce({ kind: 'unknown', ids: [] });
    jest.advanceTimersByTime(100);
    expect(asked).toEqual(['ticks']);
  });
});
