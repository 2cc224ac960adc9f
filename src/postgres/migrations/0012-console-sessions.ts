import type { Migration } from '../migrations.js';

/** Sign-ins of the console (ADR-386): no events, because they change nothing that is published. */
export const consoleSessions: Migration = {
  number: 12,
  name: 'console sessions',
  sql: `
    create table ops_console_session (
      session_id text primary key,
      -- SHA-256 of the cookie's token.
      token_hash text not null unique,
      -- SHA-256 of the key that signed in. The session ends with the key.
      key_hash text not null,
      is_remembered boolean not null,
      user_agent text,
      created_at timestamptz not null default now(),
      used_at timestamptz not null default now(),
      expires_at timestamptz not null
    );
    create index ops_console_session_key on ops_console_session (key_hash);
  `,
};
