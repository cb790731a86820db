// Follows the slider, and the marker in the charts, while they are dragged. Python has worked out
// what the page says at every stop; this only looks it up. Where the slider cannot be read, or the
// charts cannot be asked for places, the page changes on release, as Python redraws it.

const shared = (globalThis.momentdp ??= { plotly: null, markers: {} });
const REACH = 9; // pixels from the marker's line within which it can be grabbed
const ANCHOR = { left: "right", right: "left", both: "center" };

function put(node, text) {
  if (node && node.textContent !== text) node.textContent = text;
}

function closest(places, wanted) {
  let best = 0;
  places.forEach((place, at) => {
    if (Math.abs(place - wanted) < Math.abs(places[best] - wanted)) best = at;
  });
  return best;
}

class LiveValues {
  constructor() {
    this.onDown = (event) => this.grab(event);
    this.onHover = (event) => this.hover(event);
    // The slider tells its value in this attribute, at every step of a drag and of a key.
    this.observer = new MutationObserver((changes) => {
      const slider = changes.find((change) => change.target.matches?.(this.input()))?.target;
      if (slider) this.follow(closest(this.values, Number(slider.value)));
    });
    this.observer.observe(document.body, { subtree: true, attributeFilter: ["aria-valuetext"] });
    for (const name of ["mousedown", "touchstart"]) {
      document.addEventListener(name, this.onDown, { capture: true, passive: false });
    }
    document.addEventListener("mousemove", this.onHover, { passive: true });
  }

  update(data) {
    if (this.text === data.live) return;
    this.text = data.live;
    this.slider = data.slider;
    this.charts = data.charts;
    const { study, values, markers, points } = JSON.parse(data.live);
    Object.assign(this, { study, values, markers, points });
    this.shown = null;
    this.follow(this.stand());
  }

  input() {
    return `.st-key-${this.slider} input[type=range]`;
  }

  // Where the slider stands, among the values; nothing where there is no slider.
  stand() {
    const slider = document.querySelector(this.input());
    return slider ? closest(this.values, Number(slider.value)) : null;
  }

  // At most once a frame, and always the newest place.
  follow(at) {
    if (at === null) return;
    this.next = at;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.show(this.next);
    });
  }

  // Python has answered: if the slider has moved on meanwhile, what it says now stays on screen.
  answered(marker) {
    const now = this.dragged ? this.next : this.stand();
    this.shown = null;
    if (now !== null && this.markers[now].text !== marker.text) this.follow(now);
  }

  show(at) {
    if (this.stopped || this.shown === at) return;
    this.shown = at;
    const marker = this.markers[at];
    for (const chart of this.charts) {
      shared.markers[chart] = { x: marker.x, text: marker.text, anchor: ANCHOR[marker.side] };
    }
    document.dispatchEvent(new CustomEvent("momentdp-marker"));
    this.say(this.points[at]);
  }

  say(point) {
    const cards = document.querySelector(".st-key-readouts .md-cards");
    // What Python has already redrawn for another study waits for that study's texts.
    if (cards?.dataset.study !== this.study) return;
    cards.dataset.setting = point.setting;
    for (const [key, texts] of Object.entries(point.readouts)) {
      const card = cards.querySelector(`[data-readout="${key}"]`);
      [...(card?.children ?? [])].forEach((node, part) => put(node, texts[part]));
    }
    put(document.querySelector(".st-key-readouts .md-sentence"), point.sentence);
    for (const [name, text] of Object.entries(point.also)) {
      put(document.querySelector(`[data-live="${name}"]`), text);
    }
    this.fill(document.querySelector(".st-key-table"), point);
  }

  fill(table, point) {
    if (!table) return;
    put(table.querySelector("h3"), point.heading);
    put(table.querySelector(".md-note"), point.note);
    const body = table.querySelector("tbody");
    point.rows.forEach(([key, ...cells], place) => {
      const row = body?.querySelector(`tr[data-mechanism="${key}"]`);
      if (!row) return;
      if (body.children[place] !== row) body.insertBefore(row, body.children[place]);
      cells.forEach((text, column) => put(row.children[column + 1], text));
    });
  }

  // The chart whose marker is under the pointer, if any.
  under(event) {
    const point = event.touches?.[0] ?? event;
    const plot = event.target.closest?.(".live-chart-plot");
    const key = plot?.closest(".live-chart")?.liveChart?.given?.key;
    const axis = plot?._fullLayout?.xaxis;
    const marker = shared.markers[key];
    if (!this.charts?.includes(key) || !marker || typeof axis?.p2d !== "function") return null;
    if (event.target.closest(".modebar")) return null;
    const box = plot.getBoundingClientRect();
    const scale = box.width / plot.offsetWidth; // the slide of a talk is drawn enlarged
    const from = box.left + axis._offset * scale;
    const away = from + axis.d2p(marker.x) * scale - point.clientX;
    return Math.abs(away) <= REACH ? { axis, from, plot, scale } : null;
  }

  hover(event) {
    if (this.dragged || event.buttons) return;
    const plot = this.under(event)?.plot;
    if (this.ready !== plot) this.ready?.classList.remove("live-chart-grab");
    plot?.classList.add("live-chart-grab");
    this.ready = plot;
  }

  grab(event) {
    if (event.button > 0 || event.touches?.length > 1) return;
    const found = this.under(event);
    if (!found) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // the chart must not begin a zoom
    this.dragged = true;
    this.next = this.shown ?? this.stand() ?? 0;
    const start = this.next;
    const move = (next) => {
      next.preventDefault();
      const x = (next.touches?.[0] ?? next).clientX - found.from;
      this.follow(closest(this.markers.map((marker) => marker.x), found.axis.p2d(x / found.scale)));
    };
    const end = () => {
      this.dragged = false;
      for (const name of ["mousemove", "touchmove"]) document.removeEventListener(name, move, true);
      for (const name of ["mouseup", "touchend", "touchcancel"]) document.removeEventListener(name, end, true);
      if (this.next !== start) shared.commit?.(this.values[this.next]);
    };
    for (const name of ["mousemove", "touchmove"]) {
      document.addEventListener(name, move, { capture: true, passive: false });
    }
    for (const name of ["mouseup", "touchend", "touchcancel"]) document.addEventListener(name, end, true);
  }

  stop() {
    this.stopped = true;
    this.observer.disconnect();
    for (const name of ["mousedown", "touchstart"]) document.removeEventListener(name, this.onDown, true);
    document.removeEventListener("mousemove", this.onHover);
    if (shared.live === this) shared.live = null;
  }
}

export default function ({ data: [data] }) {
  const live = (shared.live ??= new LiveValues());
  live.update(data);
  return () => live.stop();
}
