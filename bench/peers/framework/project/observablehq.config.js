// As `npm init @observablehq` writes it, with addresses that end in .html and search.
// Formulas and footnotes come by markdown-it plugins, the documented hook: Framework's own
// `tex` asks a CDN for KaTeX when the site is built.
import { katex } from "@mdit/plugin-katex";
import footnote from "markdown-it-footnote";

export default {
  title: "Measured",
  root: "src",
  preserveIndex: true,
  preserveExtension: true,
  search: true,
  markdownIt: (md) => md.use(katex, { output: "mathml" }).use(footnote),
};
