import { countOf } from '../../../kernel/message.js';
import { ContentDto, PublishPayloadDto } from '../../../payload/payload.dto.js';
import { LIMITS } from '../../../payload/payload.js';
import { RescheduleDto } from '../../../payload/reschedule.dto.js';
import { WithdrawBody } from '../../../payload/withdraw.dto.js';
import type { StatisticsView } from '../../../statistics/statistics.queries.js';
import type {
  EditedPostStatusView,
  PostStatusView,
  PublicationStatusView,
  WithdrawnPostStatusView,
} from '../../public/post.views.js';
import { TOOL_ANSWERS, TOOL_DESCRIPTIONS as SAY } from '../messages.js';
import { resolveTargetNames } from './endpoint.tools.js';
import {
  answerOf,
  argumentsOf,
  joinErrors,
  objectSchema,
  readArguments,
  readNumber,
  readText,
  requireSuccess,
  type Tool,
  type ToolNames,
} from './tool.js';

const ID = { type: 'string', description: SAY.postId };

/** Returns the API path of a post. No post has an empty id. */
export const postPath = (slug: string, id: string): string =>
  `/v1/webhooks/${slug}/posts/${encodeURIComponent(id) || '-'}`;

/** Shows the status of a post (D-39, D-48). */
export const postStatusTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.status,
    title: SAY.statusTitle,
    description: SAY.status(names),
    inputSchema: { ...objectSchema({ id: ID }), additionalProperties: false },
    outputSchema: answerOf('PostStatus'),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },

  async call(args, send, slug) {
    const id = readText(readArguments(args, ['id']), 'id') ?? '';
    const structured = requireSuccess(await send({ method: 'GET', path: postPath(slug, id) }), names);
    const { revision, publications } = structured as unknown as PostStatusView;
    return { text: TOOL_ANSWERS.status({ id, revision, states: describeStates(publications) }), structured };
  },
});

const describeStates = (publications: readonly PublicationStatusView[]): string =>
  publications.map(describeState).join(', ') || TOOL_ANSWERS.noPublications;

const describeState = ({ platform, target, state, ...publication }: PublicationStatusView): string => {
  const { waiting_for: waiting, withdrawal } = publication;
  const isOpen = withdrawal !== null && (state === 'withdrawing' || state === 'withdraw_failed');
  const { statistics } = publication;
  const numbers = state === 'published' ? describeNumbers(statistics) : undefined;
  const taken = isOpen ? (withdrawal.waiting_for?.text ?? withdrawal.error?.message) : undefined;
  const why = waiting?.text ?? taken ?? ([describeVersion(publication), numbers].filter(Boolean).join('; ') || null);
  return `${platform} ${JSON.stringify(target)} ${state}${why ? ` (${why})` : ''}`;
};

/** Tells which content readers see where it was edited, or should be; undefined elsewhere. */
const describeVersion = ({
  content_version: version,
  edited_at: editedAt,
  edit,
}: Pick<PublicationStatusView, 'content_version' | 'edited_at' | 'edit'>): string | undefined => {
  if (edit === null) return editedAt === null ? undefined : TOOL_ANSWERS.edited({ version: version ?? 1 });
  const { revision, state, waiting_for: waiting, error } = edit;
  const why = waiting?.text ?? error?.message;
  return TOOL_ANSWERS.unedited({ version: version ?? 1, revision, state, why: why ? `: ${why}` : '' });
};

/** Names the numbers that are known; the structured answer says why others are not. */
const describeNumbers = ({ views, reactions, comments, shares }: StatisticsView): string | undefined =>
  Object.entries({ views, reactions, comments, shares })
    .flatMap(([name, value]) => (value === null ? [] : [`${value} ${name}`]))
    .join(', ') || undefined;

const PAYLOAD = argumentsOf(PublishPayloadDto, SAY.ofPost);
const PROPERTIES = {
  ...PAYLOAD,
  idempotency_key: { type: 'string', maxLength: LIMITS.keyLength, description: SAY.idempotencyKey },
};

/** Publishes a post (publish-api.md: Assistant tool server, `service_publish`). */
export const publishTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.publish,
    title: SAY.publishTitle,
    description: SAY.publish(names),
    inputSchema: { type: 'object', properties: PROPERTIES, additionalProperties: false },
    outputSchema: answerOf('PublishResult'),
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

/** Moves a planned post to another time (D-63). */
export const rescheduleTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.reschedule,
    title: SAY.rescheduleTitle,
    description: SAY.reschedule(names),
    inputSchema: {
      ...objectSchema({ id: ID, ...argumentsOf(RescheduleDto, { publish_at: SAY.newTime }) }),
      additionalProperties: false,
    },
    outputSchema: answerOf('ChangedPost'),
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
    description: SAY.cancel(names),
    inputSchema: { ...objectSchema({ id: ID }), additionalProperties: false },
    outputSchema: answerOf('Cancelled'),
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

const CONTENT = argumentsOf(ContentDto, SAY.ofPost);
const EDIT = { ...CONTENT, revision: { type: 'integer', minimum: 1, description: SAY.ofEdit } };

/** Gives a post new content (D-72). */
export const editTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.edit,
    title: SAY.editTitle,
    description: SAY.edit(names),
    inputSchema: { type: 'object', properties: { id: ID, ...EDIT }, required: ['id'], additionalProperties: false },
    outputSchema: answerOf('EditedPostStatus'),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  },

  async call(args, send, slug) {
    const sent = readArguments(args, ['id', ...Object.keys(EDIT)]);
    const id = readText(sent, 'id') ?? '';
    const ifRevision = readNumber(sent, 'revision');
    const { id: _, revision: _revision, ...body } = sent;
    const path = `${postPath(slug, id)}/content`;
    const answer = await send({ method: 'PUT', path, body, ...(ifRevision !== undefined && { ifRevision }) });
    const structured = requireSuccess(answer, names);
    const { revision, publications } = structured as unknown as EditedPostStatusView;
    const values = { id, revision, states: describeStates(publications), status: names.status };
    return { text: TOOL_ANSWERS.contentOfPost(values), structured };
  },
});

const WITHDRAWAL = argumentsOf(WithdrawBody, SAY.ofWithdrawal);

/** Takes a post back (D-69). */
export const withdrawTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.withdraw,
    title: SAY.withdrawTitle,
    description: SAY.withdraw(names),
    inputSchema: {
      type: 'object',
      properties: { id: ID, ...WITHDRAWAL },
      required: ['id'],
      additionalProperties: false,
    },
    outputSchema: answerOf('WithdrawnPostStatus'),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  },

  async call(args, send, slug) {
    const sent = readArguments(args, ['id', ...Object.keys(WITHDRAWAL)]);
    const id = readText(sent, 'id') ?? '';
    const targets = await resolveTargetNames(sent.targets, send, slug, names);
    // Null is left as it is: it is refused, because it must not mean all targets (D-74).
    const { id: _, ...own } = sent;
    const body = { ...own, ...(targets && { targets }) };
    const path = `${postPath(slug, id)}/withdraw`;
    const structured = requireSuccess(await send({ method: 'POST', path, body }), names);
    const { withdrawing, cancelled, publications } = structured as unknown as WithdrawnPostStatusView;
    const values = { id, states: describeStates(publications), status: names.status };
    if (withdrawing > 0) return { text: TOOL_ANSWERS.withdrawing(values), structured };
    return { text: (cancelled > 0 ? TOOL_ANSWERS.withdrawn : TOOL_ANSWERS.nothingWithdrawn)(values), structured };
  },
});

/** Checks and previews a post (D-39; publish-api.md: POST /v1/sandbox/test). */
export const sandboxTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.sandbox,
    title: SAY.sandboxTitle,
    description: SAY.sandbox(names),
    inputSchema: { type: 'object', properties: PAYLOAD, additionalProperties: false },
    outputSchema: { type: 'object', anyOf: [answerOf('SandboxResult'), answerOf('SandboxErrorBody')] },
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
  isSandbox: true,

  async call(args, send, slug) {
    const sent = readArguments(args, Object.keys(PAYLOAD));
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
