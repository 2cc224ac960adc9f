import type { Rule } from 'eslint';

export declare function bannedWords(text: string): readonly { readonly word: string; readonly index: number }[];
export declare function opensWithRelative(comment: string): boolean;
declare const plugin: { readonly rules: { readonly 'plain-words': Rule.RuleModule } };
export default plugin;
