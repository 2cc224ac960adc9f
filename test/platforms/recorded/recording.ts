import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { PlatformChannel, SendContext, VideoFacts } from '../../../src/platforms/publisher.js';
import { describeProblem, findShapeProblems, inferShape, readDescription } from '../official/shapes.js';
import { postOf, publishPost } from '../publish-post.js';
import { type NetworkName, NETWORKS } from '../wire/networks.js';
import { observe } from '../wire/observe.js';
import { type RecordedCall, Recorder } from '../wire/recorder.js';
import { type RealNetwork, startRelay } from '../wire/relay.js';
import { FIXED_POSTS } from './fixed-posts.js';
import { Masking } from './masking.js';

/** A file of a post. */
export interface FixtureFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly video?: VideoFacts;
}

/** A call and its answer, without secrets. */
export interface FixtureCall extends RecordedCall {
  readonly method: string;
  readonly isRefusal: boolean;
  readonly answer: { readonly status: number; readonly body: unknown };
}

/** What a network was asked for a post, or for a channel's test, and what it answered. */
export interface Fixture {
  readonly network: NetworkName;
  /** The name of the post; `test` or `test-with-a-wrong-token` for a channel's test. */
  readonly name: string;
  readonly address: PlatformChannel['address'];
  readonly files: readonly FixtureFile[];
  readonly calls: readonly FixtureCall[];
  /** How the post ended, or whether each check of the test passed. */
  readonly ends: string;
}

/** A channel on a network. */
export interface RecordedChannel {
  readonly apiUrl: string;
  readonly address: PlatformChannel['address'];
  readonly credentials: Readonly<Record<string, string>>;
  readonly settings?: PlatformChannel['settings'];
  /** Set for a real network: see {@link startRelay}. */
  readonly real?: RealNetwork;
}

const signal = new AbortController().signal;

/** Names of what is recorded: the posts, and the channel's test with right and with wrong credentials. */
export const RECORDED = [...Object.keys(FIXED_POSTS), 'test', 'test-with-a-wrong-token'];

/**
 * Publishes a post on a network, or tests the channel, and records calls and answers without secrets.
 * @param paths files of the post's media, in order
 */
export const recordOne = async (
  network: NetworkName,
  name: string,
  channel: RecordedChannel,
  files: readonly (FixtureFile & { readonly path: string })[],
): Promise<{ readonly fixture: Fixture; readonly masking: Masking }> => {
  const isWrong = name === 'test-with-a-wrong-token';
  const credentials = isWrong ? spoil(channel.credentials) : channel.credentials;
  const secrets = [...Object.values(channel.credentials), ...Object.values(credentials)];
  const masking = new Masking(secrets);
  const recorder = new Recorder(secrets);
  const answers: Omit<FixtureCall, keyof RecordedCall>[] = [];
  const relay = await startRelay(
    channel.apiUrl,
    {
      answered: async (call, answer) => {
        await recorder.record(call, answer);
        const { method, status, body, isRefusal } = await observe(network, call, answer);
        answers.push({ method, isRefusal, answer: { status, body: masking.maskAnswer(method, body) } });
        return true;
      },
    },
    channel.real,
  );
  try {
    const ends = await run(network, name, relay.url, { ...channel, credentials }, lend(files));
    const calls = recorder.calls.map((call, at): FixtureCall => ({ ...maskCall(call, masking), ...answers[at]! }));
    const { address } = channel;
    return {
      fixture: { network, name, address, files: files.map(({ path: _, ...file }) => file), calls, ends },
      masking,
    };
  } finally {
    await relay.stop();
  }
};

/** A network that processes an upload asks for patience. */
const MAX_TRIES = 12;
const MAX_PAUSE_MS = 20_000;

/** Publishes a post, or tests a channel. Returns how it ended. @param pause waits, in ms, before another attempt */
export const run = async (
  network: NetworkName,
  name: string,
  apiUrl: string,
  { address, credentials, settings = {} }: Omit<RecordedChannel, 'apiUrl' | 'real'>,
  media: SendContext['media'],
  pause: (ms: number) => Promise<unknown> = (ms) => wait(ms),
): Promise<string> => {
  const publisher = NETWORKS[network].publisher(apiUrl);
  const channel = { id: 'tgt_1', address, settings };
  try {
    const post = FIXED_POSTS[name];
    if (post) {
      const context = { credentials, key: `recorded ${name}`, waits: {}, signal, media };
      let { outcome, results } = await publishPost(publisher, postOf(post), channel, context);
      for (let tries = 1; outcome?.kind === 'retry' && tries < MAX_TRIES; tries++) {
        await pause(Math.min(outcome.afterMs ?? tries * 1_000, MAX_PAUSE_MS));
        ({ outcome, results } = await publishPost(publisher, postOf(post), channel, { ...context, results }));
      }
      const why = outcome && 'error' in outcome ? ` ${outcome.error.code}` : '';
      return `${outcome?.kind ?? 'nothing to send'}${why}`;
    }
    const checks: string[] = [];
    const test = { credentials, channel, signal, awaitTurn: () => Promise.resolve() };
    for await (const check of publisher.test(test)) checks.push(`${check.name} ${check.ok ? 'passed' : 'failed'}`);
    return checks.join(', ');
  } finally {
    await publisher.close();
  }
};

/** Writes a fixture. @throws Error instead, if a secret would be in it */
export const writeFixture = async (folder: string, fixture: Fixture, masking: Masking): Promise<string> => {
  const text = `${JSON.stringify(fixture, null, 2)}\n`;
  masking.assertMasked(text);
  await mkdir(join(folder, fixture.network), { recursive: true });
  const file = join(folder, fixture.network, `${fixture.name}.json`);
  await writeFile(file, text);
  return file;
};

export const readFixture = async (file: string): Promise<Fixture> =>
  JSON.parse(await readFile(file, 'utf8')) as Fixture;

/**
 * Says in words how a network's answers differ from a stand-in's answers to the same calls, and from what the network
 * itself describes.
 */
export const compareAnswers = (real: Fixture, standIn: Fixture): readonly string[] => {
  const { answers, objects } = readDescription(real.network);
  const words = real.calls.flatMap(({ method, isRefusal, answer }) => {
    const about = isRefusal ? `${method} (refused)` : method;
    const same = standIn.calls.filter((call) => call.method === method && call.isRefusal === isRefusal);
    if (same.length === 0)
      return [`${about}: the stand-in ${isRefusal ? 'did not refuse it' : 'was not asked, or refused it'}`];
    const shape = inferShape(same.map((call) => call.answer.body));
    const expected = isRefusal ? 'Error' : (answers[method] ?? 'any');
    return [
      ...findShapeProblems(answer.body, shape).map((problem) =>
        describeProblem(problem, 'the stand-in', 'the network'),
      ),
      ...findShapeProblems(answer.body, expected, objects)
        .filter(({ kind }) => kind !== 'unknown member')
        .map((problem) => describeProblem(problem, "the network's description", 'its answer')),
    ].map((text) => `${about}: ${text}`);
  });
  return [...new Set(words)];
};

const lend =
  (files: readonly (FixtureFile & { readonly path: string })[]): SendContext['media'] =>
  async (index) => {
    const file = files[index];
    if (!file) throw new Error(`there is no file ${index}`);
    const mime = file.name.endsWith('.mp4') ? 'video/mp4' : 'image/png';
    const { path, sizeBytes, video } = file;
    return { path, sizeBytes, mime, filename: basename(file.name), video, isFitted: false, release: () => undefined };
  };

/** Returns credentials of the right form that no network accepts. */
export const spoil = (credentials: RecordedChannel['credentials']): RecordedChannel['credentials'] =>
  Object.fromEntries(
    Object.entries(credentials).map(([name, value]) => [
      name,
      name.endsWith('token') ? `${value.slice(0, -6)}${value.endsWith('aaaaaa') ? 'bbbbbb' : 'aaaaaa'}` : value,
    ]),
  );

const maskCall = (call: RecordedCall, masking: Masking): RecordedCall =>
  withoutKeys(JSON.parse(masking.maskText(JSON.stringify(call))) as RecordedCall);

/** Leaves out the key of an uploaded photo, by which the recorder calls its token. */
export const withoutKeys = (call: RecordedCall): RecordedCall =>
  JSON.parse(
    JSON.stringify(call).replace(/\.photos\.(?:\{\{[^}]*\}\}|[^}"]*)\.token\}\}/g, '.photos.*.token}}'),
  ) as RecordedCall;
