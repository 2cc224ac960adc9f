import { countOf } from '../../../kernel/message.js';
import type { InfoView } from '../../public/info.view.js';
import { TOOL_ANSWERS, TOOL_DESCRIPTIONS as SAY } from '../messages.js';
import { requireSuccess } from './answers.js';
import { readArguments } from './arguments.js';
import { infoPath, listTargets } from './target-names.js';
import type { Tool, ToolNames } from './tool.js';

const NULLABLE = { type: ['string', 'null'] } as const;

/** Lists projects and targets (publish-api.md: Assistant tool server, `service_discover`). */
export const discoverTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.discover,
    title: SAY.discoverTitle,
    description: SAY.discover(names),
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: {
        endpoint: {
          type: 'object',
          properties: { slug: { type: 'string' }, name: NULLABLE, verbose: { type: 'boolean' } },
          required: ['slug', 'name', 'verbose'],
        },
        projects: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              index: { type: 'integer' },
              name: NULLABLE,
              paused_until: NULLABLE,
              targets: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: {
                    id: { type: 'string' },
                    platform: { type: 'string' },
                    name: NULLABLE,
                    paused_until: NULLABLE,
                  },
                  required: ['id', 'platform', 'name', 'paused_until'],
                },
              },
            },
            required: ['index', 'name', 'paused_until', 'targets'],
          },
        },
        capabilities: { type: 'object' },
      },
      required: ['endpoint', 'projects', 'capabilities'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },

  async call(args, send, slug) {
    readArguments(args, []);
    const structured = requireSuccess(await send({ method: 'GET', path: infoPath(slug) }), names);
    const info = structured as unknown as InfoView;
    const values = {
      targets: countOf(listTargets(info).length, 'target'),
      projects: countOf(info.projects.length, 'project'),
      names: info.endpoint.verbose ? '' : TOOL_ANSWERS.namesHidden,
    };
    return { text: TOOL_ANSWERS.discovered(values), structured };
  },
});
