// Inline in index.html, so that the first words are in the visitor's language: what the address
// asks for (`?language=de`, or `?lang=de`), what was chosen here before, or the first of the browser's languages
// that the page speaks. Stands in `lang` of the root element, where `web/src/language` reads it.
(() => {
  "use strict";
  const SPOKEN = ["en", "de"];
  const remembered = () => {
    try {
      return localStorage.getItem("couplet-language");
    } catch {
      return null;
    }
  };
  const asked = new URLSearchParams(location.search);
  const wishes = [...["language", "lang"].map((name) => asked.getAll(name).at(-1)), remembered(), ...(navigator.languages ?? [])];
  const codes = wishes.map((wish) => wish?.toLowerCase().split(/[-_]/)[0]);
  document.documentElement.lang = codes.find((code) => SPOKEN.includes(code)) ?? SPOKEN[0];
})();
