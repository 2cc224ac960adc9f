import { countOf } from '../../../kernel/message.js';
import { TempPauseDto, TempResumeDto } from '../../../payload/validate.js';
import { quoteShort } from '../../../validation/wording.js';
import type { InfoTargetView, InfoView } from '../../public/info.controller.js';
import { TOOL_ANSWERS, TOOL_DESCRIPTIONS as SAY, TOOL_ERRORS } from '../messages.js';
import {
  answerOf,
  argumentsOf,
  describe,
  readArguments,
  RefusedArguments,
  requireSuccess,
  type Send,
  type Tool,
  type ToolAnswer,
  type ToolNames,
} from './tool.js';

const TARGET_ID = /^tgt_\w{1,64}$/;
/** Maximum number of targets that an error lists. */
const MAX_LISTED = 30;

/**
 * Resolves a call's targets, given as ids or full names, to ids (D-39); undefined if none were given. Looks up names
 * with a discovery request, which counts against the discovery limit.
 * @throws RefusedArguments for invalid targets; another ToolError if discovery fails
 */
export const resolveTargetNames = async (
  targets: unknown,
  send: Send,
  slug: string,
  names: ToolNames,
): Promise<readonly string[] | undefined> => {
  if (targets === undefined || targets === null) return undefined;
  if (!Array.isArray(targets) || !targets.every((target) => typeof target === 'string')) {
    const value: unknown = Array.isArray(targets) ? targets.find((target) => typeof target !== 'string') : targets;
    throw new RefusedArguments(TOOL_ERRORS.wrongTargets({ value: describe(value), discover: names.discover }));
  }
  if (targets.every((target) => TARGET_ID.test(target))) return targets;
  const info = requireSuccess(await send({ method: 'GET', path: infoPath(slug) }), names) as unknown as InfoView;
  const known = listTargets(info);
  return targets.map((target) =>
    TARGET_ID.test(target) ? target : findByName(target, info.endpoint.verbose, known, names),
  );
};

/** Returns the API path for discovery. */
export const infoPath = (slug: string): string => `/v1/webhooks/${slug}/info`;

/** Lists the targets of all projects, without duplicates. */
export const listTargets = ({ projects }: InfoView): readonly InfoTargetView[] => {
  const byId = new Map(projects.flatMap(({ targets }) => targets.map((target) => [target.id, target] as const)));
  return [...byId.values()];
};

const findByName = (
  name: string,
  isVerbose: boolean,
  known: readonly InfoTargetView[],
  { discover }: ToolNames,
): string => {
  if (!isVerbose)
    throw new RefusedArguments(TOOL_ERRORS.namesHidden({ name: quoteShort(name), discover }), 'invalid_targets');
  const wanted = fold(name);
  const found = known.filter((target) => target.name !== null && fold(target.name) === wanted);
  if (found.length === 1) return found[0]!.id;
  if (found.length === 0)
    throw new RefusedArguments(
      TOOL_ERRORS.unknownName({ name: quoteShort(name), targets: describeTargets(known) }),
      'invalid_targets',
    );
  const values = { count: found.length, name: quoteShort(name), targets: describeTargets(found) };
  throw new RefusedArguments(TOOL_ERRORS.ambiguousName(values), 'invalid_targets');
};

/** Normalizes case, Unicode composition and surrounding spaces for comparison. */
const fold = (name: string): string => name.normalize('NFC').trim().toLowerCase();

const describeTargets = (targets: readonly InfoTargetView[]): string => {
  if (targets.length === 0) return TOOL_ERRORS.noTargets;
  const listed = targets
    .slice(0, MAX_LISTED)
    .map(({ id, platform, name }) => `${quoteShort(name ?? '')} (${platform}, ${id})`);
  return listed.join(', ') + (targets.length > MAX_LISTED ? ', …' : '');
};

/** Lists projects and targets (publish-api.md: Assistant tool server, `service_discover`). */
export const discoverTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.discover,
    title: SAY.discoverTitle,
    description: SAY.discover(names),
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: answerOf('Discovery'),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },

  async call(args, send, slug) {
    readArguments(args, []);
    const structured = requireSuccess(await send({ method: 'GET', path: infoPath(slug) }), names);
    const info = structured as unknown as InfoView;
    const values = {
      targets: countOf(listTargets(info).length, 'target'),
      projects: countOf(info.projects.length, 'project'),
      names: info.endpoint.verbose ? '' : TOOL_ANSWERS.namesHidden,
    };
    return { text: TOOL_ANSWERS.discovered(values), structured };
  },
});

const PAUSE = argumentsOf(TempPauseDto, SAY.ofPause);
const RESUME = argumentsOf(TempResumeDto, SAY.ofResume);

/** Pauses projects and channels (D-39; publish-api.md: temp-pause). */
export const pauseTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.pause,
    title: SAY.pauseTitle,
    description: SAY.pause(names),
    inputSchema: { type: 'object', properties: PAUSE, additionalProperties: false },
    outputSchema: answerOf('PauseResult'),
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
    outputSchema: answerOf('PauseResult'),
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
