import { fixed } from "../../lib/numbers.js";
import { fillParts, showWhen } from "../../lib/page-parts.js";
import { powerOfTen } from "../../lib/powers.js";
import { rangesOf } from "../../lib/ranges.js";

/** What one knows a mask by: the page has the sentences, and these their numbers. */

const DIGITS = 2;

/**
 * Write a panel's sentences, and show those that are true.
 * @param {HTMLElement} panel
 * @param {{rows: import("../../lib/mask-alignment.js").Row[], difference: number,
 *   findings: import("../../lib/mask-alignment.js").Findings}} found
 *   difference: of the right mask's weights from those of one call over all tokens
 */
export function writePanel(panel, { rows, findings, difference }) {
  const { leak, hidden, leaking, blind, empty, missed, same, sums } = findings;
  fillParts(panel, {
    leak: fixed(leak, DIGITS), hidden: fixed(hidden, DIGITS), missed,
    leaking: rangesOf(leaking), empty: rangesOf(empty),
    difference: powerOfTen(difference),
  });
  showWhen(panel, {
    same, blind: blind.length === rows.length, leaking: leaking.length > 0,
    empty: empty.length > 0, sums: sums && !same,
  });
}
