// The chart library, loaded once for all that ask; first part of each module that needs it.

const shared = (globalThis.momentdp ??= { plotly: null, markers: {} });

function loadPlotly(url) {
  shared.plotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    // Relative to the page, so that a base path set on the server keeps working.
    script.src = new URL(url, document.baseURI).href;
    script.onload = () => resolve(globalThis.Plotly);
    script.onerror = () => {
      shared.plotly = null; // the next chart tries again
      reject(new Error("the chart library could not be loaded"));
    };
    document.head.append(script);
  });
  return shared.plotly;
}

