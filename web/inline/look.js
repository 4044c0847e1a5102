// Inline in index.html after the style sheets, so that nothing is drawn before it has run: the
// chosen colours, and a projector's letters. Those are the whole page enlarged, as a browser's
// own zoom does it: windows count as that much smaller, so the layouts for small ones apply, and
// all but the widest count as a small projector's: a room looks at one thing at a time.
// `web/src/projector.rs` has the button.
(() => {
  "use strict";
  const root = document.documentElement;
  /** The smallest letters of a line, 15 px, become more than 20. */
  const LEAST = 1.5;
  /** A link meant for the wall opens on phones too, whose letters are near enough. */
  const HAND_HELD_PX = 700;
  /** A room sees no more of a wall than of a laptop this wide. */
  const WIDEST_PX = 1280;
  /** Enlarged pages narrower than this count as small ones. */
  const ROOMY_PX = 1151;
  /** How wide those count: `styles/projector.css` has the layout. */
  const SMALL_PX = 683;

  try {
    const theme = localStorage.getItem("couplet-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {}

  /** What style sheets say of windows, as it was written. */
  const written = new Map();
  /** None of a sheet from elsewhere, as extensions bring along: it is not to be read. */
  function rulesOf(sheet) {
    try {
      return sheet.cssRules;
    } catch {
      return [];
    }
  }
  function enlarge() {
    const enlarged = "projector" in root.dataset && innerWidth >= HAND_HELD_PX;
    const scale = enlarged ? Math.max(LEAST, innerWidth / WIDEST_PX) : 1;
    const small = enlarged && innerWidth / scale < ROOMY_PX;
    const counted = small ? Math.max(scale, innerWidth / SMALL_PX) : scale;
    for (const name of ["zoom", "--scale"]) root.style.setProperty(name, scale === 1 ? "" : scale);
    for (const sheet of document.styleSheets) {
      for (const { media } of rulesOf(sheet)) {
        if (!media) continue;
        if (!written.has(media)) written.set(media, media.mediaText);
        media.mediaText = written.get(media).replace(/([\d.]+)px/g, (_, px) => `${px * counted}px`);
      }
    }
  }
  if (/[?#&]projector=1(?=[&#]|$)/.test(location.search + location.hash)) {
    root.dataset.projector = "";
    enlarge();
  }
  addEventListener("resize", () => "projector" in root.dataset && enlarge());
  addEventListener("couplet-projector", () => {
    enlarge();
    dispatchEvent(new Event("resize"));
  });
})();
