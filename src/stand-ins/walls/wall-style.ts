/** Style sheet of a page of walls: messenger channels, light or dark by system setting, phone or desktop. */
export const WALL_STYLE = String.raw`
:root {
  --accent: #2f8fdf; --bar: #ffffff; --ink: #0f1419; --soft: #6b7a88; --line: #e3e9ee; --bubble: #ffffff;
  --ground-1: #cfe3c9; --ground-2: #a9cfd0; --ground-3: #d9dfae; --ground-4: #8fbfb8;
  --meta: #8a9aa8; --code: #eef3f7; --shade: rgb(38 66 79 / 16%); --over: rgb(36 62 70 / 47%); --over-ink: #fff;
  --page: #eef2f5; --chip: #e9eff4; --code-ink: #b3366b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bar: #1c242d; --ink: #eef3f7; --soft: #8d9cab; --line: #10161c; --bubble: #1f2a35;
    --ground-1: #14202b; --ground-2: #0f1a22; --ground-3: #182733; --ground-4: #0d151c;
    --meta: #7f91a1; --code: #16202a; --shade: rgb(0 0 0 / 35%); --over: rgb(255 255 255 / 11%); --over-ink: #e8f0f6;
    --accent: #6ab3f3; --page: #0e141a; --chip: #26313c; --code-ink: #f08cb8;
  }
}
* { box-sizing: border-box; margin: 0; }
html { height: 100%; -webkit-text-size-adjust: 100%; }
body {
  height: 100dvh; display: flex; flex-direction: column; overflow: hidden; color: var(--ink); background: var(--page);
  font: 15px/1.4 -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', Arial,
    'Apple Color Emoji', 'Noto Color Emoji', sans-serif;
}
.bar { display: flex; align-items: baseline; gap: 10px; padding: 12px 18px 10px; background: var(--bar); }
.bar h1 { font-size: 18px; font-weight: 650; letter-spacing: -0.01em; }
.bar p { color: var(--soft); font-size: 13px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.live { margin-left: auto; font-size: 12px; font-weight: 600; color: #2aa35a; white-space: nowrap; }
.live::before {
  content: ''; display: inline-block; width: 7px; height: 7px; margin-right: 6px; border-radius: 50%;
  background: currentColor; animation: pulse 2.4s ease-in-out infinite;
}
.live.off { color: #d6453d; }
@keyframes pulse { 50% { opacity: 0.35; } }
main { flex: 1; min-height: 0; display: flex; background: var(--line); gap: 1px; }
.source { flex: 1; min-width: 0; min-height: 0; display: flex; flex-direction: column; }
.single .source > h2 { display: none; }
.chips:has(.chip:only-child) { padding: 0; }
.chip:only-child { display: none; }
.source > h2 { padding: 10px 16px 6px; font-size: 14px; font-weight: 650; color: var(--accent); background: var(--bar); }
.chips {
  display: flex; gap: 6px; padding: 8px 14px 10px; overflow-x: auto; background: var(--bar); scrollbar-width: none;
  box-shadow: 0 1px 0 var(--line); z-index: 1;
}
.chips:empty { display: none; }
.chips::-webkit-scrollbar { display: none; }
.chip {
  flex: none; max-width: 220px; padding: 6px 12px; border: 0; border-radius: 999px; font: inherit; font-size: 13px;
  font-weight: 550; color: var(--soft); background: var(--chip); cursor: pointer; white-space: nowrap; overflow: hidden;
  text-overflow: ellipsis;
}
.chip[aria-pressed='true'] { color: #fff; background: var(--accent); }
@media (prefers-color-scheme: dark) { .chip[aria-pressed='true'] { color: #0d151c; } }
.channels { flex: 1; min-height: 0; display: flex; gap: 1px; overflow-x: auto; scroll-snap-type: x proximity; scrollbar-width: thin; scrollbar-color: var(--line) transparent; }
.nothing { display: none; margin: auto; padding: 24px; color: var(--soft); }
.nothing:first-child { display: block; }
.channel { position: relative; flex: 1 0 380px; min-width: 0; display: flex; flex-direction: column; scroll-snap-align: start; }
.many .channel { flex: 1 1 100%; }
.many .channel:not(.active) { display: none; }
.channel > header { display: flex; align-items: center; gap: 11px; padding: 8px 16px; background: var(--bar); }
.channel > header h3 { font-size: 15px; font-weight: 620; line-height: 1.25; }
.channel > header p { font-size: 13px; color: var(--soft); line-height: 1.25; }
.channel > header div { min-width: 0; }
.channel > header :is(h3, p) { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.avatar {
  flex: none; display: grid; place-items: center; width: 40px; height: 40px; border-radius: 50%; color: #fff;
  font-size: 15px; font-weight: 650; letter-spacing: 0.02em;
  background: linear-gradient(hsl(var(--hue) 72% 66%), hsl(calc(var(--hue) + 18) 66% 50%));
}
.posts {
  flex: 1; min-height: 0; overflow-y: auto; overscroll-behavior: contain; padding: 12px 14px 18px;
  scrollbar-width: thin; scrollbar-color: var(--over) transparent;
  display: flex; flex-direction: column; gap: 8px;
  background:
    radial-gradient(60% 45% at 12% 8%, var(--ground-3), transparent 70%),
    radial-gradient(60% 50% at 92% 22%, var(--ground-2), transparent 70%),
    radial-gradient(70% 50% at 80% 96%, var(--ground-3), transparent 70%),
    radial-gradient(60% 50% at 8% 88%, var(--ground-4), transparent 70%), var(--ground-1);
}
.posts::before { content: ''; margin-top: auto; }
.day { align-self: center; padding: 3px 10px; border-radius: 999px; font-size: 12.5px; font-weight: 600; color: var(--over-ink); background: var(--over); }
.post { align-self: flex-start; width: fit-content; min-width: 160px; max-width: min(100%, 520px); }
.post.fresh { animation: rise 0.28s ease-out; }
@keyframes rise { from { opacity: 0; transform: translateY(12px); } }
.bubble { border-radius: 15px 15px 15px 5px; background: var(--bubble); box-shadow: 0 1px 1.5px var(--shade); overflow: hidden; }
.body { padding: 7px 12px 6px; }
.author { font-size: 14px; font-weight: 620; color: hsl(var(--hue) 60% 42%); }
@media (prefers-color-scheme: dark) { .author { color: hsl(var(--hue) 75% 70%); } }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
/* The direction of each paragraph follows its own text. */
:is(.text, .text blockquote, .author, .reply, .chip, .button span, .channel > header h3) { unicode-bidi: plaintext; }
.text a, .tag { color: var(--accent); text-decoration: none; }
.text a:hover { text-decoration: underline; }
.text code { padding: 0.5px 3px; border-radius: 4px; font: 0.92em/1.4 ui-monospace, 'SF Mono', Menlo, 'DejaVu Sans Mono', monospace; color: var(--code-ink); background: var(--code); }
.text pre { margin: 5px 0; padding: 8px 11px; border-radius: 8px; border-left: 3px solid var(--accent); background: var(--code); overflow-x: auto; white-space: pre; }
.text pre code { padding: 0; color: inherit; background: none; font-size: 13px; }
.text pre[data-language]::before { content: attr(data-language); display: block; margin-bottom: 3px; font-size: 12px; font-weight: 620; color: var(--accent); }
.text blockquote {
  position: relative; margin: 4px 0; padding: 4px 26px 4px 10px; border-radius: 6px; border-left: 3px solid var(--accent);
  background: color-mix(in srgb, var(--accent) 10%, transparent); font-size: 14px;
}
.text blockquote::after { content: '”'; position: absolute; right: 8px; top: 0; font: 700 20px/1.2 Georgia, serif; color: var(--accent); }
.text blockquote.expandable:not(.open) { max-height: 5em; overflow: hidden; cursor: pointer; -webkit-mask-image: linear-gradient(#000 60%, transparent); mask-image: linear-gradient(#000 60%, transparent); }
.spoiler { border-radius: 4px; color: transparent; cursor: pointer; background: repeating-conic-gradient(var(--meta) 0 9%, transparent 0 18%) 0 0 / 5px 5px; transition: color 0.2s; }
.spoiler * { color: inherit; }
.spoiler.seen, .spoiler:focus-visible { color: inherit; background: color-mix(in srgb, var(--meta) 18%, transparent); }
.reply { margin: 3px 0; padding-left: 8px; border-left: 3px solid var(--accent); font-size: 13px; color: var(--soft); }
.body footer { display: flex; justify-content: flex-end; align-items: center; gap: 7px; margin-top: 2px; font-size: 12px; color: var(--meta); }
.views { display: inline-flex; align-items: center; gap: 4px; }
.views svg { width: 15px; height: 11px; }
.id { color: inherit; text-decoration: none; }
.post:target .bubble { outline: 2px solid var(--accent); }
.post:has(.media) { width: min(100%, 440px); }
/* Photos fill the rows of an album, whatever their aspect ratios. */
.media { display: flex; flex-wrap: wrap; gap: 2px; }
.media > * { flex: 1 1 30%; min-width: 0; }
.media:is(:has(> :nth-child(3):last-child), :has(> :nth-child(4):last-child)) > * { flex-basis: 45%; }
.media:has(> :nth-child(3):last-child) > :first-child { flex-basis: 100%; }
.media img, .media video { display: block; min-height: 60px; max-height: 420px; object-fit: cover; background: var(--code); }
.media:has(> :nth-child(5)) > * { max-height: 220px; }
.media > :is(audio, .file) { flex-basis: 100%; padding: 8px; }
.file { padding: 10px 12px; color: var(--accent); font-weight: 600; text-decoration: none; }
.buttons { display: grid; gap: 4px; margin-top: 4px; }
.row { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: 4px; }
.button {
  position: relative; padding: 8px 18px; border-radius: 9px; text-align: center; font-size: 14px; font-weight: 600;
  color: var(--over-ink); background: var(--over); text-decoration: none; backdrop-filter: blur(6px);
}
.button:hover { filter: brightness(1.08); }
.button span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.row:has(> :nth-child(5)) .button { padding: 8px 3px; font-size: 11px; }
.row:has(> :nth-child(5)) .button i { display: none; }
.button i { position: absolute; right: 6px; top: 3px; font-size: 10px; font-style: normal; opacity: 0.85; }
/* Cards: author, text, media, actions. */
[data-layout='cards'] .post { width: min(100%, 560px); align-self: center; }
[data-layout='cards'] .bubble { display: flex; flex-direction: column; border-radius: 12px; }
[data-layout='cards'] .body { display: contents; }
[data-layout='cards'] .author {
  order: 1; display: flex; align-items: center; gap: 10px; padding: 12px 16px 4px; color: var(--accent);
}
[data-layout='cards'] .author::before {
  content: attr(data-initial); display: grid; place-items: center; width: 36px; height: 36px; border-radius: 50%;
  color: #fff; background: linear-gradient(hsl(var(--hue) 72% 66%), hsl(calc(var(--hue) + 18) 66% 50%));
}
[data-layout='cards'] .text { order: 2; padding: 6px 16px 10px; }
[data-layout='cards'] .media { order: 3; }
[data-layout='cards'] .body footer { order: 4; margin: 0; padding: 9px 16px; }
[data-layout='cards'] .body footer::before {
  content: var(--like); margin-right: auto; padding: 3px 12px; border-radius: 999px; font-size: 13px; font-weight: 600;
  color: var(--soft); background: var(--chip); white-space: pre;
}
.newer {
  position: absolute; right: 16px; bottom: 16px; width: 42px; height: 42px; border: 0; border-radius: 50%; font-size: 20px;
  color: var(--soft); background: var(--bar); box-shadow: 0 2px 8px var(--shade); cursor: pointer;
}
.newer[hidden] { display: none; }
@media (max-width: 760px) {
  .channel { flex: 0 0 100%; }
  .channels { scroll-snap-type: x mandatory; scrollbar-width: none; }
  .many main { overflow-x: auto; scroll-snap-type: x mandatory; }
  .many .source { flex: 0 0 92%; scroll-snap-align: start; } /* the next one shows at the edge */
}
@media (prefers-reduced-motion: reduce) { * { animation: none !important; } }
`;
