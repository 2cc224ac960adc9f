import { JsonText } from '../../../clients/typescript/src/index.js';
import { readInput } from '../body.js';
import type { Call, Define } from '../define.js';
import { WrongUsage } from '../failures.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import { clean } from '../output.js';
import { wholeNumber } from '../values.js';

/** Adds `reschedule`, `edit`, `approve` and `reject`. */
export const addPlannedPosts = (define: Define): void => {
  define({
    usage: 'reschedule <post>',
    summary: SUMMARIES.reschedule,
    example: 'crosspost reschedule $POST --at now',
    options: { '--at <time>': OPTIONS.newTime },
    handler: async (call) => {
      const at = requireOption(call, 'at', CLI_MESSAGES.noTime);
      const body = { publish_at: at === 'now' ? null : at };
      call.out.answer(await call.api.patch('/posts/{id}', { path: requirePost(call), body }));
    },
  });
  define({
    usage: 'edit <post>',
    summary: SUMMARIES.edit,
    example: 'crosspost edit $POST --file post.json',
    options: { '--file <path>': OPTIONS.post },
    handler: async (call) => {
      const body = new JsonText(await readInput(requireOption(call, 'file', CLI_MESSAGES.noFile)));
      call.out.answer(await call.api.put('/posts/{id}/payload', { path: requirePost(call), body }));
    },
  });
  define({
    usage: 'approve <post>',
    summary: SUMMARIES.approve,
    example: "crosspost approve $POST --revision 1 --note 'Checked the figures'",
    options: { '--revision <n>': OPTIONS.approvedRevision, '--note <text>': OPTIONS.note },
    handler: async (call) => {
      const path = requirePost(call);
      const body = { note: call.options.note as string | undefined, revision: await findRevision(call, path) };
      call.out.answer(await call.api.post('/posts/{id}/approve', { path, body }));
    },
  });
  define({
    usage: 'reject <post>',
    summary: SUMMARIES.reject,
    example: "crosspost reject $POST --reason 'The price is wrong'",
    options: { '--reason <text>': OPTIONS.rejection },
    handler: async (call) => {
      const reason = requireOption(call, 'reason', CLI_MESSAGES.noRejection);
      call.out.answer(await call.api.post('/posts/{id}/reject', { path: requirePost(call), body: { reason } }));
    },
  });
};

/**
 * Returns the revision to approve (D-81): `--revision`, or the current one, whose content is then shown.
 * @throws WrongUsage @throws Failure
 */
const findRevision = async ({ api, out, options }: Call, path: { readonly id: string }): Promise<number> => {
  if (options.revision !== undefined) return wholeNumber('revision', String(options.revision));
  const { revision, payload } = await api.get('/posts/{id}', { path });
  out.note(CLI_MESSAGES.approves({ id: path.id, revision, content: clean(JSON.stringify(payload)) }));
  return revision;
};

/** Returns the id of the post from the command's arguments. @throws WrongUsage */
const requirePost = ({ args: [id = ''] }: Call): { readonly id: string } => {
  if (!id.startsWith('post_')) throw new WrongUsage(CLI_MESSAGES.notAPost({ id }));
  return { id };
};

/** @param message what to say if the option is missing @throws WrongUsage */
const requireOption = ({ options }: Call, name: string, message: string): string => {
  const value = options[name];
  if (typeof value !== 'string') throw new WrongUsage(message);
  return value;
};
