/** Records the real networks, or stand-ins: see docs/real-networks.md. `npm run networks:record` */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { readExtraCertificates } from '../../../src/config/extra-certificates.js';
import { Inspector } from '../../../src/media/inspector.js';
import { max } from '../../../src/platforms/max/descriptor.js';
import { ok } from '../../../src/platforms/ok/descriptor.js';
import { videoFactsOf } from '../../../src/platforms/publisher.js';
import { telegram } from '../../../src/platforms/telegram/descriptor.js';
import { vk } from '../../../src/platforms/vk/descriptor.js';
import { NETWORK_NAMES, type NetworkName, NETWORKS } from '../wire/networks.js';
import { FIXED_POSTS } from './fixed-posts.js';
import {
  compareAnswers,
  type FixtureFile,
  RECORDED,
  type RecordedChannel,
  recordOne,
  writeFixture,
} from './recording.js';

const { env } = process;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Variables of a network: those that it needs, and those that it may have. */
const VARIABLES: Readonly<
  Record<NetworkName, { readonly credentials: readonly string[]; readonly optional?: string; readonly address: string }>
> = {
  telegram: { credentials: ['bot_token'], address: 'chat_id' },
  vk: { credentials: ['access_token'], optional: 'upload_token', address: 'group_id' },
  max: { credentials: ['access_token'], address: 'chat_id' },
  ok: { credentials: ['application_key', 'application_secret', 'access_token'], address: 'group_id' },
};
const DESCRIPTORS = { telegram, vk, max, ok };

const variableOf = (network: NetworkName, name: string): string => `RECORD_${network}_${name}`.toUpperCase();

/** Returns the channel that the environment describes, or the variables that are missing. */
const readChannel = (network: NetworkName): RecordedChannel | { readonly missing: readonly string[] } => {
  const { credentials: needed, optional, address } = VARIABLES[network];
  const missing = [...needed, address].map((name) => variableOf(network, name)).filter((name) => !env[name]);
  if (missing.length > 0) return { missing };
  const names = optional && env[variableOf(network, optional)] ? [...needed, optional] : needed;
  const { setting, default: byDefault } = DESCRIPTORS[network].baseUrl;
  return {
    apiUrl: (env[setting] || byDefault).replace(/\/+$/, ''),
    credentials: Object.fromEntries(names.map((name) => [name, env[variableOf(network, name)] ?? ''])),
    address: {
      [address]: env[variableOf(network, address)] ?? '',
      ...(optional && names.includes(optional) && { uploads: 'user_token' }),
    },
    real: { certificates: env['EXTRA_CA_CERTS'] ? readExtraCertificates(env['EXTRA_CA_CERTS']) : [] },
  };
};

type File = FixtureFile & { readonly path: string };

/** Makes the posts' photos, and reads the facts of the video at RECORD_VIDEO; null without one. */
const makeFile = async (folder: string, name: string): Promise<File | null> => {
  const path = join(folder, name);
  if (!name.endsWith('.mp4')) {
    const color = name === 'one.png' ? '#2d7dd2' : '#97cc04';
    const bytes = await sharp({ create: { width: 320, height: 180, channels: 3, background: color } })
      .png()
      .toBuffer();
    await writeFile(path, bytes);
    return { name, path, sizeBytes: bytes.length };
  }
  const source = env['RECORD_VIDEO'];
  if (!source) return null;
  const bytes = await readFile(source);
  const inspector = new Inspector();
  const facts = await inspector.inspect({ sizeBytes: bytes.length, parts: [{ offset: 0, bytes }] });
  inspector.close();
  const video = facts ? videoFactsOf(facts) : undefined;
  return { name, path: source, sizeBytes: bytes.length, ...(video && { video }) };
};

/** Records the same on the network's stand-in, for comparison. */
const recordStandIn = async (network: NetworkName, name: string, files: readonly File[]) => {
  const { start, address, credentials } = NETWORKS[network];
  const standIn = await start();
  try {
    if (name === 'test-with-a-wrong-token') await standIn.control.addFault(WRONG_TOKEN[network]);
    return (await recordOne(network, name, { apiUrl: standIn.url, address, credentials }, files)).fixture;
  } finally {
    await standIn.stop();
  }
};

const refusal = (body: object, status = 200) => ({ mode: 'answer', status, body }) as const;
/** How each stand-in refuses a token that it does not know. */
const WRONG_TOKEN = {
  telegram: refusal({ ok: false, error_code: 401, description: 'Unauthorized' }, 401),
  vk: refusal({
    error: { inner_type: 'base_error', error_code: 5, error_msg: 'User authorization failed', request_params: [] },
  }),
  max: refusal({ code: 'verify.token', message: 'Invalid access_token' }, 401),
  ok: refusal({ error_code: 103, error_msg: 'PARAM_SESSION_KEY : Invalid session key', error_data: null }),
};

const fixtures = env['RECORD_FOLDER'] ?? fileURLToPath(new URL('./fixtures/', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'crosspost-record-'));
let recorded = 0;
let differences = 0;
try {
  for (const network of NETWORK_NAMES) {
    const channel = readChannel(network);
    if ('missing' in channel) {
      say(`${network}: skipped, because ${channel.missing.join(', ')} is not set.`);
      continue;
    }
    for (const name of RECORDED) {
      const wanted = (FIXED_POSTS[name]?.media ?? []).map(({ url }) => new URL(url).pathname.slice(1));
      const files = await Promise.all(wanted.map((one) => makeFile(folder, one)));
      if (files.includes(null)) {
        say(`${network} ${name}: skipped, because RECORD_VIDEO does not name an MP4 file.`);
        continue;
      }
      const { fixture, masking } = await recordOne(network, name, channel, files as File[]);
      const file = await writeFixture(fixtures, fixture, masking);
      recorded++;
      say(`${network} ${name}: ${fixture.ends}, in ${fixture.calls.length} calls: ${file}`);
      const words = compareAnswers(fixture, await recordStandIn(network, name, files as File[]));
      differences += words.length;
      for (const line of words) say(`  differs: ${line}`);
    }
  }
  if (recorded === 0) say('Nothing was recorded: see docs/real-networks.md.');
  else
    say(differences === 0 ? 'No answer differs from the stand-ins.' : `${differences} differences from the stand-ins.`);
} finally {
  await rm(folder, { recursive: true });
}
