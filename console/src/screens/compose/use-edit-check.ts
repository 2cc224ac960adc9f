import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Api, GatewayError } from '../../api/management.js';
import { type Content, type EditOutcome, outcomeOf, tryEdit } from '../../publications/edit-calls.js';
import type { Publication } from '../../publications/shown-state.js';
import { useSettled } from './use-composer.js';

/** What an edit would do, as far as the gateway has said. */
export interface EditCheck {
  /** What it means on each channel, by publication; empty until the first answer. */
  readonly outcomes: ReadonlyMap<string, EditOutcome>;
  /** Problems with the content, which keep it from being accepted. */
  readonly problems: readonly Api<'ErrorDetail'>[];
  /** True if the post has changed since the draft was begun. */
  readonly isOutdated: boolean;
  /** Another reason why the edit would be refused as a whole; null if there is none. */
  readonly error: GatewayError | null;
  /** True if this is the answer for an older content, or there is none yet. */
  readonly isStale: boolean;
}

type Answer = Omit<EditCheck, 'isStale'>;

const NOTHING: Answer = { outcomes: new Map(), problems: [], isOutdated: false, error: null };

const ask = async (
  id: string,
  revision: number,
  content: Content,
  publications: readonly Publication[],
): Promise<Answer> => {
  try {
    const answer = await tryEdit(id, revision, content);
    return {
      ...NOTHING,
      outcomes: new Map(answer.publications.map((each) => [each.id, outcomeOf(each, answer.revision)])),
    };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (error.status === 412) return { ...NOTHING, isOutdated: true };
    if (error.code === 'not_editable') return { ...NOTHING, outcomes: refusalsOf(error, publications) };
    if (error.code === 'invalid_payload') return { ...NOTHING, problems: error.details };
    if (error.status >= 400 && error.status < 500 && error.status !== 429) return { ...NOTHING, error };
    throw error;
  }
};

/** Returns the outcomes where no channel can show the content: each has its reason. */
const refusalsOf = ({ details }: GatewayError, publications: readonly Publication[]): Answer['outcomes'] =>
  new Map(
    publications.map(({ id, target_id: target }): readonly [string, EditOutcome] => {
      const reason = details.find(({ path }) => path === target)?.message;
      return [id, reason === undefined ? { kind: 'untouched', reason: null } : { kind: 'refused', reason }];
    }),
  );

/** Asks what an edit would do, shortly after the last change. Null asks nothing. */
export const useEditCheck = (
  { id, publications }: Pick<Api<'PostWithPayload'>, 'id' | 'publications'>,
  revision: number,
  content: Content | null,
): EditCheck => {
  const body = content === null ? null : JSON.stringify(content);
  const asked = useSettled(body);
  const query = useQuery({
    queryKey: ['edit-check', id, revision, asked],
    queryFn: () => ask(id, revision, JSON.parse(asked ?? '{}') as Content, publications),
    enabled: asked !== null && asked === body,
    placeholderData: keepPreviousData,
    gcTime: 10_000,
    // What can be edited changes with time, and with every attempt.
    staleTime: 0,
  });
  const isStale = asked !== body || query.isPlaceholderData || query.data === undefined;
  const error = query.error instanceof GatewayError && asked === body ? query.error : null;
  return { ...(query.data ?? NOTHING), ...(error && { error }), isStale: isStale && error === null };
};
