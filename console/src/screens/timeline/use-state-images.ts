import { useEffect } from 'react';
import { useTheme } from '../../app/theme.js';
import { ICONS, type IconShape } from '../../components/icon-shapes.js';
import { SEVERITY } from '../../publications/severity.js';
import { stateLook } from '../../publications/states.js';

/**
 * Adds a class with a background image for each state, such as `state-published`, in the colours of the theme. An SVG
 * element in every cell would make scrolling the list 50 % slower.
 */
export const useStateImages = (): void => {
  const theme = useTheme();
  useEffect(() => {
    const sheet = new CSSStyleSheet();
    const draw = (): void => sheet.replaceSync(createRules());
    draw();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      dark.removeEventListener('change', draw);
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    };
  }, [theme]);
};

/** Reads the colours from a temporary element, because a data: image cannot use custom properties. */
const createRules = (): string => {
  const probe = document.createElement('span');
  document.body.append(probe);
  const rules = SEVERITY.map((state) => {
    const { icon, tone } = stateLook(state);
    probe.className = `icon tone-${tone}`;
    const svg = draw(ICONS[icon], getComputedStyle(probe).color);
    return `.state-${state} { background-image: url("data:image/svg+xml,${encodeURIComponent(svg)}"); }`;
  });
  probe.remove();
  return rules.join('\n');
};

const draw = ({ line, bold, solid }: IconShape, colour: string): string => {
  const stroke = (data: string | undefined, width: number): string =>
    data === undefined
      ? ''
      : `<path d="${data}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
  const area = solid === undefined ? '' : `<path d="${solid}" fill="${colour}" fill-rule="evenodd"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${stroke(line, 1.5)}${stroke(bold, 2)}${area}</svg>`;
};
