import { SETTING_MESSAGES } from './messages.js';
import { type NetworkSetting, schemaWith } from './schema.js';

const WIDTH = 100;

/** Returns every setting with its description, valid values and default, aligned, for `npm start -- --help`. */
export const helpText = (networks: readonly NetworkSetting[]): string => {
  const settings = schemaWith(networks);
  const column = Math.max(...settings.map(([name]) => name.length)) + 4;
  const rows = settings.map(([name, setting]) => {
    const lines = [
      ...wrap(setting.description, WIDTH - column),
      ...wrap(`accepts ${setting.takes}; default: ${setting.defaultText}`, WIDTH - column),
      ...(setting.mayBeFile ? wrap(SETTING_MESSAGES.mayBeFile({ name }), WIDTH - column) : []),
    ];
    return lines.map((line, i) => (i === 0 ? `  ${name}`.padEnd(column) : ' '.repeat(column)) + line).join('\n');
  });
  return [SETTING_MESSAGES.introduction, ...rows].join('\n\n');
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
