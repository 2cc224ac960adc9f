import { Controller, Get, Inject, Res, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { PlatformCatalogue } from '../../platforms/platform-catalogue.js';
import { buildOpenApiDocument } from './openapi-document.js';

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
