import type { Rule } from 'eslint';

export declare function bannedWords(text: string): readonly { readonly word: string; readonly index: number }[];
declare const plugin: { readonly rules: { readonly 'plain-words': Rule.RuleModule } };
export default plugin;
