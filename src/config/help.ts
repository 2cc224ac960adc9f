import { schema } from './schema.js';
import type { Setting } from './setting.js';

const WIDTH = 100;

/** Every setting with its meaning, what it takes and its default, aligned, for `npm start -- --help`. */
export const helpText = (): string => {
  const settings: [string, Setting][] = Object.entries(schema);
  const column = Math.max(...settings.map(([name]) => name.length)) + 4;
  const rows = settings.map(([name, setting]) => {
    const lines = [
      ...wrap(setting.meaning, WIDTH - column),
      ...wrap(`takes ${setting.takes}; default: ${setting.defaultText}`, WIDTH - column),
    ];
    return lines.map((line, i) => (i === 0 ? `  ${name}`.padEnd(column) : ' '.repeat(column)) + line).join('\n');
  });
  return ['Settings are read from the environment; an empty one counts as not set.', ...rows].join('\n\n');
};

const wrap = (text: string, width: number): string[] => {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.length - 1;
    const longer = lines[last] === '' ? word : `${lines[last]} ${word}`;
    if (longer.length <= width || lines[last] === '') lines[last] = longer;
    else lines.push(word);
  }
  return lines;
};
