/**
 * `node scripts/walls-screenshot.js [file]`: takes the screenshot of `/walls` for the README. Starts the demo from dist/ in
 * a temporary folder, publishes a few posts with all visible features, and takes the screenshot with Chromium.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const [output = here('../docs/walls.png')] = process.argv.slice(2);

/** Draws the harbour at a time of the day. */
const harbour = ({ sky, low, sea, sun }) => `
<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="800" viewBox="0 0 1200 800">
  <defs>
    <linearGradient id="sky" x2="0" y2="1"><stop stop-color="${sky}"/><stop offset="1" stop-color="${low}"/></linearGradient>
    <linearGradient id="sea" x2="0" y2="1"><stop stop-color="${low}"/><stop offset="1" stop-color="${sea}"/></linearGradient>
  </defs>
  <rect width="1200" height="800" fill="url(#sky)"/>
  <circle cx="${sun}" cy="410" r="90" fill="#fff3cf" opacity=".9"/>
  <path d="M0 470 180 350 330 450 470 330 680 470Z" fill="#23364d" opacity=".55"/>
  <rect y="465" width="1200" height="335" fill="url(#sea)"/>
  <path d="M${sun - 60} 480h120l60 300h-240z" fill="#fff3cf" opacity=".25"/>
  <g fill="#f4f1ea"><path d="M930 470h70l-10-250h-50z"/><rect x="925" y="190" width="80" height="34" rx="4"/></g>
  <g fill="#c0392b"><path d="M935 400h60l-2-50h-56z"/><path d="M940 300h51l-2-40h-46z"/><path d="M930 190h70l-35-36z"/></g>
  <path d="M820 470h300l40 40H780z" fill="#2c3e50"/>
  <g><path d="M250 600h300l-50 66H300z" fill="#34495e"/><path d="M400 330v270h-120z" fill="#ecf0f1"/><path d="M415 370v230h95z" fill="#dfe6e9"/></g>
  <g stroke="#fff" stroke-width="5" fill="none" opacity=".35"><path d="M60 560q30-16 60 0t60 0"/><path d="M640 640q30-16 60 0t60 0"/><path d="M980 590q30-16 60 0t60 0"/><path d="M150 720q30-16 60 0t60 0"/></g>
</svg>`;
const VIEWS = {
  'dawn.jpg': { sky: '#6fa8dc', low: '#ffd9a0', sea: '#2b5d7d', sun: 300 },
  'noon.jpg': { sky: '#2e86de', low: '#b5e0ff', sea: '#0a5c8c', sun: 620 },
  'dusk.jpg': { sky: '#3b2f63', low: '#ff8c69', sea: '#1e2a4a', sun: 700 },
};

const photos = Object.fromEntries(
  await Promise.all(
    Object.entries(VIEWS).map(async ([name, view]) => [
      `/${name}`,
      await sharp(Buffer.from(harbour(view)))
        .jpeg({ quality: 88 })
        .toBuffer(),
    ]),
  ),
);
const host = createServer((request, response) => {
  const bytes = photos[request.url ?? ''];
  if (!bytes) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': bytes.length }).end(bytes);
});
await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
const photo = (name) => ({ type: 'photo', url: `http://127.0.0.1:${host.address().port}/${name}` });

/** Returns a text and its entities from marked-up text: `*bold*`, `_italic_`, `` `code` ``, `|spoiler|`, `>quote<`. */
const written = (marked, links = {}) => {
  const types = { '*': 'bold', _: 'italic', '`': 'code', '|': 'spoiler', '>': 'blockquote', '<': 'blockquote' };
  const open = {};
  const entities = [];
  let text = '';
  for (const char of marked) {
    const type = types[char];
    if (!type) text += char;
    else if (open[type] === undefined) open[type] = text.length;
    else {
      entities.push({ type, offset: open[type], length: text.length - open[type] });
      delete open[type];
    }
  }
  for (const [words, url] of Object.entries(links)) {
    entities.push({ type: 'text_link', offset: text.indexOf(words), length: words.length, url });
  }
  return { text, entities };
};

const POSTS = [
  {
    ...written(
      '*Harbour News* 🌊\n\n>The sea, once it casts its spell, holds one in its net of wonder forever.<\n\n' +
        'High water today at _14:05_, low water at _20:31_. Pier 4 stays closed; use the `north gate`. ' +
        'What is behind the fog? |A tall ship!|\n\nAll tables are at harbour.example. #tides',
      { 'All tables': 'https://harbour.example/tides' },
    ),
  },
  {
    ...written('*Dusk over the lighthouse* 🌅\nPhotographed from the breakwater last night.'),
    media: [photo('dusk.jpg')],
    buttons: [
      [{ text: 'Order a print', url: 'https://harbour.example/prints' }],
      [
        { text: 'Tides', url: 'https://harbour.example/tides' },
        { text: 'Webcam', url: 'https://harbour.example/webcam' },
      ],
    ],
  },
  {
    ...written('Regatta on Sunday: *dawn, noon and dusk* from the same spot. Start at _09:30_ ⛵'),
    media: [photo('dawn.jpg'), photo('noon.jpg'), photo('dusk.jpg')],
  },
];

const dataDir = mkdtempSync(join(tmpdir(), 'crosspost-walls-'));
const gateway = spawn(process.execPath, [here('../dist/main.js')], {
  env: {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'warn',
    ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = new Promise((resolve) => gateway.once('exit', resolve));
try {
  let printed = '';
  const { url, token } = await new Promise((resolve, reject) => {
    gateway.once('exit', () => reject(new Error('the demo did not start')));
    gateway.stdout.on('data', (text) => {
      printed += text;
      const found = /(http:\/\/\S+\/v1\/webhooks\/\S+?)['"\s\\][\s\S]*?(service_live_[\w-]+)["'\s\\]/.exec(printed);
      if (found) resolve({ url: found[1], token: found[2] });
    });
  });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const { origin } = new URL(url);
  for (const post of POSTS) {
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(post) });
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    await sleep(1_500); // the demo's endpoint accepts one post a second
  }
  for (let seen = 0; seen < 4 * POSTS.length; await sleep(200)) {
    const feeds = await Promise.all(
      ['telegram', 'vk', 'max', 'ok'].map(async (name) => (await fetch(`${origin}/walls/${name}/feed`)).json()),
    );
    seen = feeds.reduce((sum, { posts }) => sum + Math.min(posts.length, POSTS.length), 0);
  }
  const size = ['--window-size=1800,1640', '--hide-scrollbars'];
  const quiet = ['--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=3000'];
  const taken = join(dataDir, 'walls.png');
  execFileSync('chromium', [...quiet, ...size, `--screenshot=${taken}`, `${origin}/walls`], { stdio: 'ignore' });
  await sharp(taken).png({ palette: true, quality: 90 }).toFile(output);
  console.log(output);
} finally {
  gateway.kill('SIGTERM');
  await ended;
  host.close();
  rmSync(dataDir, { recursive: true, force: true });
}
