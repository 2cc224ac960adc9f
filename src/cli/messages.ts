import { message } from '../kernel/message.js';

/** The command line's own sentences; all others come from the gateway. */
export const CLI_MESSAGES = {
  example: 'Example:',
  noUrl: message('{url} is no address of a gateway: --url takes one such as http://127.0.0.1:3000'),
  notReachable: message(
    'No gateway answers at {url} ({reason}). Start one with "npm start", or name another with --url.',
  ),
  brokenOff: message('The connection to the gateway broke off ({reason}).'),
  saidNothing: message('{route} was answered {status} without a reason'),
  deleted: message('{id} is deleted.'),
  noFields: 'Nothing is set: name at least one field, --set or --file.',
  wrongValue: message('--{field} takes a {type}, not "{text}"'),
  unreadable: message('{file} cannot be read ({reason})'),
  noJson: message('{file} contains no JSON object'),
  wrongSet: message('--set takes path=json, such as settings.buttons=link, not "{assignment}"'),
  wrongRange: message('--diff takes two times, <from>..<to>, not "{text}"'),
};

/** Help of the command line: commands. */
export const SUMMARIES = {
  program: 'Operates a Crosspost gateway over its HTTP API',
  resource: message('Lists, creates and changes {name}'),
  list: message('Lists {name}'),
  get: message('Shows one of the {name}'),
  create: message('Creates one of the {name}'),
  update: message('Changes one of the {name}'),
  delete: message('Deletes one of the {name}'),
  action: message('Executes {action} on one of the {name}'),
  history: 'Shows a thing as it stood at a time, or what changed between two times',
  events: 'Lists the audit trail',
  trace: 'Shows the story of a post, publication, request or event',
};

/** Help of the command line: options. */
export const OPTIONS = {
  url: 'the gateway (default: CROSSPOST_URL, else http://127.0.0.1:3000)',
  key: "key (default: CROSSPOST_KEY, else the operator's key of a gateway in this folder)",
  json: "print the API's answer as it is; without a terminal always",
  set: 'a nested field, such as credentials.chat_id=-100123',
  file: 'JSON with all fields; - reads the standard input',
  limit: 'most things to list (default: 50)',
  cascade: 'take it out of everything that names it',
  field: message('the field {field}'),
  at: 'a time (ISO 8601)',
  diff: 'two times: <from>..<to>',
};
