import { ButtonLink } from '../components/button.js';
import { PageHead } from '../components/card.js';
import { defineMessages, useMessages } from '../i18n/messages.js';

const messages = defineMessages({
  en: {
    title: 'Page not found',
    text: 'The address may be mistyped or out of date.',
    back: 'Go to the overview',
  },
  ru: { title: 'Такой страницы нет', text: 'Возможно, адрес набран с ошибкой или устарел.', back: 'Открыть обзор' },
});

/** Shown for a URL that does not match any screen. */
export const NotFoundScreen = () => {
  const m = useMessages(messages);
  return (
    <>
      <PageHead title={m.title}>{m.text}</PageHead>
      <ButtonLink to="/" look="primary">
        {m.back}
      </ButtonLink>
    </>
  );
};
