import type { Command } from 'commander';
import type { CommandLineSettings } from '../../config/command-line.js';
import type { ApiAnswer } from '../api.js';
import { type Call, define } from '../define.js';
import { Failure, WrongUsage } from '../failures.js';
import { waitForJob } from '../jobs.js';
import { textOf, valueAt } from '../json.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import type { Column } from '../output.js';

const COLUMNS: readonly Column[] = [
  ['NAME', 'name'],
  ['STATE', 'state'],
  ['VERSION', 'version'],
  ['POSITION', 'position'],
  ['LAG', 'lag_events'],
  ['RATE', 'rate'],
  ['SKIPPED', 'skipped'],
];

const pathOf = (name: string | undefined): string => `/projections/${encodeURIComponent(name ?? '')}`;

/** Starts a job, and waits until it has ended unless `--no-wait` is given. */
const startJob = async (
  { api, out, args: [name], options }: Call,
  action: string,
  body: object,
): Promise<ApiAnswer> => {
  const job = await api.manage('POST', `${pathOf(name)}/${action}`, { body });
  return options.wait === false ? job : waitForJob(api, out, textOf(job.thing.id));
};

/** Adds `projections` with what operators decide about them. */
export const addProjections = (program: Command, settings: CommandLineSettings): void => {
  const projections = define(program, settings, {
    usage: 'projections [name]',
    summary: SUMMARIES.projections,
    example: 'crosspost projections',
    handler: async ({ api, out, args: [name] }) => {
      if (name === undefined) return out.list(api.list('/projections', {}, Infinity), COLUMNS);
      const { text, thing } = await api.manage('GET', pathOf(name));
      out.answer(text, thing);
    },
  });
  define(projections, settings, {
    usage: 'rebuild <name>',
    summary: SUMMARIES.rebuildProjection,
    example: 'crosspost projections rebuild posts --promote manual',
    options: [
      ['--promote <auto|manual>', OPTIONS.promote],
      ['--no-wait', OPTIONS.noWait],
    ],
    handler: async (call) => {
      const job = await startJob(call, 'rebuild', { promote: call.options.promote });
      call.out.answer(job.text, job.thing);
    },
  });
  for (const [decision, summary] of [
    ['promote', SUMMARIES.promoteProjection],
    ['rollback', SUMMARIES.rollBackProjection],
    ['discard', SUMMARIES.discardProjection],
  ] as const)
    define(projections, settings, {
      usage: `${decision} <name>`,
      summary,
      example: `crosspost projections ${decision} posts`,
      handler: async ({ api, out, args: [name] }) => {
        const { text, thing } = await api.manage('POST', `${pathOf(name)}/${decision}`);
        out.answer(text, thing);
      },
    });
  define(projections, settings, {
    usage: 'verify <name>',
    summary: SUMMARIES.verifyProjection,
    example: 'crosspost projections verify posts',
    options: [['--no-wait', OPTIONS.noWait]],
    handler: async (call) => {
      const job = await startJob(call, 'verify', {});
      call.out.answer(job.text, job.thing);
      const [missing, extra, different] = ['missing', 'extra', 'different'].map((kind) =>
        Number(valueAt(job.thing, `result.${kind}`) ?? 0),
      ) as [number, number, number];
      if (missing + extra + different > 0)
        throw new Failure('unequal', CLI_MESSAGES.unequal({ missing, extra, different }));
    },
  });
  define(projections, settings, {
    usage: 'retry <name>',
    summary: SUMMARIES.retryProjection,
    example: 'crosspost projections retry posts',
    handler: async ({ api, out, args: [name] }) => {
      const { text, thing } = await api.manage('POST', `${pathOf(name)}/retry`);
      out.answer(text, thing);
    },
  });
  define(projections, settings, {
    usage: 'skip <name>',
    summary: SUMMARIES.skipEvent,
    example: 'crosspost projections skip posts --reason "written by hand"',
    options: [['--reason <text>', OPTIONS.reason]],
    handler: async ({ api, out, args: [name], options: { reason } }) => {
      if (typeof reason !== 'string') throw new WrongUsage(CLI_MESSAGES.noReason);
      const { text, thing } = await api.manage('POST', `${pathOf(name)}/skip`, { body: { reason } });
      out.answer(text, thing);
    },
  });
};
