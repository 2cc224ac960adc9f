import { Controller, Get, Module, NotFoundException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type DocumentationContext, Documented } from '../../../src/api/documentation/documented.js';
import { buildOpenApiDocument } from '../../../src/api/documentation/openapi-document.js';

@Controller('v1/things')
class ThingsController {
  @Get('old')
  @Documented({
    summary: 'Read the old thing',
    description: 'It is old.',
    deprecated: { since: '2026-11-24', until: '2027-11-30' },
  })
  old(): string {
    return 'old';
  }

  @Get('older')
  @Documented({ summary: 'Read nothing', deprecated: { since: '2026-11-24' } })
  older(): string {
    throw new NotFoundException();
  }

  @Get('new')
  @Documented({ summary: 'Read the new thing' })
  new(): string {
    return 'new';
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

describe('a deprecated route (docs/compatibility.md)', () => {
  let app: NestFastifyApplication;
  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(ThingsModule, new FastifyAdapter(), { logger: false });
    await app.init();
  });
  afterAll(() => app?.close());

  const headersOf = async (name: string): Promise<readonly unknown[]> => {
    const { headers } = await app.inject({ method: 'GET', url: `/v1/things/${name}` });
    return [headers.deprecation, headers.sunset];
  };

  it('says since when and until when, in the form of RFC 9745 and RFC 8594', async () => {
    expect(await headersOf('old')).toEqual(['@1795478400', 'Tue, 30 Nov 2027 23:59:59 GMT']);
  });

  it('says it in errors too, and nothing about an end that is not decided', async () => {
    expect(await headersOf('older')).toEqual(['@1795478400', undefined]);
  });

  it('is alone in saying so', async () => {
    expect(await headersOf('new')).toEqual([undefined, undefined]);
  });

  it('is marked in the document, which says until when it is served', () => {
    const context = { brand: 'crosspost' } as DocumentationContext;
    const { paths } = buildOpenApiDocument([ThingsController], context, '/');
    const describe = (name: string) => {
      const { deprecated, description } = paths[`/v1/things/${name}`]!.get!;
      return { deprecated, description };
    };
    expect(describe('old')).toEqual({
      deprecated: true,
      description: 'Deprecated since 2026-11-24, and served until 2027-11-30. It is old.',
    });
    expect(describe('older').description).toBe('Deprecated since 2026-11-24; no removal date has been set.');
    expect(describe('new')).toEqual({ deprecated: undefined, description: undefined });
  });
});
