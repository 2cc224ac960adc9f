import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { BodyProblem, parseBoundary, readMultipart } from '../../../stand-ins/kit/body.js';

const MB = 1_048_576;

/** Splits a body into chunks of these lengths. The last length is repeated. */
async function* splitIntoChunks(body: Buffer, lengths: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, n = 0; at < body.length; n++) {
    const length = lengths[Math.min(n, lengths.length - 1)] ?? body.length;
    yield body.subarray(at, at + length);
    at += length;
  }
}

/** Encodes a form as the client of the platform (Node) does. */
const encodeForm = async (form: FormData): Promise<{ body: Buffer; boundary: string }> => {
  const response = new Response(form);
  const boundary = parseBoundary(response.headers.get('content-type') ?? '');
  return { body: Buffer.from(await response.arrayBuffer()), boundary };
};

describe('a multipart body', () => {
  it('is read as it was sent, wherever the chunks are split', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.string({ maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 }),
        async (bytes, text, lengths) => {
          const form = new FormData();
          form.set('caption', text);
          form.set('data', new Blob([new Uint8Array(bytes)], { type: 'video/mp4' }), 'a "video".mp4');
          form.set('last', '--');
          const { body, boundary } = await encodeForm(form);
          const { fields, files } = await readMultipart(splitIntoChunks(body, lengths), boundary);
          // Forms encode every line end as CRLF.
          expect(fields).toEqual({ caption: text.replace(/\r\n?|\n/g, '\r\n'), last: '--' });
          expect(files.get('data')).toMatchObject({ name: 'a "video".mp4', type: 'video/mp4', size: bytes.length });
          expect(files.get('data')?.bytes?.equals(bytes)).toBe(true);
        },
      ),
      { seed: 71, numRuns: 200 },
    ));

  it('has the length, hash and first bytes of a file that is too large to be stored', async () => {
    const video = Buffer.alloc(25 * MB, 'video');
    const form = new FormData();
    form.set('data', new Blob([new Uint8Array(video)]), 'long.mp4');
    const { body, boundary } = await encodeForm(form);
    const file = (await readMultipart(splitIntoChunks(body, [65_536]), boundary)).files.get('data');
    expect(file).toMatchObject({ size: 25 * MB, bytes: null, head: video.subarray(0, 64) });
    expect(file?.hash).toBe(createHash('sha256').update(video).digest('hex').slice(0, 32));
  });

  it.each([
    ['ends in the middle of a file', '--b\r\ncontent-disposition: form-data; name="a"; filename="a"\r\n\r\nabc'],
    ['ends among its headers', '--b\r\ncontent-disposition: form-data'],
    ['has a part without a name', '--b\r\ncontent-type: text/plain\r\n\r\nabc\r\n--b--'],
    ['has another boundary', '--c\r\ncontent-disposition: form-data; name="a"\r\n\r\nabc\r\n--c--'],
    ['is empty', ''],
  ])('is rejected if it %s', async (_, text) => {
    await expect(readMultipart(splitIntoChunks(Buffer.from(text), [7]), 'b')).rejects.toThrow(BodyProblem);
  });
});
