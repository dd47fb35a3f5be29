// Rules of `deno lint` for the page's modules, beside its own ones (deno.json).

const LONGEST_LINE = 100;
const LONGEST_FUNCTION = 60;

/** Reports each line of more than LONGEST_LINE columns. */
const lineLength = {
  create(context) {
    return {
      Program() {
        let start = 0;
        for (const line of context.sourceCode.text.split('\n')) {
          const end = start + line.length;
          if (line.length > LONGEST_LINE) {
            const message =
              `A line has at most ${LONGEST_LINE} columns; this one has ${line.length}.`;
            context.report({ range: [start, end], message });
          }
          start = end + 1;
        }
      },
    };
  },
};

/** Reports each function of more than LONGEST_FUNCTION lines. */
const functionLength = {
  create(context) {
    const text = context.sourceCode.text;
    const check = (node) => {
      const lines = text.slice(...node.range).split('\n').length;
      if (lines <= LONGEST_FUNCTION) return;
      const head = text.slice(node.range[0]).split('\n', 1)[0];
      const range = [node.range[0], node.range[0] + head.length];
      const message = `A function has at most ${LONGEST_FUNCTION} lines; this one has ${lines}.`;
      context.report({ range, message });
    };
    return {
      FunctionDeclaration: check,
      FunctionExpression: check,
      ArrowFunctionExpression: check,
    };
  },
};

/** Reports a conditional expression inside another one. */
const nestedTernary = {
  create(context) {
    return {
      'ConditionalExpression > ConditionalExpression'(node) {
        context.report({
          node,
          message: 'A conditional expression has no other one in it.',
          hint: 'Give the inner one a name, or write a function with `if`.',
        });
      },
    };
  },
};

export default {
  name: 'page',
  rules: {
    'line-length': lineLength,
    'function-length': functionLength,
    'nested-ternary': nestedTernary,
  },
};
