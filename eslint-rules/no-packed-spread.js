/**
 * Forbids `...{ a, b }` in an object literal: its members belong in the object around it, one per line. Such spreads
 * only save lines, hide members from a reader who scans the left edge, and make every change touch several members.
 */

/** Returns an object literal without the `as const` around it; null for anything else. */
const literalOf = (node) => {
  if (node.type === 'TSAsExpression' && node.typeAnnotation.typeName?.name === 'const')
    return literalOf(node.expression);
  return node.type === 'ObjectExpression' && node.properties.length > 0 ? node : null;
};

/** @type {import('eslint').Rule.RuleModule} */
const rule = {
  meta: {
    type: 'layout',
    fixable: 'code',
    schema: [],
    messages: { packed: 'Write these members into the object itself, one on each line.' },
  },
  create(context) {
    const { sourceCode } = context;
    return {
      'ObjectExpression > SpreadElement'(node) {
        const literal = literalOf(node.argument);
        if (!literal) return;
        const [from, to] = literal.range;
        const members = sourceCode.text
          .slice(from + 1, to - 1)
          .trim()
          .replace(/,$/, '');
        context.report({ node, messageId: 'packed', fix: (fixer) => fixer.replaceText(node, members) });
      },
    };
  },
};

export default { rules: { 'no-packed-spread': rule } };
