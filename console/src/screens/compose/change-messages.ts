import { defineMessages, pluralEn, pluralRu } from '../../i18n/messages.js';

const oneOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });
const allOf = new Intl.ListFormat('ru');
const buttonsEn = (count: number): string => `${count} ${pluralEn(count, 'button', 'buttons')}`;
const buttonsRu = (count: number): string => `${count} ${pluralRu(count, 'кнопка', 'кнопки', 'кнопок')}`;

/** UI text about what networks change in a post: a tag for the wall, and a sentence that names the network. */
export const changeMessages = defineMessages({
  en: {
    types: {
      bold: 'bold',
      italic: 'italic',
      underline: 'underline',
      strikethrough: 'strikethrough',
      code: 'code',
      quote: 'quote',
      spoiler: 'spoiler',
      link: 'link',
    },
    formatting: 'Formatting',
    formattingText: (network: string, types: readonly string[]) =>
      types.length === 0
        ? `${network} shows text without formatting.`
        : `${network} does not show ${oneOf.format(types)}.`,
    quotePlain: 'Quote is plain',
    quotePlainText: (network: string) => `${network} shows the quote as plain text.`,
    spoilerOpen: 'Spoiler visible',
    spoilerOpenText: (network: string) => `${network} shows the spoiler’s text to everyone.`,
    linksWritten: 'URLs in the text',
    linksWrittenText: (network: string) => `${network} shows a link’s address after its text.`,
    cut: (count: string) => `Cut by ${count}`,
    cutText: (network: string, count: string) =>
      `The text is too long for ${network}: ${count} characters are cut off.`,
    linksDropped: 'Links dropped',
    linkDropped: 'Link dropped',
    someFormatting: 'Some formatting',
    emojiPlain: 'Emoji is plain',
    buttonDropped: 'Button dropped',
    buttonShortened: 'Button shortened',
    buttonsDropped: (count: number) => `${buttonsEn(count)} dropped`,
    buttonsDroppedText: (network: string, count: number) =>
      `${network} shows no buttons: ${count === 1 ? 'the button is' : `the ${count} buttons are`} dropped.`,
    buttonsOffText: (network: string, count: number) =>
      `The channel on ${network} is set to drop buttons, so ${buttonsEn(count)} will be dropped.`,
    buttonsLinks: 'Buttons are links',
    buttonsLinksText: (network: string, count: number) =>
      `${network} shows the ${count === 1 ? 'button as a link' : `${count} buttons as links`} below the text.`,
    textAdded: 'Text added',
    textAddedText: (network: string) => `${network} needs some text above buttons, so 🔗 is added.`,
    photoFitted: 'Photo resized',
    photoFittedText: (network: string, name: string) => `${name} is resized or converted to fit ${network}.`,
    mediumLinked: 'Media as a link',
    mediumLinkedText: (network: string, name: string) => `${name} becomes a link in the text on ${network}.`,
    mediumFile: 'Sent as a file',
    mediumFileText: (network: string, name: string) => `${network} can’t play ${name}, so it is sent as a file.`,
    signatureDropped: 'Signature dropped',
    signatureDroppedText: (network: string) =>
      `The channel set’s signature does not fit on ${network}, so it is left out.`,
    filtered: 'Filtered',
    nothing: 'Nothing to publish',
    nothingText: (network: string) => `No part of this post can be published on ${network}.`,
    notTranslated: 'Not translated',
    formattingInTranslation: 'Formatting lost',
    replacementsLeftOut: 'Replacements skipped',
    other: 'Changed',
    waits: 'Will wait',
    channelPaused: (network: string, until: string) =>
      `The channel on ${network} is paused: the post waits until ${until}.`,
    channelOnHold: (network: string) =>
      `The channel on ${network} is on hold: the post waits until the channel is fixed.`,
    projectPaused: (until: string) => `The channel set is paused: the post waits until ${until}.`,
    notReached: (name: string) => `${name} can’t be reached right now. Check its URL.`,
    looksLikeHtml: 'The text looks like HTML. Readers will see the tags.',
    putLinks: 'Put their links in the text',
    title: 'What the networks change',
    count: (count: number) => `${count} ${pluralEn(count, 'adjustment', 'adjustments')}`,
    none: 'Nothing. Every network shows the post just as you wrote it.',
  },
  ru: {
    types: {
      bold: 'жирный',
      italic: 'курсив',
      underline: 'подчёркнутый',
      strikethrough: 'зачёркнутый',
      code: 'код',
      quote: 'цитата',
      spoiler: 'спойлер',
      link: 'ссылка',
    },
    formatting: 'Оформление',
    formattingText: (network: string, types: readonly string[]) =>
      types.length === 0
        ? `${network} показывает текст без оформления.`
        : `${network} не показывает оформление: ${allOf.format(types)}.`,
    quotePlain: 'Цитата как текст',
    quotePlainText: (network: string) => `${network} показывает цитату обычным текстом.`,
    spoilerOpen: 'Спойлер открыт',
    spoilerOpenText: (network: string) => `${network} сразу показывает текст спойлера.`,
    linksWritten: 'Адреса в тексте',
    linksWrittenText: (network: string) => `${network} показывает адрес ссылки после её текста.`,
    cut: (count: string) => `Обрезано: ${count}`,
    cutText: (network: string, count: string) => `Текст слишком длинный для ${network}: обрезано знаков: ${count}.`,
    linksDropped: 'Без ссылок',
    linkDropped: 'Без ссылки',
    someFormatting: 'Часть оформления',
    emojiPlain: 'Обычный эмодзи',
    buttonDropped: 'Без кнопки',
    buttonShortened: 'Кнопка короче',
    buttonsDropped: (count: number) => `Без кнопок: ${count}`,
    buttonsDroppedText: (network: string, count: number) =>
      `${network} не показывает кнопки: пропадёт ${buttonsRu(count)}.`,
    buttonsOffText: (network: string, count: number) =>
      `В настройках канала ${network} кнопки отключены: пропадёт ${buttonsRu(count)}.`,
    buttonsLinks: 'Кнопки как ссылки',
    buttonsLinksText: (network: string, count: number) =>
      `${network} покажет ${count === 1 ? 'кнопку ссылкой' : `кнопки (${count}) ссылками`} под текстом.`,
    textAdded: 'Добавлен текст',
    textAddedText: (network: string) => `${network} не принимает кнопки без текста: над ними будет 🔗.`,
    photoFitted: 'Фото уменьшено',
    photoFittedText: (network: string, name: string) => `${name}: размер или формат будет изменён для ${network}.`,
    mediumLinked: 'Вложение ссылкой',
    mediumLinkedText: (network: string, name: string) => `${name}: в ${network} станет ссылкой в тексте.`,
    mediumFile: 'Файлом',
    mediumFileText: (network: string, name: string) => `${network} не воспроизводит ${name}: уйдёт файлом.`,
    signatureDropped: 'Без подписи',
    signatureDroppedText: (network: string) => `Подпись набора не помещается в ${network} и не выйдет.`,
    filtered: 'Отфильтрован',
    nothing: 'Публиковать нечего',
    nothingText: (network: string) => `Для ${network} от этого поста ничего не остаётся.`,
    notTranslated: 'Без перевода',
    formattingInTranslation: 'Оформление потеряно',
    replacementsLeftOut: 'Без части замен',
    other: 'Изменено',
    waits: 'Подождёт',
    channelPaused: (network: string, until: string) => `Канал в ${network} на паузе: пост подождёт до ${until}.`,
    channelOnHold: (network: string) => `Канал в ${network} остановлен: пост подождёт, пока канал не починят.`,
    projectPaused: (until: string) => `Набор на паузе: пост подождёт до ${until}.`,
    notReached: (name: string) => `${name} сейчас недоступен: проверьте адрес.`,
    looksLikeHtml: 'Текст похож на HTML. Читатели увидят его как есть.',
    putLinks: 'Добавить ссылки в текст',
    title: 'Что изменится в сетях',
    count: (count: number) => `${count} ${pluralRu(count, 'изменение', 'изменения', 'изменений')}`,
    none: 'Ничего: все сети покажут пост так, как он написан.',
  },
});

export type ChangeMessages = (typeof changeMessages)['en'];
