import { toLocated } from '../../../payload/uploads.js';
import type { PublishError } from '../../../platforms/publisher.js';
import { keyOfMedium, type MediaFiles, SharedMedia } from './shared-inputs.js';

const wanted = { index: 0, limits: {} as never };
const refusal: PublishError = { code: 'media_http_status', category: 'media', source: 'gateway', message: 'no photo' };

/** Media files of which those whose URL ends with `missing` are refused. Counts the downloads. */
const newFiles = () => {
  const downloads: string[] = [];
  const forPost: MediaFiles['forPost'] = ({ media }) => {
    return (index) => {
      const { url } = toLocated(media[index]!);
      downloads.push(url);
      return Promise.resolve(url.endsWith('missing') ? refusal : { path: url, release: () => undefined }) as never;
    };
  };
  return { downloads, forPost };
};
const prepare = (shared: SharedMedia, url: string) => {
  const { signal } = new AbortController();
  const post = { postId: 'post_1', ownerId: 'own_1', media: [{ type: 'photo', url } as const], signal };
  return shared.prepare(post, [wanted]);
};

describe('the media of a post that several publications wait for', () => {
  it('are fetched once', async () => {
    const files = newFiles();
    const shared = new SharedMedia(files);
    await Promise.all([prepare(shared, 'https://media.example/a'), prepare(shared, 'https://media.example/a')]);
    expect(files.downloads).toEqual(['https://media.example/a']);
  });

  it('are fetched for each target by itself if the targets have different media (D-61)', async () => {
    const shared = new SharedMedia(newFiles());
    const [missing, found] = await Promise.all([
      prepare(shared, 'https://media.example/missing'),
      prepare(shared, 'https://media.example/found'),
    ]);
    expect(missing).toMatchObject({ kind: 'ready', refused: new Map([[keyOfMedium(wanted), refusal]]) });
    expect(found).toMatchObject({ kind: 'ready', refused: new Map() });
  });
});
