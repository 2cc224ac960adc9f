import './connect-steps.css';
import { Card } from '../components/card.js';
import { Icon, networkTitle } from '../components/icon.js';
import { connectMessages as m, type StepDrawing } from './connect-messages.js';
import type { Network } from './networks.js';

/** Element id of the steps, for links to them. */
export const STEPS_ID = 'connect-steps';

/** Shows where to find the values that a network's form asks for, step by step with drawings, and explains the test. */
export const ConnectSteps = ({ network }: { readonly network: Network }) => (
  <Card title={m.title(networkTitle(network))}>
    <ol className={`connect-steps of-${network}`} id={STEPS_ID}>
      {(m.steps[network] ?? []).map(({ text, drawing }) => (
        <li key={text}>
          <p>{text}</p>
          <Drawing drawing={drawing} />
        </li>
      ))}
    </ol>
    <p className="card-end tertiary">
      <Icon name="shield" />
      <span>{m.testExplained}</span>
    </p>
  </Card>
);

const WIDTH = 340;

/** A small drawing of the network's app. Hidden from screen readers, because the text says the same. */
const Drawing = ({ drawing }: { readonly drawing: StepDrawing }) => {
  const height = drawing.kind === 'rights' ? 54 + 26 * drawing.rights.length : heights[drawing.kind];
  return (
    <svg className="step-drawing" viewBox={`0 0 ${WIDTH} ${height}`} aria-hidden="true">
      <rect className="paper" x="0.5" y="0.5" width={WIDTH - 1} height={height - 1} rx="8" />
      <Content drawing={drawing} />
    </svg>
  );
};

const heights = { chat: 100, menu: 86, tokens: 76, link: 52 } as const;

const Content = ({ drawing }: { readonly drawing: StepDrawing }) => {
  switch (drawing.kind) {
    case 'chat':
      return (
        <>
          <circle className="accent" cx="24" cy="26" r="11" />
          <text className="strong" x="44" y="30">
            {drawing.with}
          </text>
          <rect className="mine" x="238" y="14" width="86" height="26" rx="10" />
          <text className="on-accent mono" x="252" y="31">
            {drawing.sent}
          </text>
          <rect className="bubble" x="16" y="54" width="184" height="30" rx="10" />
          <Key x={32} y={69} />
          <text className="mono" x="50" y="73">
            {drawing.answer}
          </text>
          <Copy x={180} y={69} />
        </>
      );
    case 'menu':
      return (
        <>
          {drawing.entries.map((entry, index) => (
            <g key={entry} transform={`translate(0 ${12 + index * 22})`}>
              {index === drawing.entries.length - 1 && (
                <rect className="chosen" x="8" y="-1" width="146" height="21" rx="6" />
              )}
              <text className={index === drawing.entries.length - 1 ? 'strong' : 'faint'} x="18" y="14">
                {entry}
              </text>
            </g>
          ))}
          <path className="line" d="M164 8 V78" />
          <rect className="field" x="178" y="26" width="146" height="34" rx="6" />
          <Key x={194} y={43} />
          <text className="mono" x="210" y="47">
            {drawing.found}
          </text>
        </>
      );
    case 'rights':
      return (
        <>
          <circle className="accent" cx="28" cy="27" r="13" />
          <circle className="face" cx="28" cy="23.5" r="4.5" />
          <path className="face" d="M19.5 35 a8.5 7 0 0 1 17 0 z" />
          <text className="strong" x="52" y="24">
            {drawing.name}
          </text>
          <text className="faint" x="52" y="39">
            {drawing.role}
          </text>
          {drawing.rights.map((right, index) => (
            <g key={right} transform={`translate(0 ${50 + index * 26})`}>
              <path className="line" d="M16 0 H324" />
              <text x="16" y="17.5">
                {right}
              </text>
              <rect className="on" x="294" y="5" width="30" height="17" rx="8.5" />
              <circle className="knob" cx="315" cy="13.5" r="6" />
            </g>
          ))}
        </>
      );
    case 'tokens':
      return (
        <>
          <Token y={12} text={drawing.right} isRight />
          <Token y={42} text={drawing.wrong} isRight={false} />
        </>
      );
    case 'link':
      return (
        <>
          <circle className="dot" cx="18" cy="26" r="3.5" />
          <circle className="dot" cx="30" cy="26" r="3.5" />
          <rect className="field" x="46" y="11" width="278" height="30" rx="15" />
          <text className="mono" x="62" y="30">
            {drawing.address}
          </text>
          <Copy x={306} y={26} />
        </>
      );
  }
};

const Token = ({ y, text, isRight }: { readonly y: number; readonly text: string; readonly isRight: boolean }) => (
  <g transform={`translate(16 ${y})`}>
    <rect className="field" x="0" y="0" width="270" height="23" rx="6" />
    <text className="mono" x="12" y="15.5">
      {text}
    </text>
    {isRight ? (
      <path className="tick" d="M284 12 l6 6 l11 -12" />
    ) : (
      <path className="cross" d="M285 5 l13 13 M298 5 l-13 13" />
    )}
  </g>
);

const Key = ({ x, y }: { readonly x: number; readonly y: number }) => (
  <path
    className="glyph"
    transform={`translate(${x} ${y})`}
    d="M-2 0 a3.5 3.5 0 1 0 -7 0 a3.5 3.5 0 1 0 7 0 H8 M4 0 v4 M8 0 v4"
  />
);

const Copy = ({ x, y }: { readonly x: number; readonly y: number }) => (
  <g className="glyph" transform={`translate(${x} ${y})`}>
    <rect x="-2" y="-2" width="8" height="9" rx="2" />
    <path d="M-4 4 a2 2 0 0 1 -1.5 -2 V-4 a2 2 0 0 1 2 -2 H1 a2 2 0 0 1 2 1.5" />
  </g>
);
