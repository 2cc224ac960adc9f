import { countOf } from '../../../kernel/message.js';
import { LIMITS } from '../../../payload/payload.js';
import { TOOL_ANSWERS, TOOL_DESCRIPTIONS as SAY } from '../messages.js';
import { requireSuccess } from './answers.js';
import { readArguments, readText } from './arguments.js';
import { NULLABLE_TEXT, objectSchema } from './object-schema.js';
import { PAYLOAD_SCHEMA } from './payload-schema.js';
import { resolveTargetNames } from './target-names.js';
import type { ArgumentSchemas, Tool, ToolNames } from './tool.js';

const PROPERTIES: ArgumentSchemas = {
  ...PAYLOAD_SCHEMA,
  idempotency_key: { type: 'string', maxLength: LIMITS.keyLength, description: SAY.idempotencyKey },
};

/** Publishes a post (publish-api.md: Assistant tool server, `service_publish`). */
export const publishTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.publish,
    title: SAY.publishTitle,
    description: SAY.publish(names),
    inputSchema: { type: 'object', properties: PROPERTIES, additionalProperties: false },
    outputSchema: objectSchema(
      {
        ok: { type: 'boolean' },
        id: NULLABLE_TEXT,
        trace_id: NULLABLE_TEXT,
        queued_targets: { type: 'integer' },
        publish_at: NULLABLE_TEXT,
        state: { type: 'string', enum: ['planned'] },
      },
      ['publish_at', 'state'],
    ),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  },

  async call(args, send, slug) {
    const sent = readArguments(args, Object.keys(PROPERTIES));
    const idempotencyKey = readText(sent, 'idempotency_key');
    const targets = await resolveTargetNames(sent.targets, send, slug, names);
    const { idempotency_key: _, ...payload } = sent;
    const body = { ...payload, ...(targets && { targets: targets.map((id) => ({ id })) }) };
    const path = `/v1/webhooks/${slug}`;
    const answer = await send({ method: 'POST', path, body, ...(idempotencyKey && { idempotencyKey }) });
    const structured = requireSuccess(answer, names);
    return { text: describeAnswer(answer.status === 202, structured, targets, names), structured };
  },
});

const describeAnswer = (
  isRepeated: boolean,
  { id, queued_targets: queued, publish_at: at, state }: Readonly<Record<string, unknown>>,
  targets: readonly string[] | undefined,
  { status, discover, reschedule, cancel }: ToolNames,
): string => {
  if (typeof id !== 'string') return TOOL_ANSWERS.queuedNowhere;
  const values = { id, targets: countOf(Number(queued), 'target'), status };
  if (isRepeated) return TOOL_ANSWERS.repeated(values);
  const named = new Set(targets).size;
  const missing = named > Number(queued) ? TOOL_ANSWERS.someTargets({ named, queued: Number(queued), discover }) : '';
  if (state !== 'planned') return TOOL_ANSWERS.queued(values) + missing;
  const plan = { ...values, reschedule, cancel };
  return (typeof at === 'string' ? TOOL_ANSWERS.planned({ ...plan, at }) : TOOL_ANSWERS.needsApproval(plan)) + missing;
};
