import { discoverTool } from './discover.tool.js';
import { pauseTool, resumeTool } from './pause.tools.js';
import { cancelTool, postStatusTool, publishTool, rescheduleTool, sandboxTool } from './posts.tools.js';
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
