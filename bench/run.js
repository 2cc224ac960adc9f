/** `npm run bench -- <name>`: measures the gateway against a baseline that is measured in the same run. */
const benches = {
  accept: './accept.js',
  backlog: './backlog.js',
  console: './console.js',
  deliver: './deliver.js',
  growth: './growth.js',
  history: './history.js',
  latency: './latency.js',
  neighbours: './neighbours.js',
  overview: './overview.js',
  planned: './planned.js',
  publish: './publish.js',
  rebuild: './rebuild.js',
  refuse: './refuse.js',
  release: './release.js',
  scale: './scale.js',
  search: './search.js',
  snapshot: './snapshot.js',
  stores: './stores.js',
  storm: './storm.js',
  'unauthorized-timing': './unauthorized-timing.js',
  workers: './workers.js',
};

const [name = ''] = process.argv.slice(2);
if (!Object.hasOwn(benches, name)) {
  console.error(`usage: npm run bench -- <${Object.keys(benches).join(' | ')}>`);
  process.exit(2);
}
const { run } = await import(benches[name]);
await run(process.argv.slice(3));
