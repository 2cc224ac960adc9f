import { Button, ExternalLink } from '../../components/button.js';
import { useSave } from '../../components/form.js';
import { networkTitle } from '../../components/icon.js';
import { SentenceText } from '../../components/sentence.js';
import { toast } from '../../components/toasts.js';
import { format } from '../../i18n/format.js';
import { sentence } from '../../i18n/sentence.js';
import { dismissDuplicate } from '../../publications/publication-calls.js';
import type { Publication } from '../../publications/states.js';
import { BannerFrame } from './banner-frame.js';
import { bannerMessages as m } from './banner-messages.js';
import { useTrace } from './history-card.js';
import { eventsOf, member } from './story.js';

/** True while a duplicate of the publication has not been dismissed. */
export const isSeenTwice = ({ warnings }: Pick<Publication, 'warnings'>): boolean =>
  warnings.some(({ code }) => code === 'published_twice');

/** Shows both messages of a publication that readers see twice, with a button to dismiss the duplicate. */
export const TwiceBanner = ({ publication, name }: { readonly publication: Publication; readonly name: string }) => {
  const trace = useTrace(publication.id).data;
  // Only the events have the links of duplicates.
  const found = eventsOf(trace?.events ?? [], publication).filter(({ type }) => type === 'PublicationDuplicateFound');
  const copies = [publication.message_ids, ...publication.duplicates.map(({ message_ids: ids }) => ids)];
  const links = [publication.urls, ...found.map((event) => (member(event, 'urls') ?? []) as readonly string[])];
  const { save: dismiss, isBusy } = useSave(async () => {
    await dismissDuplicate(publication.id);
    toast(m.duplicateDismissed);
  });
  return (
    <BannerFrame
      icon="published"
      tone="warn"
      title={m.twiceTitle}
      actions={
        <Button busy={isBusy} onClick={dismiss}>
          {m.dismissDuplicate}
        </Button>
      }
    >
      <p>
        <SentenceText of={sentence(m.twiceText, { channel: { name }, network: networkTitle(publication.platform) })} />
      </p>
      <ul className="banner-steps">
        {copies.map((ids, index) => (
          <li key={ids.join(' ')}>
            {links[index]?.[0] === undefined ? (
              <bdi>{m.messageById(ids.join(', '))}</bdi>
            ) : (
              <ExternalLink href={links[index][0]}>{m.openMessage(format.number(index + 1))}</ExternalLink>
            )}
          </li>
        ))}
      </ul>
    </BannerFrame>
  );
};
