// Loads the chart library before there is a chart. The browser takes most of a second to run it,
// and takes that second here while Python is still loading the engine and computing.

export default function ({ data: [data] }) {
  const shared = (globalThis.momentdp ??= { plotly: null, markers: {} });
  shared.plotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    // Relative to the page, so that a base path set on the server keeps working.
    script.src = new URL(data.plotly, document.baseURI).href;
    script.onload = () => resolve(globalThis.Plotly);
    script.onerror = () => {
      shared.plotly = null; // the next chart tries again
      reject(new Error("the chart library could not be loaded"));
    };
    document.head.append(script);
  });
  shared.plotly.catch(() => {}); // a chart that needs it says so
}
