import { useAdvice } from '../i18n/advice.js';

/** The gateway's message about an error, in the current language if the console can translate it. */
export const AdviceText = ({ message }: { readonly message: string }) => <bdi>{useAdvice()(message) ?? message}</bdi>;
