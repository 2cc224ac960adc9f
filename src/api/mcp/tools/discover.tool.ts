import { countOf } from '../../../kernel/message.js';
import type { InfoView } from '../../public/info.view.js';
import { TOOL_ANSWERS, TOOL_DESCRIPTIONS as SAY } from '../messages.js';
import { requireSuccess } from './answers.js';
import { readArguments } from './arguments.js';
import { NULLABLE_TEXT, objectSchema } from './object-schema.js';
import { infoPath, listTargets } from './target-names.js';
import type { Tool, ToolNames } from './tool.js';

const TARGET = objectSchema({
  id: { type: 'string' },
  platform: { type: 'string' },
  name: NULLABLE_TEXT,
  paused_until: NULLABLE_TEXT,
});

const PROJECT = objectSchema({
  index: { type: 'integer' },
  name: NULLABLE_TEXT,
  paused_until: NULLABLE_TEXT,
  targets: { type: 'array', items: TARGET },
});

/** Lists projects and targets (publish-api.md: Assistant tool server, `service_discover`). */
export const discoverTool = (names: ToolNames): Tool => ({
  definition: {
    name: names.discover,
    title: SAY.discoverTitle,
    description: SAY.discover(names),
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: objectSchema({
      endpoint: objectSchema({ slug: { type: 'string' }, name: NULLABLE_TEXT, verbose: { type: 'boolean' } }),
      projects: { type: 'array', items: PROJECT },
      capabilities: { type: 'object' },
    }),
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
