/* Sets the colours that the reader chose before anything is painted;
   js/widgets/theme-choice.js, in app.js, does the rest. */
{
  const { dataset } = document.documentElement;
  try {
    dataset.theme = localStorage.getItem("reading-theme") || "auto";
  } catch {
    dataset.theme = "auto"; // storage is refused here
  }
}
