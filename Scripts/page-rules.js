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

/** Whether an expression lies in a conditional one, with no function between them. */
function isInConditional(node) {
  for (let outer = node.parent; outer?.type.endsWith('Expression'); outer = outer.parent) {
    if (outer.type.includes('Function')) return false;
    if (outer.type === 'ConditionalExpression') return true;
  }
  return false;
}

/** Reports a conditional expression inside another one. */
const nestedTernary = {
  create(context) {
    return {
      ConditionalExpression(node) {
        if (!isInConditional(node)) return;
        context.report({
          node,
          message: 'A conditional expression has no other one in it.',
          hint: 'Give the inner one a name, or write a function with `if`.',
        });
      },
    };
  },
};

/**
 * The folders of the page's modules, the lowest layer first; main.js and worker.js are above them.
 */
const LAYERS = ['base', 'model', 'parts', 'room', 'screens'];
const TOP = LAYERS.length;

/** The layer of a module's path; `undefined` for a file that is in none. */
function layerOf(path) {
  const inside = path.replaceAll('\\', '/').split('/Site/js/').at(-1).split('/');
  if (inside.length === 1) return TOP;
  const layer = LAYERS.indexOf(inside[0]);
  return layer < 0 ? undefined : layer;
}

/** Reports each import from a higher layer, and each from a folder that is no layer. */
const layers = {
  create(context) {
    if (!context.filename.replaceAll('\\', '/').includes('/Site/js/')) return {};
    const own = layerOf(context.filename);
    const check = ({ source }) => {
      if (source?.type !== 'Literal' || !String(source.value).startsWith('.')) return;
      const target = layerOf(new URL(source.value, `file://${context.filename}`).pathname);
      if (target !== undefined && own !== undefined && target <= own) return;
      context.report({
        node: source,
        message: 'A module imports from its own layer or a lower one.',
        hint: `The layers, the lowest first: ${LAYERS.join(', ')}, then main.js and worker.js.`,
      });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

export default {
  name: 'page',
  rules: {
    'line-length': lineLength,
    'function-length': functionLength,
    'nested-ternary': nestedTernary,
    layers,
  },
};
