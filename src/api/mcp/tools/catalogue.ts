import { discoverTool } from './discover.tool.js';
import { pauseTool, resumeTool } from './pause.tools.js';
import { cancelTool, rescheduleTool } from './planned-posts.tools.js';
import { postStatusTool } from './post-status.tool.js';
import { publishTool } from './publish.tool.js';
import { sandboxTool } from './sandbox.tool.js';
import type { Tool, ToolNames } from './tool.js';

/** Returns the names of the tools. @param brand their prefix (D-34) */
export const nameTools = (brand: string): ToolNames => ({
  discover: `${brand}_discover`,
  publish: `${brand}_publish`,
  pause: `${brand}_pause`,
  resume: `${brand}_resume`,
  sandbox: `${brand}_sandbox`,
  status: `${brand}_post_status`,
  reschedule: `${brand}_reschedule`,
  cancel: `${brand}_cancel`,
});

/** Creates the assistant tools (D-39). */
export const createTools = (names: ToolNames): readonly Tool[] => [
  discoverTool(names),
  publishTool(names),
  pauseTool(names),
  resumeTool(names),
  sandboxTool(names),
  postStatusTool(names),
  rescheduleTool(names),
  cancelTool(names),
];
