// Tells the charts on the page where the marker stands. It is a component of its own so that
// a move sends a few bytes and leaves the charts' own data, and so the charts, as they are.

export default function ({ data: [data], setTriggerValue }) {
  const shared = (globalThis.momentdp ??= { plotly: null, markers: {} });
  for (const chart of data.charts) shared.markers[chart] = data;
  document.dispatchEvent(new CustomEvent("momentdp-marker"));
  shared.commit = (value) => setTriggerValue("picked", value);
  shared.live?.answered(data);
}
