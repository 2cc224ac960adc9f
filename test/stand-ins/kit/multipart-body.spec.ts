import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { BodyProblem } from '../../../src/stand-ins/kit/body-problem.js';
import { boundaryOf, readMultipart } from '../../../src/stand-ins/kit/multipart-body.js';

const MB = 1_048_576;

/** A body in pieces of these lengths; the last length is used again and again. */
async function* inPieces(body: Buffer, lengths: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, n = 0; at < body.length; n++) {
    const length = lengths[Math.min(n, lengths.length - 1)] ?? body.length;
    yield body.subarray(at, at + length);
    at += length;
  }
}

/** A form as the platform's own client writes it. */
const written = async (form: FormData): Promise<{ body: Buffer; boundary: string }> => {
  const response = new Response(form);
  const boundary = boundaryOf(response.headers.get('content-type') ?? '');
  return { body: Buffer.from(await response.arrayBuffer()), boundary };
};

describe('a multipart body', () => {
  it('is what was sent, wherever it is cut', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.string({ maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 }),
        async (bytes, text, lengths) => {
          const form = new FormData();
          form.set('caption', text);
          form.set('data', new Blob([new Uint8Array(bytes)], { type: 'video/mp4' }), 'a "film".mp4');
          form.set('last', '--');
          const { body, boundary } = await written(form);
          const { fields, files } = await readMultipart(inPieces(body, lengths), boundary);
          // A form's line ends are CRLF, whatever they were.
          expect(fields).toEqual({ caption: text.replace(/\r\n?|\n/g, '\r\n'), last: '--' });
          expect(files.get('data')).toMatchObject({ name: 'a "film".mp4', type: 'video/mp4', size: bytes.length });
          expect(files.get('data')?.bytes?.equals(bytes)).toBe(true);
        },
      ),
      { seed: 71, numRuns: 200 },
    ));

  it('with a file too large to be kept has its length, its hash and its first bytes', async () => {
    const film = Buffer.alloc(25 * MB, 'film');
    const form = new FormData();
    form.set('data', new Blob([new Uint8Array(film)]), 'long.mp4');
    const { body, boundary } = await written(form);
    const file = (await readMultipart(inPieces(body, [65_536]), boundary)).files.get('data');
    expect(file).toMatchObject({ size: 25 * MB, bytes: null, head: film.subarray(0, 64) });
    expect(file?.hash).toBe(createHash('sha256').update(film).digest('hex').slice(0, 32));
  });

  it.each([
    ['ends in the middle of a file', '--b\r\ncontent-disposition: form-data; name="a"; filename="a"\r\n\r\nabc'],
    ['ends among its headers', '--b\r\ncontent-disposition: form-data'],
    ['has a part without a name', '--b\r\ncontent-type: text/plain\r\n\r\nabc\r\n--b--'],
    ['has another boundary', '--c\r\ncontent-disposition: form-data; name="a"\r\n\r\nabc\r\n--c--'],
    ['is empty', ''],
  ])('that %s is refused', async (_, text) => {
    await expect(readMultipart(inPieces(Buffer.from(text), [7]), 'b')).rejects.toThrow(BodyProblem);
  });
});
