// Brings what a step of the tour is about into view, once for each step.

export default function ({ data: [data] }) {
  const shared = (globalThis.momentdp ??= { plotly: null, markers: {} });
  if (shared.toured === data.step) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const look = (tries) => {
    const part = document.querySelector(data.part);
    // Charts that are still to come would move what is below them.
    const waits = document.querySelector(".live-chart:not([data-state])") || !document.querySelector(".live-chart");
    if (!part || waits) return tries && setTimeout(() => look(tries - 1), 100);
    shared.toured = data.step;
    part.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
  };
  requestAnimationFrame(() => look(100));
  return () => { shared.toured = null; };
}
