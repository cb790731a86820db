// A Plotly chart that outlives Streamlit's reruns: Plotly.react on one DOM node keeps zoom and hover.
// Streamlit calls the default export again on every data change and does not run the earlier clean-up,
// so the chart object lives on its root element and is asked to update.

const NARROW = 560; // px of chart width below which the figure's compact layout applies

function isDark(element) {
  const rgb = getComputedStyle(element).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [255, 255, 255];
  return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] < 128;
}

class LiveChart {
  constructor(root) {
    this.root = root;
    this.plot = root.querySelector(".live-chart-plot");
    this.drawn = null; // what Plotly shows now: figure text, theme and width class
    this.busy = false;
    this.onMarker = () => this.moveMarker();
    this.onFigure = () => this.take();
    // The theme is a CSS variable; a one-millisecond transition turns its change into an event.
    this.onTheme = (event) => event.target === root && this.look();
    document.addEventListener("momentdp-marker", this.onMarker);
    document.addEventListener("momentdp-figure", this.onFigure);
    root.addEventListener("transitionend", this.onTheme);
    // At most once a frame: the sidebar changes the width many times while it slides.
    this.observer = new ResizeObserver(() => {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.resize());
    });
    this.observer.observe(root);
  }

  // Tells those that make files of the charts which charts there are.
  enlist(here) {
    shared.charts ??= new Set();
    shared.charts[here ? "add" : "delete"](this);
    document.dispatchEvent(new CustomEvent("momentdp-charts"));
  }

  // Kept, because reading it has the browser work out the styles of the whole page.
  look() {
    this.dark = isDark(this.root);
    this.draw();
  }

  update(data) {
    this.given = data;
    this.dark ??= isDark(this.root);
    this.narrow ??= this.root.clientWidth < NARROW;
    this.enlist(true);
    this.root.style.height = `${data.height}px`;
    this.root.dataset.chart = data.key;
    this.take();
  }

  // A chart without a figure of its own waits for the one that the page feeds it.
  take() {
    const { given } = this;
    this.data = given.figure ? given : { ...given, ...shared.figures?.[given.key] };
    if (!this.data.figure) return;
    this.plot.setAttribute("aria-label", this.data.alt);
    this.draw();
  }

  layout(figure, dark, narrow) {
    const { templates, compact } = this.data;
    const layout = { ...figure.layout, height: this.data.height, autosize: true };
    // Plotly writes zooms into the axes it is given; the figure must keep its own.
    for (const axis of ["xaxis", "yaxis"]) layout[axis] = structuredClone(figure.layout[axis]);
    layout.template = dark ? templates.dark : templates.light;
    if (narrow) Object.assign(layout, compact, figure.layout.meta?.compact);
    layout.shapes = this.shapes(figure.layout.shapes ?? []);
    return layout;
  }

  // Plotly keeps a zoom only while the figure asks for the range it had before; ours follows the
  // data, so the reader's own zoom is put in its place until they reset it.
  keepZoom(layout) {
    if (this.revision !== layout.uirevision) this.zoomed = false;
    this.revision = layout.uirevision;
    if (!this.zoomed) return layout;
    for (const axis of ["xaxis", "yaxis"]) {
      layout[axis] = { ...layout[axis], range: [...this.plot.layout[axis].range] };
    }
    return layout;
  }

  resetView() {
    const { xaxis, yaxis } = this.figure.layout;
    globalThis.Plotly.relayout(this.plot, { "xaxis.range": [...xaxis.range], "yaxis.range": [...yaxis.range] });
    this.zoomed = false;
  }

  // Once Plotly has made the node: hear of the reader's zooms.
  listen() {
    if (this.listening) return;
    this.listening = true;
    this.plot.on("plotly_relayout", (change) => {
      if (Object.keys(change).some((name) => /^[xy]axis\.range/.test(name))) this.zoomed = true;
    });
    this.plot.on("plotly_doubleclick", () => this.resetView());
  }

  // The marker is the shape of that name; only its place changes, so moving it redraws shapes alone.
  shapes(base) {
    const marker = shared.markers[this.data.key];
    if (!marker) return base.filter((shape) => shape.name !== "marker");
    return base.map((shape) => (shape.name !== "marker" ? shape
      : { ...shape, x0: marker.x, x1: marker.x, label: { ...shape.label, text: marker.text, xanchor: marker.anchor } }));
  }

  // A chart out of sight lets what is in sight be painted first. Not longer: waiting for the browser
  // to be idle takes up to half a second while a page starts.
  turn() {
    const box = this.root.getBoundingClientRect();
    if (box.top < innerHeight && box.bottom > 0) return null;
    return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }

  // What the chart should show now, as one text.
  wanted() {
    return `${this.dark}|${this.narrow}|${this.data.height}|${this.data.figure}`;
  }

  async draw() {
    if (this.busy) return; // the running draw looks again when it ends
    this.busy = true;
    try {
      const Plotly = await loadPlotly(this.data.plotly);
      while (!this.stopped && this.wanted() !== this.drawn) {
        await this.turn();
        const wanted = this.wanted();
        if (this.text !== this.data.figure) {
          this.figure = JSON.parse(this.data.figure);
          this.text = this.data.figure;
        }
        const layout = this.keepZoom(this.layout(this.figure, this.dark, this.narrow));
        await Plotly.react(this.plot, this.figure.data, layout, this.config());
        this.listen();
        this.fillTable();
        this.drawn = wanted;
        this.root.dataset.state = "drawn";
        document.dispatchEvent(new CustomEvent("momentdp-drawn")); // for what lies over the chart
      }
    } catch (error) {
      this.root.dataset.state = "failed";
      this.plot.textContent = `This chart could not be drawn: ${error.message}.`;
    } finally {
      this.busy = false;
    }
  }

  moveMarker() {
    if (this.moving) return;
    const turn = this.turn();
    if (!turn) return this.placeMarker();
    this.moving = turn.then(() => {
      this.moving = null;
      this.placeMarker();
    });
  }

  placeMarker() {
    const marker = shared.markers[this.data.key];
    if (!this.drawn || !marker || this.stopped) return; // the first draw places it
    if (this.marker === `${marker.x}|${marker.text}`) return;
    this.marker = `${marker.x}|${marker.text}`;
    globalThis.Plotly.relayout(this.plot, { shapes: this.shapes(this.figure.layout.shapes ?? []) });
  }

  resize() {
    const width = this.root.clientWidth;
    if (this.stopped || !this.drawn || !width) return;
    this.narrow = width < NARROW;
    this.draw();
    globalThis.Plotly.Plots.resize(this.plot).then(
      () => document.dispatchEvent(new CustomEvent("momentdp-drawn")));
  }

  // Made once: Plotly.react starts over, without the zoom, when it is given another configuration.
  config() {
    const Plotly = globalThis.Plotly;
    return this.options ??= {
      displaylogo: false,
      doubleClick: false, // Plotly would go back to the range of the first data
      displayModeBar: true,
      modeBarButtons: [[
        { name: "save", title: "Download as SVG", icon: Plotly.Icons.camera, click: () => this.save() },
        "zoom2d", "pan2d", this.tableButton(),
        { name: "reset", title: "Reset the view", icon: Plotly.Icons.home, click: () => this.resetView() },
      ]],
    };
  }

  // Always on white: a figure for a paper must not depend on the screen's theme.
  async save() {
    saveFile(await chartFile(this, { format: "svg" }));
  }

  file(options) {
    return chartFile(this, options);
  }

  stop() {
    this.stopped = true;
    this.enlist(false);
    this.observer.disconnect();
    document.removeEventListener("momentdp-marker", this.onMarker);
    document.removeEventListener("momentdp-figure", this.onFigure);
    this.root.removeEventListener("transitionend", this.onTheme);
    globalThis.Plotly?.purge(this.plot);
  }
}

export default function ({ data: [data], parentElement }) {
  const root = parentElement.querySelector(".live-chart");
  const chart = (root.liveChart ??= new LiveChart(root));
  chart.update(data);
  return () => {
    root.liveChart?.stop();
    root.liveChart = null;
  };
}
