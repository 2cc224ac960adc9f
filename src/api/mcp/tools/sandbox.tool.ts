import { TOOL_ANSWERS, TOOL_DESCRIPTIONS as SAY } from '../messages.js';
import { joinErrors, requireSuccess } from './answers.js';
import { readArguments } from './arguments.js';
import { PAYLOAD_SCHEMA } from './payload-schema.js';
import { resolveTargetNames } from './target-names.js';
import type { Tool, ToolNames } from './tool.js';

/** Checks and previews a post (D-39; publish-api.md: POST /v1/sandbox/test). */
export const sandboxTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.sandbox,
    title: SAY.sandboxTitle,
    description: SAY.sandbox(names),
    inputSchema: { type: 'object', properties: PAYLOAD_SCHEMA, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: {
        ok: { type: 'boolean' },
        would_create_post: { type: 'boolean' },
        validation: { type: 'object' },
        preview: { type: 'object' },
        warnings: { type: 'array', items: { type: 'object' } },
        errors: { type: 'array', items: { type: 'string' } },
      },
      required: ['ok', 'would_create_post', 'validation'],
    },
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
  isSandbox: true,

  async call(args, send, slug) {
    const sent = readArguments(args, Object.keys(PAYLOAD_SCHEMA));
    const targets = await resolveTargetNames(sent.targets, send, slug, names);
    const body = { ...sent, ...(targets && { targets: targets.map((id) => ({ id })) }) };
    const answer = await send({ method: 'POST', path: '/v1/sandbox/test', body });
    // A rejected payload is a result of the sandbox, not a failure of the tool.
    if (answer.body.validation !== undefined && answer.body.ok === false)
      return { text: TOOL_ANSWERS.rejected({ errors: joinErrors(answer.body) }), structured: answer.body };
    const structured = requireSuccess(answer, names);
    return {
      text: structured.would_create_post === true ? TOOL_ANSWERS.checked : TOOL_ANSWERS.checkedNowhere,
      structured,
    };
  },
});
