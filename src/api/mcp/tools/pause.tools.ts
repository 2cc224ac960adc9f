import { countOf } from '../../../kernel/message.js';
import { RESUME_SCOPES } from '../../../payload/validate.js';
import { TOOL_ANSWERS, TOOL_DESCRIPTIONS as SAY } from '../messages.js';
import { resolveTargetNames } from './discover.tool.js';
import { minutesSchema, targetsSchema } from './payload-schema.js';
import {
  type ArgumentSchemas,
  objectSchema,
  readArguments,
  requireSuccess,
  type Send,
  type Tool,
  type ToolAnswer,
  type ToolNames,
} from './tool.js';

const OUTPUT = objectSchema({
  ok: { type: 'boolean' },
  request_id: { type: 'string' },
  projects_affected: { type: 'integer' },
  resources_affected: { type: 'integer' },
  rescheduled_post_targets: { type: 'integer' },
});

const PAUSE: ArgumentSchemas = {
  project_minutes: minutesSchema(SAY.projectMinutes),
  target_minutes: minutesSchema(SAY.targetMinutes),
  targets: targetsSchema(SAY.pauseTargets),
};

const RESUME: ArgumentSchemas = {
  scope: { type: 'string', enum: [...RESUME_SCOPES], description: SAY.scope },
  targets: targetsSchema(SAY.resumeTargets),
};

/** Pauses projects and channels (D-39; publish-api.md: temp-pause). */
export const pauseTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.pause,
    title: SAY.pauseTitle,
    description: SAY.pause(names),
    inputSchema: { type: 'object', properties: PAUSE, additionalProperties: false },
    outputSchema: OUTPUT,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  call: (args, send, slug) =>
    changePause('temp-pause', args, Object.keys(PAUSE), send, slug, names, TOOL_ANSWERS.paused),
});

/** Ends pauses (D-39; publish-api.md: temp-resume). */
export const resumeTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.resume,
    title: SAY.resumeTitle,
    description: SAY.resume(names),
    inputSchema: { type: 'object', properties: RESUME, additionalProperties: false },
    outputSchema: OUTPUT,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  },
  call: (args, send, slug) =>
    changePause('temp-resume', args, Object.keys(RESUME), send, slug, names, TOOL_ANSWERS.resumed),
});

const changePause = async (
  route: 'temp-pause' | 'temp-resume',
  args: unknown,
  known: readonly string[],
  send: Send,
  slug: string,
  names: ToolNames,
  describe: (typeof TOOL_ANSWERS)['paused'],
): Promise<ToolAnswer> => {
  const sent = readArguments(args, known);
  const targets = await resolveTargetNames(sent.targets, send, slug, names);
  const body = { ...sent, ...(targets && { targets }) };
  const structured = requireSuccess(await send({ method: 'POST', path: `/v1/webhooks/${slug}/${route}`, body }), names);
  const text = describe({
    projects: countOf(Number(structured.projects_affected), 'project'),
    channels: countOf(Number(structured.resources_affected), 'channel'),
    moved: countOf(Number(structured.rescheduled_post_targets), 'queued publication'),
  });
  return { text, structured };
};
