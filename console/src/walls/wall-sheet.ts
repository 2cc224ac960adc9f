import { READERS_VIEWS } from '../../../stand-ins/readers-views.js';
import { HUE_RULES } from '../../../stand-ins/walls/format-text.js';
import { POST_COLOURS, POST_STYLE } from '../../../stand-ins/walls/post.js';
import { themeCss } from '../../../stand-ins/walls/readers-view.js';
import frame from './wall-frame.css?inline';

const sheets = new Map<string, CSSStyleSheet>();

/** Returns a network's wall style sheet for use in a shadow root, which keeps it separate from the console's styles. */
export const wallSheet = (platform: string): CSSStyleSheet => {
  let sheet = sheets.get(platform);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    const theme = themeCss(':host', READERS_VIEWS[platform]?.theme ?? {});
    sheet.replaceSync(`:host { ${POST_COLOURS} }\n${theme}${HUE_RULES}\n${POST_STYLE}\n${frame}`);
    sheets.set(platform, sheet);
  }
  return sheet;
};
