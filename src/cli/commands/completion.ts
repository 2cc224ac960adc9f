import type { Command } from 'commander';
import type { Define } from '../define.js';
import { CLI_MESSAGES, SUMMARIES } from '../messages.js';
import { WrongUsage } from '../output.js';

/** Adds `completion`. */
export const addCompletion = (define: Define, program: Command): void => {
  define({
    usage: 'completion <shell>',
    summary: SUMMARIES.completion,
    example: 'crosspost completion bash > crosspost.bash',
    handler: ({ out, args }) => {
      const script = SCRIPTS[args[0] ?? ''];
      if (!script) throw new WrongUsage(CLI_MESSAGES.noShell({ shell: args[0] ?? '' }));
      out.raw(script(wordsOf(program)));
      return Promise.resolve();
    },
  });
};

interface Words {
  /** Command, such as `channels create`. */
  readonly path: string;
  /** Words that may follow it. */
  readonly words: readonly string[];
}

const wordsOf = (command: Command, path: readonly string[] = []): readonly Words[] => {
  const names = command.commands.map((one) => one.name());
  const flags = command.options.flatMap(({ long }) => (long ? [long] : []));
  const own = { path: path.join(' '), words: [...names, ...flags, '--help'] };
  return [own, ...command.commands.flatMap((one) => wordsOf(one, [...path, one.name()]))];
};

const cases = (all: readonly Words[]): string =>
  all.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`).join('\n');

/** Joins the words that name commands, and skips all others. */
const PATH_LOOP = `  for word in "\${given[@]}"; do
    case " $paths" in *"|\${path:+$path }$word|"*) path="\${path:+$path }$word" ;; esac
  done`;

const pathList = (all: readonly Words[]): string => `|${all.map(({ path }) => path).join('|')}|`;

const SCRIPTS: Readonly<Record<string, (all: readonly Words[]) => string>> = {
  bash: (all) => `# bash completion of crosspost: source this file
_crosspost() {
  local path='' word words='' paths='${pathList(all)}'
  local given=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
${PATH_LOOP}
  case "$path" in
${cases(all)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _crosspost crosspost
`,
  zsh: (all) => `#compdef crosspost
# zsh completion of crosspost: put this file into a folder of $fpath as _crosspost, or source it after compinit
_crosspost() {
  local path_='' word words_='' paths='${pathList(all)}'
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case " $paths" in *"|\${path_:+$path_ }$word|"*) path_="\${path_:+$path_ }$word" ;; esac
  done
  case "$path_" in
${cases(all).replaceAll(') words=', ') words_=')}
  esac
  compadd -- \${=words_}
  _files
}
compdef _crosspost crosspost
`,
  fish: (all) => `# fish completion of crosspost: put this file into ~/.config/fish/completions
function __crosspost_path
  set -l paths ${all.map(({ path }) => `'${path}'`).join(' ')}
  set -l found ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$found $word")
    contains -- $next $paths; and set found $next
  end
  echo $found
end
${all
  .map(
    ({ path, words }) => `complete -c crosspost -n 'test "\$(__crosspost_path)" = "${path}"' -a '${words.join(' ')}'`,
  )
  .join('\n')}
`,
};
