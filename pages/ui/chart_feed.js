// Hands the charts on the page their figures. It is a component of its own so that a fragment in
// the sidebar can redraw charts in the page, which keep their nodes.

export default function ({ data: [data] }) {
  const shared = (globalThis.momentdp ??= { plotly: null, markers: {} });
  shared.figures = { ...shared.figures, ...data.charts };
  document.dispatchEvent(new CustomEvent("momentdp-figure"));
}
