import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Controller, Get, Headers, Inject, Injectable, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { getPathPrefix, type Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { HttpProblem } from '../transport/problem.view.js';
import { CONSOLE_MESSAGES } from './messages.js';

/** Injection token for the folder of the built console. */
export const CONSOLE_FOLDER = Symbol('ConsoleFolder');

/**
 * The folder that scripts/build-console.js writes to: the relative path is the same from the sources and from the
 * compiled program.
 */
export const BUILT_CONSOLE = fileURLToPath(new URL('../../../dist/console', import.meta.url));

const INDEX = 'index.html';
/** Files in this folder have a content hash in their name. */
const HASHED = 'assets/';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** File name extensions of the compressed copies that the build stores next to a file, smallest first. */
const EXTENSIONS = { br: '.br', gzip: '.gz' };

/** A console file, encoded as it is sent. */
export interface ConsoleFile {
  readonly content: Buffer;
  readonly type: string;
  /** Content-Encoding; null if the content is not compressed. */
  readonly encoding: string | null;
  /** True if the name contains a content hash, so that browsers may cache the file forever. */
  readonly isHashed: boolean;
}

/**
 * The files of the built console. All are read into memory on the first request, so a rebuild cannot mix two versions,
 * and no path can escape the folder.
 */
@Injectable()
export class ConsoleFiles {
  private reading: Promise<ReadonlyMap<string, Buffer>> | null = null;

  constructor(@Inject(CONSOLE_FOLDER) private readonly folder: string) {}

  isBuilt(): boolean {
    return this.reading !== null || existsSync(join(this.folder, INDEX));
  }

  /** Returns the console's page; null if the console was not built. */
  async readIndex(): Promise<string | null> {
    return (await this.readAll())?.get(INDEX)?.toString() ?? null;
  }

  /** Returns whether a path is in the folder of hashed files; the console has no pages there. */
  isFilePath(path: string): boolean {
    return path.startsWith(HASHED);
  }

  /**
   * Returns a file, compressed if the client accepts it; null if there is none.
   * @param path below /console, decoded
   * @param accepted the Accept-Encoding header
   */
  async find(path: string, accepted: string | undefined): Promise<ConsoleFile | null> {
    const type = TYPES[extname(path)];
    const files = await this.readAll();
    const content = files?.get(path);
    if (!files || !content || type === undefined || path === INDEX) return null;
    const isHashed = path.startsWith(HASHED);
    for (const [encoding, extension] of Object.entries(EXTENSIONS)) {
      const compressed = files.get(path + extension);
      if (compressed && acceptsEncoding(accepted, encoding)) return { content: compressed, type, encoding, isHashed };
    }
    return { content, type, encoding: null, isHashed };
  }

  private async readAll(): Promise<ReadonlyMap<string, Buffer> | null> {
    if (!this.isBuilt()) return null;
    this.reading ??= readFolder(this.folder);
    try {
      return await this.reading;
    } catch (error) {
      this.reading = null; // the next request tries again
      throw error;
    }
  }
}

const readFolder = async (folder: string): Promise<ReadonlyMap<string, Buffer>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const nameOf = (file: string): string => relative(folder, file).split(sep).join('/');
  return new Map(await Promise.all(files.map(async (file) => [nameOf(file), await readFile(file)] as const)));
};

/** Returns whether an Accept-Encoding header lists this encoding with a weight above 0. */
const acceptsEncoding = (accepted: string | undefined, encoding: string): boolean =>
  (accepted ?? '').split(',').some((part) => {
    const [name, ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    return name === encoding && Number(weight) > 0;
  });

/** Placeholder in the built page, replaced with a new nonce in each response. */
const NONCE = '__CSP_NONCE__';
/** Matches the start of a file's URL in the built page: relative, or under `/console/`. */
const FILE_ADDRESS = /((?:src|href)=")(?:\.\/|\/console\/)/g;

const SHARED = {
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** @param nonce allows style elements that the page's scripts add, for example while a dialog is open */
const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * Serves the web console (management-api.md: The rest). The browser does the routing, so every path that is not a file
 * returns the page. A missing file in `assets/` is a 404; otherwise a browser could load the page as a script.
 */
@Controller('console')
export class ConsoleController {
  constructor(
    private readonly files: ConsoleFiles,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  async root(@Res() reply: FastifyReply): Promise<void> {
    await this.sendPage(reply);
  }

  @Get('*')
  async file(
    @Param('*') path: string,
    @Headers('accept-encoding') accepted: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const file = await this.files.find(path, accepted);
    if (file) {
      const { content, type, encoding, isHashed } = file;
      return void reply
        .headers({
          ...SHARED,
          'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
          vary: 'Accept-Encoding',
          ...(encoding !== null && { 'content-encoding': encoding }),
        })
        .type(type)
        .send(content);
    }
    if (this.files.isFilePath(path) && this.files.isBuilt())
      throw HttpProblem.withMessage(404, 'not_found', CONSOLE_MESSAGES.noFile);
    await this.sendPage(reply);
  }

  private async sendPage(reply: FastifyReply): Promise<void> {
    const page = await this.files.readIndex();
    if (page === null) throw HttpProblem.withMessage(404, 'console_not_built', CONSOLE_MESSAGES.notBuilt);
    const nonce = randomBytes(16).toString('base64');
    void reply
      .headers({ ...SHARED, 'cache-control': 'no-cache', 'content-security-policy': contentSecurityPolicy(nonce) })
      .type('text/html; charset=utf-8')
      .send(this.nameWalls(this.placeBelowPrefix(page)).replaceAll(NONCE, nonce));
  }

  /** Makes the page's file URLs absolute, because the page is served at paths of different depths. */
  private placeBelowPrefix(page: string): string {
    const prefix = getPathPrefix(this.settings);
    return page.replaceAll(FILE_ADDRESS, (_, start: string) => `${start}${prefix}/console/`);
  }

  /** Tells the page which networks are stand-ins of the demo, whose posts are on the walls. */
  private nameWalls(page: string): string {
    const { demo, apiUrls } = this.settings;
    const walls = demo ? Object.keys(apiUrls).filter((network) => apiUrls[network] === null) : [];
    return walls.length === 0 ? page : page.replace('<html ', `<html data-walls="${walls.join(' ')}" `);
  }
}
