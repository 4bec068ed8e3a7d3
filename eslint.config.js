/** What ESLint refuses in the page's scripts and in their tests. */

const BROWSER = [
  "window", "document", "location", "history", "navigator", "localStorage",
  "HTMLElement", "Element", "Node", "Event", "CustomEvent", "MouseEvent",
  "customElements", "ImageData",
  "matchMedia", "getComputedStyle", "addEventListener", "removeEventListener",
  "requestAnimationFrame", "cancelAnimationFrame", "setTimeout", "clearTimeout",
  "ResizeObserver", "IntersectionObserver", "MutationObserver", "DecompressionStream",
  "Blob", "Response", "TextDecoder", "atob", "btoa", "URL", "URLSearchParams",
  "EventTarget",
  "innerHeight", "innerWidth", "scrollY", "scrollTo", "CSS", "performance",
  "structuredClone", "EventSource", "sessionStorage", "AbortController",
];

const NODE = ["URL", "Buffer", "EventTarget"];

const HTML_FROM_TEXT = [
  "innerHTML", "outerHTML", "insertAdjacentHTML", "write", "createContextualFragment",
];

/** The part of the module grammar that sitegen/linker.py joins. */
const NOT_LINKED = [
  ["ExportDefaultDeclaration", "The linker knows no default export."],
  ["ExportAllDeclaration", "The linker knows no export *."],
  ["ExportNamedDeclaration[declaration=null]", "The linker knows no export list."],
  ["ImportExpression", "The linker knows no dynamic import."],
  ["ImportNamespaceSpecifier", "The linker knows no import *."],
];

const ALWAYS = {
  "eqeqeq": "error",
  "no-var": "error",
  "prefer-const": "error",
  "no-undef": "error",
  "no-unused-vars": "error",
  "no-shadow": "error",
  "no-console": "error",
  "no-eval": "error",
  "no-implied-eval": "error",
  "no-new-func": "error",
  "no-param-reassign": "error",
  "max-lines": ["error", 250],
  "max-lines-per-function": ["error", 60],
  "max-depth": ["error", 3],
  "max-params": ["error", 4],
  "max-len": ["error", { code: 88, ignoreRegExpLiterals: true }],
  "no-restricted-syntax": ["error",
    ...NOT_LINKED.map(([selector, message]) => ({ selector, message }))],
};

export default [
  { ignores: ["static/js/vendor/**"] },
  {
    files: ["static/js/**/*.js"],
    languageOptions: {
      globals: Object.fromEntries(BROWSER.map((name) => [name, "readonly"])),
    },
    rules: {
      ...ALWAYS,
      "no-restricted-properties": ["error", ...HTML_FROM_TEXT.map((property) => ({
        property, message: "Data reach the page as textContent.",
      }))],
    },
  },
  {
    files: ["tests/js/**/*.js", "eslint.config.js"],
    languageOptions: {
      globals: Object.fromEntries(NODE.map((name) => [name, "readonly"])),
    },
    rules: { ...ALWAYS, "no-restricted-syntax": "off" },
  },
];
