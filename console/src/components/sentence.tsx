import { type Sentence, splitSentence } from '../i18n/format.js';
import { Moment } from './time.js';

/** Renders a sentence that contains names and times. Names are wrapped in `<bdi>`; times are local. */
export const SentenceText = ({ of }: { readonly of: Sentence }) =>
  splitSentence(of).map((part, index) => {
    if (typeof part === 'string') return part;
    return 'name' in part ? <bdi key={index}>{part.name}</bdi> : <Moment key={index} at={part.at} />;
  });

const ISO_TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A sentence from the gateway, which answers in the console's language. Its times are shown in local time. */
export const GatewayText = ({ text }: { readonly text: string }) => (
  <bdi>
    {text
      .split(ISO_TIME)
      .map((part, index) => (ISO_TIME.test(part) ? <Moment key={index} at={part} form="moment" /> : part))}
  </bdi>
);
