/**
 * Draws the demo's photos into console/public/photos, from where the gateway serves them: pictures of its own, small, and
 * the same on each run.
 */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

/** Pixels of the drawing, and of the photos. */
const [WIDTH, HEIGHT] = [1_200, 800];

/** Repeatable numbers from 0 to 1. */
const numbersFrom = (seed) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296;
  return seed / 4_294_967_296;
};

/** Returns the outline of hills: a sum of waves, rougher with each layer. */
const outline = (random, base, height) => {
  const waves = [1, 2.3, 5.1, 11, 23].map((pace) => [pace, random() * 6.28, height / pace ** 0.9]);
  const points = Array.from({ length: 81 }, (_, index) => {
    const x = (index / 80) * WIDTH;
    const y = waves.reduce((sum, [pace, shift, size]) => sum + Math.sin((x / WIDTH) * 3 * pace + shift) * size, base);
    return `${x.toFixed(0)} ${Math.min(y, base + height).toFixed(1)}`;
  });
  return `M0 ${HEIGHT} L${points.join(' L')} L${WIDTH} ${HEIGHT} Z`;
};

/** Returns a scene as SVG: sky, sun, hills and water, and what is in front. */
const draw = ({ seed, sky, sun, hills, horizon, water, front }) => {
  const random = numbersFrom(seed);
  const layers = hills.map((colour, index) => {
    const base = horizon - 70 + index * (60 / hills.length);
    return `<path d="${outline(random, base, 60 - index * 9)}" fill="${colour}" filter="url(#soft${index === 0 ? 2 : 1})"/>`;
  });
  const glints = Array.from({ length: 150 }, () => {
    const y = horizon + 6 + random() ** 1.6 * (HEIGHT - horizon);
    const near = (y - horizon) / (HEIGHT - horizon);
    const x = sun.x + (random() - 0.5) * (90 + near * 520);
    const width = 8 + near * 70 * random();
    return `<rect x="${(x - width / 2).toFixed(0)}" y="${y.toFixed(0)}" width="${width.toFixed(0)}" height="${(1 + near * 3).toFixed(1)}" rx="2" fill="${sun.colour}" opacity="${(0.12 + random() * 0.4).toFixed(2)}"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
<defs>
<linearGradient id="sky" x2="0" y2="1"><stop offset="0" stop-color="${sky[0]}"/><stop offset=".55" stop-color="${sky[1]}"/><stop offset="1" stop-color="${sky[2]}"/></linearGradient>
<linearGradient id="water" x2="0" y2="1"><stop offset="0" stop-color="${water[0]}"/><stop offset="1" stop-color="${water[1]}"/></linearGradient>
<radialGradient id="glow"><stop offset="0" stop-color="${sun.colour}" stop-opacity=".85"/><stop offset=".25" stop-color="${sun.colour}" stop-opacity=".35"/><stop offset="1" stop-color="${sun.colour}" stop-opacity="0"/></radialGradient>
<radialGradient id="dark" r=".75"><stop offset=".6" stop-opacity="0"/><stop offset="1" stop-opacity=".45"/></radialGradient>
<filter id="soft1"><feGaussianBlur stdDeviation="1.2"/></filter><filter id="soft2"><feGaussianBlur stdDeviation="3"/></filter>
<filter id="clouds" x="0" y="0" width="1" height="1"><feTurbulence type="fractalNoise" baseFrequency=".0035 .014" numOctaves="5" seed="${seed}"/><feColorMatrix values="0 0 0 0 1  0 0 0 0 .95  0 0 0 0 .9  1.9 0 0 0 -.95"/></filter>
<filter id="ripples" x="0" y="0" width="1" height="1"><feTurbulence type="fractalNoise" baseFrequency=".006 .09" numOctaves="4" seed="${seed + 1}"/><feColorMatrix values="0 0 0 0 1  0 0 0 0 1  0 0 0 0 1  1.5 0 0 0 -.7"/></filter>
<filter id="grain" x="0" y="0" width="1" height="1"><feTurbulence type="fractalNoise" baseFrequency=".8" numOctaves="2" seed="7"/><feColorMatrix values="0 0 0 0 .5  0 0 0 0 .5  0 0 0 0 .5  0 0 0 .16 0"/></filter>
</defs>
<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#sky)"/>
<rect width="${WIDTH}" height="${horizon}" filter="url(#clouds)" opacity=".55"/>
<circle cx="${sun.x}" cy="${sun.y}" r="${sun.radius * 7}" fill="url(#glow)"/>
<circle cx="${sun.x}" cy="${sun.y}" r="${sun.radius}" fill="${sun.colour}" filter="url(#soft1)"/>
${layers.join('\n')}
<rect y="${horizon}" width="${WIDTH}" height="${HEIGHT - horizon}" fill="url(#water)"/>
<svg y="${horizon}" width="${WIDTH}" height="${HEIGHT - horizon}"><rect width="${WIDTH}" height="${HEIGHT - horizon}" filter="url(#ripples)" opacity=".22"/></svg>
<g filter="url(#soft1)">${glints.join('')}</g>
${front}
<rect width="${WIDTH}" height="${HEIGHT}" filter="url(#grain)" opacity=".5"/>
<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#dark)"/>
</svg>`;
};

/** A sailing boat whose waterline is at (x, y). */
const boat = (x, y, size, hull, sail) =>
  `<g transform="translate(${x} ${y}) scale(${size})" filter="url(#soft1)"><path d="M-60 -14 H62 Q52 8 34 10 H-38 Q-54 6 -60 -14Z" fill="${hull}"/><path d="M-2 -16 V-150" stroke="${hull}" stroke-width="4"/><path d="M4 -146 Q44 -82 56 -24 H4Z" fill="${sail}"/><path d="M-6 -132 Q-34 -78 -46 -26 H-6Z" fill="${sail}" opacity=".85"/><path d="M-44 12 H40 L24 64 H-26Z" fill="${hull}" opacity=".22"/></g>`;

const LIGHTHOUSE =
  '<g filter="url(#soft1)"><path d="M690 560 Q800 500 920 520 T1200 490 V640 H660Z" fill="#2c3336"/><path d="M880 520 L892 250 H928 L942 520Z" fill="#e9e4da"/><path d="M886 410 L889 345 H932 L935 410Z M882 500 L884 455 H938 L941 500Z" fill="#a8453a"/><rect x="882" y="238" width="56" height="12" fill="#39393b"/><rect x="893" y="204" width="34" height="34" fill="#ffe9a8"/><path d="M886 204 H934 L910 178Z" fill="#7d2f29"/></g>';

const PIER =
  '<g filter="url(#soft1)" fill="#1a1512"><path d="M0 640 L520 560 V574 L0 676Z"/><rect x="40" y="630" width="12" height="130"/><rect x="170" y="612" width="11" height="110"/><rect x="290" y="594" width="9" height="90"/><rect x="395" y="578" width="8" height="76"/><rect x="485" y="566" width="7" height="60"/><path d="M96 640 v-52 q0 -12 9 -12 q9 0 9 12 v50Z"/><circle cx="105" cy="566" r="9"/></g>';

const PHOTOS = [
  {
    name: 'harbour-at-dusk',
    svg: draw({
      seed: 11,
      sky: ['#2b2f5c', '#b5577a', '#ffb46b'],
      sun: { x: 760, y: 430, radius: 34, colour: '#ffd9a0' },
      hills: ['#7c4a6e', '#553657', '#33263f'],
      horizon: 500,
      water: ['#c9756f', '#221d3a'],
      front: PIER + boat(930, 612, 0.9, '#1c1524', '#e8c3b0'),
    }),
  },
  {
    name: 'lighthouse-in-the-morning',
    svg: draw({
      seed: 42,
      sky: ['#5f8fb8', '#a9cbdc', '#f6e3c5'],
      sun: { x: 300, y: 360, radius: 26, colour: '#fff3d2' },
      hills: ['#9db4bd', '#76929b'],
      horizon: 520,
      water: ['#b9d0d3', '#2f5c6d'],
      front: LIGHTHOUSE,
    }),
  },
  {
    name: 'regatta',
    svg: draw({
      seed: 77,
      sky: ['#2f7fc4', '#7db8e3', '#dcefF6'],
      sun: { x: 980, y: 150, radius: 30, colour: '#ffffff' },
      hills: ['#7fa6a8', '#4f7f72', '#35624f'],
      horizon: 430,
      water: ['#5aa3bd', '#124a66'],
      front:
        boat(250, 520, 0.7, '#23303a', '#ffffff') +
        boat(520, 500, 0.5, '#5a2a25', '#fbe9d4') +
        boat(800, 600, 1.15, '#1c2b3a', '#f4f7f9') +
        boat(1060, 490, 0.42, '#2d3d2e', '#ffffff'),
    }),
  },
  {
    name: 'first-frost',
    svg: draw({
      seed: 5,
      sky: ['#3c5473', '#8fa6c0', '#e6d5d6'],
      sun: { x: 520, y: 400, radius: 22, colour: '#ffe6df' },
      hills: ['#9aaac0', '#6d8098', '#465a70', '#2a3a4b'],
      horizon: 560,
      water: ['#a9b8c8', '#31445a'],
      front: '',
    }),
  },
];

const folder = fileURLToPath(new URL('../console/public/photos/', import.meta.url));
await mkdir(folder, { recursive: true });
for (const { name, svg } of PHOTOS)
  await sharp(Buffer.from(svg)).jpeg({ quality: 78, mozjpeg: true }).toFile(`${folder}${name}.jpg`);
