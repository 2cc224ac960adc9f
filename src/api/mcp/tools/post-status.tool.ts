import type { PostStatusView } from '../../public/post-status.view.js';
import { TOOL_ANSWERS, TOOL_DESCRIPTIONS as SAY } from '../messages.js';
import { requireSuccess } from './answers.js';
import { readArguments, readText } from './arguments.js';
import type { Tool, ToolNames } from './tool.js';

const NULLABLE = { type: ['string', 'null'] } as const;
const PLACE = { type: ['integer', 'string', 'null'] } as const;
const TEXTS = { type: 'array', items: { type: 'string' } } as const;

/** Returns the path of a post. No post has an empty id. */
export const postPath = (slug: string, id: string): string =>
  `/v1/webhooks/${slug}/posts/${encodeURIComponent(id) || '-'}`;

/** Shows what became of a post (D-39, D-48). */
export const postStatusTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.status,
    title: SAY.statusTitle,
    description: SAY.status(names),
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string', description: SAY.postId } },
      required: ['id'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        ok: { type: 'boolean' },
        id: { type: 'string' },
        accepted_at: { type: 'string' },
        trace_id: NULLABLE,
        external_id: NULLABLE,
        publish_at: NULLABLE,
        released_at: NULLABLE,
        approval: { type: ['object', 'null'] },
        revision: { type: 'integer' },
        publications: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              project: PLACE,
              target: PLACE,
              platform: { type: 'string' },
              state: { type: 'string' },
              message_ids: TEXTS,
              urls: TEXTS,
              published_at: NULLABLE,
              error: { type: ['object', 'null'] },
              waiting_for: { type: ['object', 'null'], description: SAY.waitingFor },
            },
            required: [
              ...['project', 'target', 'platform', 'state', 'message_ids', 'urls', 'published_at', 'error'],
              'waiting_for',
            ],
          },
        },
      },
      required: [
        ...['ok', 'id', 'accepted_at', 'trace_id', 'external_id', 'publish_at', 'released_at', 'approval', 'revision'],
        'publications',
      ],
    },
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
