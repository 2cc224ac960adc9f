import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const FOLDER = fileURLToPath(new URL('../../dist/console/', import.meta.url));

/** Maximum size of the scripts and styles that the overview needs to show, in gzipped bytes. */
const FIRST_VIEW_BYTES = 150 * 1024;

const sizeOf = async (files: readonly string[]): Promise<number> => {
  const contents = await Promise.all(files.map((file) => readFile(FOLDER + file)));
  return contents.reduce((sum, content) => sum + gzipSync(content).length, 0);
};

describe('the built console', () => {
  it('needs at most 150 KB of script and style for its first view', async () => {
    const page = await readFile(`${FOLDER}index.html`, 'utf8');
    const files = [...page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThan(1);
    expect(await sizeOf(files)).toBeLessThanOrEqual(FIRST_VIEW_BYTES);
  });

  it('has no inline script or style, and asks nothing of other hosts', async () => {
    const page = await readFile(`${FOLDER}index.html`, 'utf8');
    expect(page).not.toMatch(/<style|<script(?![^>]*\ssrc=)| style="| on\w+="/);
    expect(
      [...page.matchAll(/(?:src|href)="([^"]+)"/g)]
        .map(([, url]) => url)
        .filter((url) => !url!.startsWith('/console/')),
    ).toEqual([]);
  });
});
