import type { PostStatusView } from '../../public/post-status.view.js';
import { TOOL_ANSWERS, TOOL_DESCRIPTIONS as SAY } from '../messages.js';
import { requireSuccess } from './answers.js';
import { readArguments, readText } from './arguments.js';
import { NULLABLE_TEXT, objectSchema } from './object-schema.js';
import type { Tool, ToolNames } from './tool.js';

const PLACE = { type: ['integer', 'string', 'null'] };
const TEXTS = { type: 'array', items: { type: 'string' } };

const PUBLICATION = objectSchema({
  project: PLACE,
  target: PLACE,
  platform: { type: 'string' },
  state: { type: 'string' },
  message_ids: TEXTS,
  urls: TEXTS,
  published_at: NULLABLE_TEXT,
  error: { type: ['object', 'null'] },
  waiting_for: { type: ['object', 'null'], description: SAY.waitingFor },
});

/** Returns the API path of a post. No post has an empty id. */
export const postPath = (slug: string, id: string): string =>
  `/v1/webhooks/${slug}/posts/${encodeURIComponent(id) || '-'}`;

/** Shows the status of a post (D-39, D-48). */
export const postStatusTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.status,
    title: SAY.statusTitle,
    description: SAY.status(names),
    inputSchema: { ...objectSchema({ id: { type: 'string', description: SAY.postId } }), additionalProperties: false },
    outputSchema: objectSchema({
      ok: { type: 'boolean' },
      id: { type: 'string' },
      accepted_at: { type: 'string' },
      trace_id: NULLABLE_TEXT,
      external_id: NULLABLE_TEXT,
      publish_at: NULLABLE_TEXT,
      released_at: NULLABLE_TEXT,
      approval: { type: ['object', 'null'] },
      revision: { type: 'integer' },
      publications: { type: 'array', items: PUBLICATION },
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },

  async call(args, send, slug) {
    const id = readText(readArguments(args, ['id']), 'id') ?? '';
    const structured = requireSuccess(await send({ method: 'GET', path: postPath(slug, id) }), names);
    const { publications } = structured as unknown as PostStatusView;
    const states = publications.map(
      ({ platform, target, state, waiting_for: wait }) =>
        `${platform} ${JSON.stringify(target)} ${state}${wait ? ` (${wait.text})` : ''}`,
    );
    return { text: TOOL_ANSWERS.status({ id, states: states.join(', ') || TOOL_ANSWERS.noPublications }), structured };
  },
});
