import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Log, silentLog } from '../../src/kernel/log.js';
import { buildProgram } from '../../src/media/helper.js';
import {
  type Inspection,
  type InspectionRequest,
  Inspector,
  type InspectorOptions,
} from '../../src/media/inspector.js';
import { stopLater } from './harness.js';
import { jpeg, png, webp } from './make-images.js';
import { m4a, makeVideo, mp3WithTag, ogg, webm } from './make-videos.js';

const inspectorWith = (options: InspectorOptions = {}): Inspector => {
  const inspector = new Inspector({ timeoutMs: 30_000, ...options });
  stopLater({ stop: async () => inspector.close() });
  return inspector;
};
const whole = (bytes: Buffer): InspectionRequest => ({ sizeBytes: bytes.length, parts: [{ offset: 0, bytes }] });

const listening = (): { said: string[]; log: Log } => {
  const said: string[] = [];
  return { said, log: { ...silentLog, warn: (_, message) => void said.push(message) } };
};

/** Replaces the parsers: acts on the first byte. */
const fragile = buildProgram(async () => {
  const hoard: number[][] = [];
  return async ({ parts }: InspectionRequest): Promise<Inspection> => {
    const order = String.fromCharCode(parts[0]?.bytes[0] ?? 0);
    if (order === 'h') for (;;);
    if (order === 'm') for (;;) hoard.push(Array.from({ length: 100_000 }, () => Math.random()));
    if (order === 'x') process.exit(1);
    if (order === 't')
      return new Promise(() =>
        setImmediate(() => {
          throw new Error('thrown');
        }),
      );
    if (order === 's') process.kill(process.pid, 'SIGSEGV');
    if (order === 'e') throw new Error('could not parse');
    return { extension: order, mime: null };
  };
});

describe('a file that breaks a parser', () => {
  it.each([
    ['keeps it busy for ever', 'h'],
    ['takes all memory', 'm'],
    ['makes it throw', 't'],
    ['ends it', 'x'],
    ['crashes it', 's'],
    ['is refused by it', 'e'],
  ])('is reported as uncertain, and later files are read: it %s', async (_, order) => {
    const said: string[] = [];
    const log = {
      ...console,
      warn: (context: object, message: string) => said.push(message + JSON.stringify(context)),
    };
    // Memory of that size is filled within seconds. The other files need none, but on a busy machine they need seconds.
    const inspector = inspectorWith({ program: fragile, timeoutMs: order === 'h' ? 8_000 : 60_000, log });
    const asked = ['a', order, 'b', order, 'c'].map((word) => inspector.inspect(whole(Buffer.from(word))));
    expect((await Promise.all(asked)).map((answer) => answer?.extension ?? null)).toEqual(['a', null, 'b', null, 'c']);
    expect(said).toHaveLength(2);
  });

  it('that needs too much memory affects only its own answer', async () => {
    const inspector = inspectorWith({ maxWasmBytes: 1 });
    const modest = makeVideo({ seconds: 5 });
    const greedy = makeVideo({ seconds: 5, samples: 900_000 });
    expect(await inspector.inspect(whole(modest))).toMatchObject({ durationSeconds: 5 });
    expect(await inspector.inspect(whole(greedy))).toBeNull();
    expect(await inspector.inspect(whole(modest))).toMatchObject({ durationSeconds: 5 });
  });
});

it('skips a file whose caller has gone', async () => {
  const inspector = inspectorWith({ program: fragile });
  const gone = new AbortController();
  const first = inspector.inspect(whole(Buffer.from('a')));
  const second = inspector.inspect(whole(Buffer.from('h')), gone.signal);
  const third = inspector.inspect(whole(Buffer.from('c')));
  gone.abort();
  expect((await Promise.all([first, second, third])).map((answer) => answer?.extension)).toEqual(['a', undefined, 'c']);
});

it('answers waiting callers when it is closed', async () => {
  const inspector = inspectorWith({ program: fragile });
  const asked = ['h', 'a'].map((word) => inspector.inspect(whole(Buffer.from(word))));
  inspector.close();
  expect(await Promise.all(asked)).toEqual([null, null]);
});

it('keeps no idle process alive', () => {
  const loader = fileURLToPath(new URL('../support/typescript-loader.js', import.meta.url));
  const script = fileURLToPath(new URL('./inspect-process.ts', import.meta.url));
  const { stdout, status } = spawnSync(process.execPath, ['--import', loader, script], {
    encoding: 'utf8',
    timeout: 120_000,
  });
  expect(JSON.parse(stdout)).toMatchObject({ extension: 'mp4', durationSeconds: 5, hasVideo: true });
  expect(status).toBe(0);
});

it('survives every damaged file and recognises the valid one after them', async () => {
  const rounds = process.env.TEST_LONG ? 20_000 : 200;
  const { said, log } = listening();
  const inspector = inspectorWith({ log });
  const samples = [
    ...[
      makeVideo({ seconds: 5 }),
      makeVideo({ seconds: 5, index: 'last', samples: 300 }),
      makeVideo({ seconds: 5, brand: 'qt  ' }),
    ],
    ...[webm(5), m4a(), mp3WithTag(500), ogg(), jpeg(40, 30, 900), png(40, 30), webp(40, 30)],
  ];
  const random = seeded(20_260_101);
  for (let round = 0; round < rounds; round++) {
    const bytes = damaged(samples[round % samples.length] as Buffer, random);
    const sizeBytes = [bytes.length, 2 ** 40, null][round % 3] as number | null;
    await inspector.inspect({ sizeBytes, parts: [{ offset: 0, bytes }] });
  }
  expect(said.filter((line) => line.includes('restarted'))).toEqual([]);
  expect(await inspector.inspect(whole(makeVideo({ seconds: 5 })))).toMatchObject({ durationSeconds: 5 });
});

/** Returns a copy with a few bytes changed, a range repeated, or the end removed. */
const damaged = (sound: Buffer, random: (below: number) => number): Buffer => {
  const bytes = Buffer.from(sound);
  for (let n = random(8); n >= 0; n--) bytes[random(bytes.length)] = [0, 0xff, 0x7f, random(256)][random(4)] as number;
  if (random(3) === 0) return bytes.subarray(0, random(bytes.length));
  if (random(3) > 0) return bytes;
  const at = random(bytes.length);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(random(at + 1))]);
};

/** Pseudo-random numbers, the same in every run (mulberry32). */
const seeded = (seed: number) => (below: number) => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
};
