// What a page needs before anything else: the chart library, and an address for each thing done.
//
// The library is loaded before there is a chart. The browser takes most of a second to run it,
// and takes that second here while Python is still loading the engine and computing.

// One act of the reader, such as a preset or a click on another page, changes the address in several
// places, and Streamlit writes a history entry for each. Only the first after an act becomes an
// entry and the later ones replace it, so that Back goes back by one act.
function oneEntryForEachAct() {
  if (shared.acts) return;
  shared.acts = true;
  let acted = false;
  for (const name of ["pointerdown", "keydown"]) {
    document.addEventListener(name, () => { acted = true; }, { capture: true, passive: true });
  }
  addEventListener("popstate", () => { acted = false; });
  const push = history.pushState.bind(history);
  history.pushState = (...all) => {
    if (!acted) return history.replaceState(...all);
    acted = false;
    return push(...all);
  };
}

export default function ({ data: [data] }) {
  oneEntryForEachAct();
  loadPlotly(data.plotly).catch(() => {}); // a chart that needs it says so
}
