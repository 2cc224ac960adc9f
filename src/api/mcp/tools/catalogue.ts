import { discoverTool } from './discover.tool.js';
import { pauseTool, resumeTool } from './pause.tools.js';
import { cancelTool, rescheduleTool } from './planned-posts.tools.js';
import { postStatusTool } from './post-status.tool.js';
import { publishTool } from './publish.tool.js';
import { sandboxTool } from './sandbox.tool.js';
import type { Tool, ToolNames } from './tool.js';

/** Creates the assistant tools (D-39). @param brand the prefix of their names (D-34) */
export const createTools = (brand: string): readonly Tool[] => {
  const names: ToolNames = {
    discover: `${brand}_discover`,
    publish: `${brand}_publish`,
    pause: `${brand}_pause`,
    resume: `${brand}_resume`,
    sandbox: `${brand}_sandbox`,
    status: `${brand}_post_status`,
    reschedule: `${brand}_reschedule`,
    cancel: `${brand}_cancel`,
  };
  const creators = [
    ...[discoverTool, publishTool, pauseTool, resumeTool],
    ...[sandboxTool, postStatusTool, rescheduleTool, cancelTool],
  ];
  return creators.map((create) => create(names));
};
