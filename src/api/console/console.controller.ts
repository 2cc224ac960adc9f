import { randomBytes } from 'node:crypto';
import { Controller, Get, Headers, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { HttpProblem } from '../transport/http-problem.js';
import { getPathPrefix } from '../transport/path-prefix.js';
import { ConsoleFiles } from './console-files.js';
import { CONSOLE_MESSAGES } from './messages.js';

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
      .send(this.placeBelowPrefix(page).replaceAll(NONCE, nonce));
  }

  /** Makes the page's file URLs absolute, because the page is served at paths of different depths. */
  private placeBelowPrefix(page: string): string {
    const prefix = getPathPrefix(this.settings);
    return page.replaceAll(FILE_ADDRESS, (_, start: string) => `${start}${prefix}/console/`);
  }
}
