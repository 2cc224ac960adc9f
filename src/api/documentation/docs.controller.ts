import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HttpProblem } from '../transport/http-problem.js';
import { HTTP_MESSAGES } from '../transport/messages.js';

const ASSETS = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
/** Files that the page loads, with their media types. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** Prevents the page from loading anything from other origins and from running other scripts. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'",
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
};

/** URLs are relative, because a proxy may add a path prefix. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Crosspost API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  docExpansion: 'list',
  filter: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
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
