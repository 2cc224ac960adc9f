import type { Rule } from 'eslint';

declare const plugin: { readonly rules: { readonly 'no-packed-spread': Rule.RuleModule } };
export default plugin;
