import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';

/** The forms in which a text may be stored: plain, in JSON, as bytes, and in base64 at any of its three offsets. */
const formsOf = (text: string): readonly string[] => {
  const bytes = Buffer.from(text);
  const inBase64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    return encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3) - 1);
  });
  return [text, JSON.stringify(text).slice(1, -1), bytes.toString('hex'), ...inBase64];
};

/** Lists the tables of a database that contain a text anywhere, in any schema and column. */
export const findInTables = async (pool: Pick<Pool, 'query'>, text: string): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const hit = await pool.query(
      `select from ${name} t where exists (select from unnest($1::text[]) f where strpos(t::text, f) > 0) limit 1`,
      [formsOf(text)],
    );
    if (hit.rows.length > 0) found.push(name);
  }
  return found;
};

/** Lists the files below a folder whose names or contents contain a text. */
export const findInFiles = async (folder: string, text: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path).catch(() => Buffer.alloc(0));
    if (path.includes(text) || formsOf(text).some((form) => content.includes(form))) found.push(path);
  }
  return found;
};
