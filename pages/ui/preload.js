// Sends for the chart library before there is a chart, so that it arrives while Python computes.

export default function ({ data }) {
  if (document.querySelector("link[data-momentdp]")) return;
  const link = document.createElement("link");
  Object.assign(link, { rel: "preload", as: "script", href: new URL(data.plotly, document.baseURI).href });
  link.dataset.momentdp = "";
  document.head.append(link);
}
