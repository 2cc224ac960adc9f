/** Style of what opens over the walls: the ways to break a network, and the photos to try. */
export const PANEL_STYLE = String.raw`
.many .source { position: relative; }
.many .source > h2 { min-height: 37px; padding-right: 190px; }
.panel > summary {
  padding: 6px 12px; border-radius: 999px; font-size: 13px; font-weight: 550; color: var(--soft); background: var(--chip);
  cursor: pointer; white-space: nowrap; list-style: none;
}
.panel > summary::-webkit-details-marker { display: none; }
.panel > summary::after { content: ' ▾'; }
.panel[open] > summary { color: light-dark(#fff, #0d151c); background: var(--accent); }
.break { position: absolute; top: 5px; right: 10px; z-index: 4; }
.photos { position: relative; z-index: 5; margin-left: auto; }
.photos ~ .live { margin-left: 0; }
.sheet {
  position: absolute; top: calc(100% + 6px); right: 0; width: min(320px, 84vw); max-height: 70dvh; overflow-y: auto; padding: 12px;
  border-radius: 12px; color: var(--ink); background: var(--bar); box-shadow: 0 8px 30px var(--shade);
}
.sheet > p { padding: 0 4px 8px; font-size: 13px; color: var(--soft); white-space: normal; }
.sheet ul { display: grid; gap: 4px; padding: 0; list-style: none; }
.sheet button {
  display: block; width: 100%; padding: 9px 10px; border: 0; border-radius: 8px; font: inherit; font-size: 14px;
  text-align: left; color: inherit; background: none; cursor: pointer;
}
.sheet button:is(:hover, :focus-visible) { background: var(--chip); }
.sheet button span { display: block; font-size: 12.5px; color: var(--soft); }
.photos li { display: grid; grid-template-columns: 72px minmax(0, 1fr); gap: 10px; align-items: center; }
.photos img { width: 72px; height: 48px; object-fit: cover; border-radius: 6px; }
.photos code { font-size: 12px; overflow-wrap: anywhere; user-select: all; }
.broken {
  display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; padding: 7px 14px 7px 16px; font-size: 13px;
  color: light-dark(#8c1d18, #ffb4ab); background: light-dark(#fde7e4, #3b1c19);
}
.broken[hidden] { display: none; }
.broken a { color: inherit; }
.broken button {
  margin-left: auto; padding: 5px 12px; border: 0; border-radius: 999px; font: inherit; font-weight: 600; color: #fff;
  background: #b3261e; cursor: pointer;
}
@media (max-width: 760px) {
  .panel > summary, .broken button { padding-block: 9px; }
  .break { top: 3px; }
  .many .source > h2 { min-height: 44px; padding-top: 13px; }
  .bar p { display: none; }
}
`;
