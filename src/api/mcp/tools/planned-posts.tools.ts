import { countOf } from '../../../kernel/message.js';
import { TOOL_ANSWERS, TOOL_DESCRIPTIONS as SAY } from '../messages.js';
import { requireSuccess } from './answers.js';
import { readArguments, readText } from './arguments.js';
import { NULLABLE_TEXT, objectSchema } from './object-schema.js';
import { postPath } from './post-status.tool.js';
import type { Tool, ToolNames } from './tool.js';

const ID = { type: 'string', description: SAY.postId };

/** Moves a planned post to another time (D-63). */
export const rescheduleTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.reschedule,
    title: SAY.rescheduleTitle,
    description: SAY.reschedule(names),
    inputSchema: {
      ...objectSchema({ id: ID, publish_at: { ...NULLABLE_TEXT, format: 'date-time', description: SAY.newTime } }),
      additionalProperties: false,
    },
    outputSchema: objectSchema({
      ok: { type: 'boolean' },
      id: { type: 'string' },
      publish_at: NULLABLE_TEXT,
      state: { type: 'string', enum: ['planned', 'released'] },
      revision: { type: 'integer' },
      queued_targets: { type: 'integer' },
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  },

  async call(args, send, slug) {
    const sent = readArguments(args, ['id', 'publish_at']);
    const id = readText(sent, 'id') ?? '';
    const { id: _, ...body } = sent;
    const structured = requireSuccess(await send({ method: 'PATCH', path: postPath(slug, id), body }), names);
    const { publish_at: at, state } = structured;
    const { status } = names;
    if (state === 'released') return { text: TOOL_ANSWERS.released({ id, status }), structured };
    const text =
      typeof at === 'string' ? TOOL_ANSWERS.moved({ id, at, status }) : TOOL_ANSWERS.unplanned({ id, status });
    return { text, structured };
  },
});

/** Cancels a post's planned and queued publications (D-63). */
export const cancelTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.cancel,
    title: SAY.cancelTitle,
    description: SAY.cancel,
    inputSchema: { ...objectSchema({ id: ID }), additionalProperties: false },
    outputSchema: objectSchema({ ok: { type: 'boolean' }, id: { type: 'string' }, cancelled: { type: 'integer' } }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },

  async call(args, send, slug) {
    const id = readText(readArguments(args, ['id']), 'id') ?? '';
    const structured = requireSuccess(await send({ method: 'DELETE', path: postPath(slug, id) }), names);
    const count = Number(structured.cancelled);
    const { status } = names;
    if (count === 0) return { text: TOOL_ANSWERS.nothingCancelled({ id, status }), structured };
    return { text: TOOL_ANSWERS.cancelled({ id, publications: countOf(count, 'publication') }), structured };
  },
});
