import { Inspector } from '../../src/media/inspector.js';
import { film } from './make-films.js';

// Prints what a film is, and then has nothing more to do: the thread must not keep the process.
const bytes = film({ seconds: 5 });
const inspector = new Inspector({ timeoutMs: 60_000 });
console.log(JSON.stringify(await inspector.inspect({ sizeBytes: bytes.length, parts: [{ offset: 0, bytes }] })));
