/* Sets the colours the reader chose before anything is painted; app.js does the rest. */
try {
  document.documentElement.dataset.theme = localStorage.getItem("reading-theme") || "auto";
} catch {
  document.documentElement.dataset.theme = "auto"; /* storage is refused here */
}
