import { Command } from 'commander';
import type { CommandLineSettings } from '../config/command-line.js';
import { addCompletion } from './commands/completion.js';
import { addDoctor } from './commands/doctor.js';
import { addHistory } from './commands/history.js';
import { addProjections, addRecovery, addSagas, addSecrets } from './commands/operator.js';
import { addPlannedPosts, addPosts } from './commands/posts.js';
import { addPauses, addResources } from './commands/resources.js';
import { addSend } from './commands/send.js';
import { addTail } from './commands/tail.js';
import { addCommonOptions, createDefine } from './define.js';
import { CLI_MESSAGES, SUMMARIES } from './messages.js';

/** Creates the command line with all commands. */
export const createProgram = (settings: CommandLineSettings, version: string): Command => {
  const program = new Command('crosspost').description(SUMMARIES.program).version(`crosspost ${version}`, '--version');
  addCommonOptions(program).enablePositionalOptions().exitOverride();
  program.addHelpText('after', `\n${CLI_MESSAGES.example}\n  $ crosspost doctor`);
  const define = createDefine(program, settings);
  addSend(define);
  addTail(define);
  addPosts(define);
  addPlannedPosts(define);
  addPauses(define);
  addResources(define);
  addHistory(define);
  addProjections(define);
  addSecrets(define);
  addSagas(define);
  addRecovery(define);
  addDoctor(define, version);
  addCompletion(define, program);
  return program;
};
