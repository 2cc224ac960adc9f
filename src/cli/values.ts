import type { RouteOf } from '../../clients/typescript/src/index.js';
import type { ListPath } from './api.js';
import type { Options } from './define.js';
import { WrongUsage } from './failures.js';
import { CLI_MESSAGES, OPTIONS } from './messages.js';

/** Returns the maximum number of items to list, 50 by default. @throws WrongUsage */
export const limitOf = ({ limit = '50' }: Options): number => wholeNumber('limit', String(limit));

/** Reads a positive whole number. @throws WrongUsage */
export const wholeNumber = (field: string, text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new WrongUsage(CLI_MESSAGES.wrongValue({ field, type: 'number', text }));
  return Number(text);
};

/** Query parameters of a list route. */
export type QueryOf<P extends ListPath> = RouteOf<'GET', P>['takes'] extends { readonly query?: infer Query }
  ? NonNullable<Query>
  : never;

/** Returns the list filters that the options set. The gateway checks their values. */
export const queryOf = <P extends ListPath>(
  filters: readonly (keyof QueryOf<P> & string)[],
  options: Options,
): QueryOf<P> => Object.fromEntries(filters.map((name) => [name, options[camelCase(name)]])) as QueryOf<P>;

/** Returns the option that sets an API field. @param form placeholder for its value in the help, such as `text` */
export const fieldOption = (field: string, form: string): readonly [flags: string, meaning: string] => [
  `--${field.replaceAll('_', '-')} <${form}>`,
  OPTIONS.field({ field }),
];

/** Returns the options that set API fields. @param form placeholder for their values in the help, such as `text` */
export const fieldOptions = (fields: readonly string[], form: string): Record<string, string> =>
  Object.fromEntries(fields.map((field) => fieldOption(field, form)));

/** Converts the name of a field to commander's name for its option: `owner_id` becomes `ownerId`. */
export const camelCase = (field: string): string =>
  field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
