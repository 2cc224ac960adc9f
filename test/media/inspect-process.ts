import { Inspector } from '../../src/media/inspector.js';
import { makeVideo } from './make-videos.js';

// Prints the facts of a video and should then exit, because the helper must not keep the process alive.
const bytes = makeVideo({ seconds: 5 });
const inspector = new Inspector({ timeoutMs: 60_000 });
console.log(JSON.stringify(await inspector.inspect({ sizeBytes: bytes.length, parts: [{ offset: 0, bytes }] })));
