// Inline in index.html: the chosen colours are there before anything is drawn, and so is the
// size of a projector's letters.
(() => {
  const root = document.documentElement;
  try {
    const theme = localStorage.getItem("couplet-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {}
  if (/(^|[#&])projector=1(&|$)/.test(location.hash)) root.dataset.projector = "";
})();
