import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenApiDocument } from '../../../src/api/documentation/openapi-document.js';
import type { JsonSchema } from '../../../src/validation/json-schema.js';
import { closeObjects, type RecordedExample } from './example-recorder.js';
import { takeExampleTour } from './example-tour.js';

const FILE = join(import.meta.dirname, '../../../src/api/documentation/examples.json');

type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;

interface Operation {
  readonly route: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** Files, such as uploads and tiles. */
const BYTES: ReadonlySet<string> = new Set(['application/octet-stream', 'multipart/form-data']);

/** True for `npm run openapi:examples`, which writes the file; other runs check what it holds. */
const isRecording = process.env.WRITE_EXAMPLES !== undefined;

/** Replaces ids, which differ in each run. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/\b[a-z]+_[0-9a-f]{32}/g, 'id')) as unknown;

describe('the examples of the API', () => {
  let document: OpenApiDocument;
  let operations: Operation[];
  let recorded: ReadonlyMap<string, RecordedExample>;
  let ajv: Ajv2020;

  beforeAll(async () => {
    ({ document, examples: recorded } = await takeExampleTour());
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...(operation as unknown as Operation),
        route: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      })),
    );
    ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'document', ...(closeObjects({ components: document.components }) as object) });
  });

  const validatorOf = (schema: JsonSchema): ValidateFunction =>
    ajv.compile(
      JSON.parse(JSON.stringify(closeObjects(schema)).replaceAll('"#/components/', '"document#/components/')) as object,
    );
  const mainAnswer = ({ responses }: Operation): Content =>
    Object.entries(responses).find(([status]) => status.startsWith('2'))![1].content ?? {};
  const contents = (operation: Operation): [string, Content[string]][] => [
    ...Object.entries(operation.requestBody?.content ?? {})
      .filter(([type]) => !BYTES.has(type))
      .map(([, media]): [string, typeof media] => ['request', media]),
    ...Object.entries(mainAnswer(operation))
      .filter(([type]) => !BYTES.has(type))
      .map(([, media]): [string, typeof media] => ['answer', media]),
  ];

  if (isRecording) {
    it('are written to the file', () => {
      writeFileSync(FILE, `${JSON.stringify(Object.fromEntries([...recorded].sort()), null, 2)}\n`);
    });
    return;
  }

  it('are there for every body and every main answer', () => {
    const missing = operations.flatMap((operation) =>
      contents(operation)
        .filter(([, { example }]) => example === undefined)
        .map(([part]) => `${operation.route}: ${part}; extend test/api/documentation/example-tour.ts`),
    );
    expect(missing).toEqual([]);
  });

  it('match the schemas beside them', () => {
    for (const operation of operations)
      for (const [part, { schema, example }] of contents(operation)) {
        const validate = validatorOf(schema);
        validate(example);
        expect([operation.route, part, validate.errors ?? []]).toEqual([operation.route, part, []]);
      }
  });

  it('are what a gateway takes and answers today: npm run openapi:examples', () => {
    for (const { route, requestBody, ...operation } of operations) {
      const run = recorded.get(route);
      if (!run) continue;
      const [sent] = Object.values(requestBody?.content ?? {});
      if (route !== 'POST /manage/v1/history/import')
        // its lines are a different history in each run
        expect([route, withoutIds(run.request ?? null)]).toEqual([route, withoutIds(sent?.example ?? null)]);
      const [answered] = Object.values(mainAnswer({ route, ...operation }));
      if (!answered || run.answer === undefined) continue;
      const validate = validatorOf(answered.schema);
      validate(run.answer);
      expect([route, validate.errors ?? []]).toEqual([route, []]);
    }
  });
});
