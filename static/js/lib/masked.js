/**
 * Return what a forbidden cell holds: a word for who hears the page.  The style sheet
 * draws the cross.
 * @param {string} word
 */
export function maskedMark(word) {
  const mark = document.createElement("i");
  mark.textContent = word;
  return mark;
}
