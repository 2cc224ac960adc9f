import { message } from '../kernel/message.js';

/** Errors in settings. The process exits with code 1. `--help` describes all settings. */
export const SETTING_MESSAGES = {
  oneWrong: 'A setting is wrong:',
  moreWrong: 'Settings are wrong:',
  wrong: message('{name} must be {takes}; got "{value}"'),
  wrongBecause: message('{name} must be {takes}; got "{value}" ({reason})'),
  bothGiven: message('{name} and {name}_FILE are both set: remove one of them'),
  unreadableFile: message('{name}_FILE points at {path}, which cannot be read ({code})'),
  emptyFile: message('{name}_FILE points at {path}, which is empty'),
  mayBeFile: message('may be in a file: {name}_FILE'),
  fromFile: message('{name} (from {path})'),
  hasUser: 'it must not contain a user or a password',
  noScheme: 'it has no scheme: begin it with https:// or http://',
  encodePassword:
    'characters of the user and the password that have a meaning in a URL must be percent-encoded: % as %25, / as %2F, ? as %3F, # as %23, @ as %40, : as %3A',
  notCidr: message('"{value}" is neither a CIDR nor an address'),
  notOrigin: 'an origin is a scheme, a host and an optional port, without a path',
  secretsKeyMissing:
    'SECRETS_KEY must be set with DATABASE_URL, to the same value for every process: 32 bytes in base64, e.g. from "openssl rand -base64 32"; got nothing',
  s3Incomplete:
    'MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY must both be set, or neither: without them, the S3 client finds its own credentials; got one of them',
  samePort: message('METRICS_PORT must be a port other than PORT; got "{value}"'),
  databaseMissing:
    'DATABASE_URL must be set with NODE_ENV=production: a PostgreSQL URL; got nothing. To try the demo, with its own PostgreSQL and stand-in networks, set DEMO=on and OPERATOR_KEY',
  operatorKeyMissing:
    'OPERATOR_KEY must be set for DEMO=on with NODE_ENV=production: at least 16 characters, e.g. from "openssl rand -hex 32"; got nothing',
  wrongInProduction: message('{name} must be {takes} with NODE_ENV=production; got "{value}"'),
  introduction:
    'Settings are read from environment variables. An empty variable counts as not set.\nA secret may be in a file instead: set NAME_FILE to its path.',
  noArgument: message('Unknown argument {argument}: --help lists every setting, --version prints the version.'),
  noCertificate: message('{path} contains no certificate'),
  badCertificate: message('certificate {number} in {path} cannot be read: {reason}'),
  certificatesNotRead: message('{path} cannot be read: {reason}'),
};

/** The file with the generated keys. */
export const KEYS_MESSAGES = {
  notStored: message(
    'The generated keys cannot be stored in {file} ({code}). Make DATA_DIR a folder that this user can read and write, or set OPERATOR_KEY and SECRETS_KEY.',
  ),
  damaged: message(
    '{file} is damaged: it must contain OPERATOR_KEY and SECRETS_KEY as JSON. Restore it from a backup. If there is no backup, set both keys, delete the file and enter the stored credentials again.',
  ),
};

/** A limits profile read from a file. */
export const PROFILE_MESSAGES = {
  unreadable: message('cannot read {file} ({code})'),
  notJson: message('{file} is not JSON: {reason}'),
  wrongField: message('{file}: {field} must be {takes}; {found}'),
  theFile: 'the file',
  missing: 'it is missing',
  found: message('it is {value}'),
  from: message('from {least}'),
  fromTo: message('from {least} to {most}'),
  wholeNumber: message('a whole number {range}'),
  wholeNumberOrNull: message('a whole number {range}, or null for unlimited'),
  positive: message('a number above 0, at most {most}'),
};
