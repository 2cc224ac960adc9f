import { ButtonLink } from '../components/button.js';
import { PageHead } from '../components/card.js';
import { defineMessages } from '../i18n/messages.js';

const m = defineMessages({
  en: {
    title: 'Page not found',
    text: 'The address may be mistyped or out of date.',
    back: 'Go to the overview',
  },
  ru: { title: 'Такой страницы нет', text: 'Возможно, адрес набран с ошибкой или устарел.', back: 'Открыть обзор' },
});

/** Shown for a URL that does not match any screen. */
export const NotFoundScreen = () => (
  <>
    <PageHead title={m.title}>{m.text}</PageHead>
    <ButtonLink to="/" look="primary">
      {m.back}
    </ButtonLink>
  </>
);
