import { Module } from '@nestjs/common';
import { DocsController } from '../../api/documentation/docs.controller.js';
import { OpenApiController } from '../../api/documentation/openapi.controller.js';
import { PlatformsModule } from './platforms.module.js';

/** The documentation of the API: /openapi.json and /docs (D-31). */
@Module({ imports: [PlatformsModule], controllers: [OpenApiController, DocsController] })
export class DocumentationModule {}
