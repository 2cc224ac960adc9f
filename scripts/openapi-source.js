/** Builds the /openapi.json document for the default settings from the compiled program, without starting it. */
import 'reflect-metadata';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const DIST = join(import.meta.dirname, '../dist');
const load = (file) => import(pathToFileURL(join(DIST, file)).href);

/** Returns the document. */
export const buildDocument = async () => {
  const files = readdirSync(DIST, { recursive: true })
    .filter((file) => file.endsWith('.controller.js'))
    .sort();
  const modules = await Promise.all(files.map(load));
  const controllers = modules
    .flatMap((module) => Object.values(module))
    .filter((value) => typeof value === 'function' && Reflect.hasMetadata('path', value));
  const { buildOpenApiDocument } = await load('api/documentation/openapi-document.js');
  const { PLATFORMS } = await load('platforms/catalogue.js');
  const { loadSettings } = await load('config/settings.js');
  const { brand, limitsProfile } = loadSettings({}, PLATFORMS.all);
  return buildOpenApiDocument(controllers, { brand, limitsProfile, platforms: PLATFORMS }, '/');
};
