// An ESLint rule: texts that the page shows come from its catalogues (`src/languages`), so a literal
// text in a component or in a sentence is an error.

/** Attributes that people see or hear. */
const SHOWN = new Set(["title", "label", "alt", "placeholder", "note", "closeLabel", "aria-label", "aria-valuetext"]);
/** Elements whose content is the same in every language. */
const VERBATIM = new Set(["code", "kbd", "pre", "samp"]);

/** Letters, but no identifier such as `light.kitchen`. */
const hasWord = (text) => /\p{L}{2}/u.test(text.replaceAll("Dwell", "")) && !/^\w+([._]\w+)+$/.test(text);
/** A sentence or a heading: a capital, and a second word without one, since names have one. */
const isSentence = (text) => /^\p{Lu}\p{Ll}*[^\s/<>=]* \p{Ll}/u.test(text.trim());

function isVerbatim(node) {
  for (let at = node.parent; at; at = at.parent) {
    if (at.type === "JSXElement" && VERBATIM.has(at.openingElement.name.name)) return true;
  }
  return false;
}

/** The text of a literal or of a template without its parts; undefined for other expressions. */
function textOf(node) {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral") return node.quasis.map(({ value }) => value.cooked).join("{}");
  return undefined;
}

export const literalTexts = {
  meta: {
    type: "problem",
    schema: [],
    messages: { literal: "Put “{{text}}” into the catalogues in src/languages and read it with texts()." },
  },
  create(context) {
    const report = (node, text) => context.report({ node, messageId: "literal", data: { text: text.trim() } });
    const check = (node) => {
      const text = textOf(node);
      if (text !== undefined && isSentence(text)) report(node, text);
    };
    return {
      JSXText(node) {
        if (hasWord(node.value) && !isVerbatim(node)) report(node, node.value);
      },
      JSXAttribute(node) {
        const value = node.value?.type === "JSXExpressionContainer" ? node.value.expression : node.value;
        const text = textOf(value);
        const isShown = SHOWN.has(node.name.name ?? "");
        if (isShown && text !== undefined && hasWord(text) && !isSentence(text)) report(node, text);
      },
      Property(node) {
        const text = textOf(node.value);
        const isShown = SHOWN.has(node.key.name ?? node.key.value);
        if (isShown && text !== undefined && hasWord(text) && !isSentence(text)) report(node.value, text);
      },
      Literal: check,
      TemplateLiteral: check,
    };
  },
};
