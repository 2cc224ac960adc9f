import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Inject, Param, Res, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { PlatformCatalogue } from '../../platforms/platform-catalogue.js';
import { HTTP_MESSAGES } from '../transport/messages.js';
import { HttpProblem } from '../transport/problem.view.js';
import { buildOpenApiDocument } from './openapi-document.js';

const ASSETS = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
/** Files that the page loads, with their media types. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const SHARED = { 'referrer-policy': 'no-referrer' };
const OWN_FILES =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";

/** The outer page only frames Swagger UI. Nothing may come from other origins. */
const HEADERS = {
  ...SHARED,
  'content-security-policy': `${OWN_FILES}; img-src data:; frame-src 'self'; frame-ancestors 'none'`,
};

/** Swagger UI is sandboxed: its scripts cannot read what the console stores under the same origin (ADR-250). */
const UI_HEADERS = {
  ...SHARED,
  'content-security-policy': `${OWN_FILES}; img-src 'self' data:; frame-ancestors 'self'; sandbox allow-scripts allow-forms allow-popups allow-downloads`,
};

const renderPage = (style: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Crosspost API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
</head>
<body>
${body}
</body>
</html>
`;

/** URLs are relative, because a proxy may add a path prefix. */
const PAGE = renderPage(
  'docs/page.css',
  '<iframe title="Crosspost API"></iframe>\n<script src="docs/relay.js"></script>',
);
const UI = renderPage(
  'swagger-ui.css',
  '<div id="swagger-ui"></div>\n<script src="swagger-ui-bundle.js"></script>\n<script src="start.js"></script>',
);

const STYLE = `body { margin: 0; }
iframe { position: fixed; width: 100%; height: 100%; border: 0; }
`;

/**
 * Makes the requests of the sandboxed page, which has no origin of its own, and returns their answers. Both pages have
 * the same fragment, which names an operation (`#/tag/operation`), so that links to operations work.
 */
const RELAY = `const base = new URL('.', location.href);
const frame = document.querySelector('iframe');
const showLinked = () => frame.contentWindow.location.replace(new URL('docs/ui' + location.hash, base));
addEventListener('message', async ({ source, data: { id, hash, url, ...request } }) => {
  if (source !== frame.contentWindow) return;
  if (hash !== undefined) return history.replaceState(null, '', '#' + String(hash).slice(1));
  const answer = await (async () => {
    if (!new URL(url).href.startsWith(base.href)) throw new TypeError('This page only calls its own gateway.');
    const response = await fetch(url, { ...request, credentials: 'omit' });
    const { status, statusText } = response;
    return { status, statusText, headers: [...response.headers], body: await response.arrayBuffer() };
  })().catch((error) => ({ error: String(error) }));
  source.postMessage({ id, ...answer }, '*');
});
addEventListener('hashchange', showLinked);
showLinked();
`;

const START = `const waiting = new Map();
addEventListener('message', ({ source, data: { id, ...answer } }) => {
  if (source !== parent) return;
  waiting.get(id)?.(answer);
  waiting.delete(id);
});
let last = 0;
const relay = async (url, { method, headers, body }) => {
  const id = ++last;
  const answer = await new Promise((resolve) => {
    waiting.set(id, resolve);
    parent.postMessage({ id, url: new URL(url, location.href).href, method, headers, body }, '*');
  });
  if (answer.error) throw new TypeError(answer.error);
  const { status, statusText } = answer;
  return new Response([204, 205, 304].includes(status) ? null : answer.body, { status, statusText, headers: answer.headers });
};
const { layoutActions } = SwaggerUIBundle({
  url: '../openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  docExpansion: 'none',
  filter: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  requestInterceptor: (request) => Object.assign(request, { userFetch: relay }),
});
const showHash = () => parent.postMessage({ hash: location.hash }, '*');
const push = history.pushState;
history.pushState = (...state) => {
  push.apply(history, state);
  showHash();
};
addEventListener('hashchange', () => {
  layoutActions.parseDeepLinkHash(location.hash);
  showHash();
});
`;

/** Serves the interactive API documentation page, which can send requests to this server. It works offline (D-31). */
@Controller('docs')
export class DocsController {
  private readonly files = new Map<string, Promise<Buffer>>();

  @Get()
  page(@Res() reply: FastifyReply): void {
    void reply.headers(HEADERS).type('text/html; charset=utf-8').send(PAGE);
  }

  @Get('ui')
  ui(@Res() reply: FastifyReply): void {
    void reply.headers(UI_HEADERS).type('text/html; charset=utf-8').send(UI);
  }

  @Get('page.css')
  style(@Res() reply: FastifyReply): void {
    void reply.headers(HEADERS).type('text/css; charset=utf-8').send(STYLE);
  }

  @Get('relay.js')
  relay(@Res() reply: FastifyReply): void {
    void reply.headers(HEADERS).type('text/javascript; charset=utf-8').send(RELAY);
  }

  @Get('start.js')
  start(@Res() reply: FastifyReply): void {
    void reply.headers(HEADERS).type('text/javascript; charset=utf-8').send(START);
  }

  @Get(':file')
  async file(@Param('file') name: string, @Res() reply: FastifyReply): Promise<void> {
    const type = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    if (type === undefined) throw HttpProblem.withMessage(404, 'not_found', HTTP_MESSAGES.noRoute);
    const file = this.files.get(name) ?? readFile(join(ASSETS, name));
    this.files.set(name, file);
    void reply
      .headers({ ...HEADERS, 'cache-control': 'max-age=3600' })
      .type(type)
      .send(await file);
  }
}

/** Serves the OpenAPI document (D-31). */
@Controller()
export class OpenApiController {
  /** The encoded document, built on the first request and shared by all responses. */
  private document: Buffer | null = null;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly modules: ModulesContainer,
    private readonly platforms: PlatformCatalogue,
  ) {}

  /** Needs no key: the document reveals nothing beyond the source code. */
  @Get('openapi.json')
  read(@Res() reply: FastifyReply): void {
    this.document ??= Buffer.from(JSON.stringify(this.build()));
    void reply.type('application/json; charset=utf-8').header('access-control-allow-origin', '*').send(this.document);
  }

  private build(): object {
    const { brand, limitsProfile, baseUrl } = this.settings;
    const controllers = [...this.modules.values()].flatMap((module) =>
      [...module.controllers.values()].flatMap(({ metatype }) => (metatype ? [metatype as Type] : [])),
    );
    const context = { brand, limitsProfile, platforms: this.platforms };
    return buildOpenApiDocument(controllers, context, new URL(baseUrl!).pathname);
  }
}
