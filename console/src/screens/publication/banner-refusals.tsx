import type { Names } from '../../api/things.js';
import { networkInText, NetworkMark, networkTitle } from '../../components/icon.js';
import { GatewayText, SentenceText } from '../../components/sentence.js';
import { sentence } from '../../i18n/format.js';
import type { Publication } from '../../publications/states.js';
import { publicationMessages as shared } from './messages.js';

/** A network's refusal, as the API returns it. */
export interface NetworkError {
  readonly message?: string | undefined;
  readonly platform_says?: string | null | undefined;
}

interface ErrorTextProps {
  readonly error: NetworkError;
  readonly platform: string;
}

/** The gateway's explanation of an error, and the network's own words. */
export const ErrorText = ({ error: { message, platform_says: name }, platform }: ErrorTextProps) => (
  <p>
    {message !== undefined && <GatewayText text={message} />}{' '}
    {typeof name === 'string' && (
      <SentenceText of={sentence(shared.says, { network: networkInText(platform), text: { name } })} />
    )}
  </p>
);

/** Returns why a publication was not changed; null or undefined if there is no reason. */
type FindError = (publication: Publication) => NetworkError | null | undefined;

interface RefusalProps {
  readonly publication: Publication;
  readonly errorOf: FindError;
}

/** Why a network did not change a publication, what to do about it, and the network's own words. */
export const Refusal = ({ publication, errorOf }: RefusalProps) => {
  const error = errorOf(publication);
  return error ? <ErrorText error={error} platform={publication.platform} /> : null;
};

interface RefusalListProps {
  readonly publications: readonly Publication[];
  readonly names: Names;
  readonly errorOf: FindError;
}

/** The refusals of several publications, each with its channel. */
export const RefusalList = ({ publications, names, errorOf }: RefusalListProps) => (
  <ul className="banner-refusals">
    {publications.map((each) => (
      <li key={each.id}>
        <NetworkMark platform={each.platform} size={16} />
        <div>
          <bdi className="banner-cause">{names.channel(each.target_id)?.name ?? networkTitle(each.platform)}</bdi>
          <Refusal publication={each} errorOf={errorOf} />
        </div>
      </li>
    ))}
  </ul>
);
