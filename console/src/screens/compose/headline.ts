import type { ComposeMessages } from './messages.js';

/** The state of a draft, as the heading says it. */
export interface DraftState {
  readonly isEmpty: boolean;
  /** Channels that the post goes to. */
  readonly channels: number;
  readonly problems: number;
  /** Null until the post was checked. */
  readonly adjustments: number | null;
  readonly hasFailed: boolean;
  readonly endpoint: { readonly name: string; readonly isLive: boolean; readonly isActive: boolean };
}

/** Returns the heading and the sentence below it: whether the post can be published, or the first thing that stops it. */
export const headline = (
  { isEmpty, channels, problems, adjustments, hasFailed, endpoint }: DraftState,
  m: ComposeMessages,
): { readonly title: string; readonly text: string } => {
  const said = (title: string, text = m.summary) => ({ title, text });
  if (!endpoint.isActive) return said(m.disabledEndpoint(endpoint.name), m.disabledEndpointText);
  if (!endpoint.isLive) return said(m.testEndpoint, m.testEndpointText);
  if (channels === 0) return said(m.noChannelChosen);
  if (isEmpty) return said(m.write);
  if (problems > 0) return said(m.notReady(problems));
  if (hasFailed) return said(m.notChecked, m.notCheckedText);
  if (adjustments === null) return said(m.checking);
  return said(`${m.ready(channels)} ${adjustments > 0 ? m.adjustments(adjustments) : m.asWritten}`);
};
