// The reader's point on the map: it is dragged, or jumps to a click, from one setting of the sidebar
// to another, and tells Python where it was let go. Python decides everything else.

const CLICK = 5; // px: a shorter way from press to release is a click

class MapPoint {
  constructor() {
    this.handle = document.createElement("div");
    this.handle.className = "map-point";
    this.handle.tabIndex = 0;
    this.handle.setAttribute("role", "application");
    this.handle.setAttribute("aria-roledescription", "point on the map");
    this.text = document.createElement("span");
    this.text.className = "map-point-text";
    this.handle.append(this.text);
    this.handle.addEventListener("pointerdown", (event) => this.grab(event));
    this.handle.addEventListener("pointermove", (event) => this.drag(event));
    this.handle.addEventListener("pointerup", () => this.drop());
    this.handle.addEventListener("pointercancel", () => this.cancel());
    this.handle.addEventListener("keydown", (event) => this.key(event));
    this.handle.addEventListener("keyup", () => this.commit());
    this.onDrawn = () => this.attach();
    this.onPress = (event) => (this.pressed = this.inside(event) ? event : null);
    this.onRelease = (event) => this.click(event);
    document.addEventListener("momentdp-drawn", this.onDrawn);
    document.addEventListener("pointerdown", this.onPress, true);
    document.addEventListener("pointerup", this.onRelease, true);
  }

  update(data, send) {
    this.data = data;
    this.send = send;
    if (!this.dragging) this.at = { x: data.x.at, y: data.y.at };
    this.attach();
  }

  attach() {
    const root = document.querySelector(`.live-chart[data-chart="${this.data.chart}"]`);
    if (!root?.querySelector(".nsewdrag")) return; // drawn later: the chart says so
    this.root = root;
    if (this.handle.parentElement !== root) root.append(this.handle);
    this.place();
  }

  // The plot's own rectangle on the screen.
  area() {
    return this.root.querySelector(".nsewdrag").getBoundingClientRect();
  }

  range(axis) {
    return this.root.querySelector(".live-chart-plot").layout[`${axis}axis`].range;
  }

  place() {
    const area = this.area();
    const box = this.root.getBoundingClientRect();
    const share = (axis) => {
      const [low, high] = this.range(axis);
      return (this.data[axis].positions[this.at[axis]] - low) / (high - low);
    };
    const x = share("x");
    const y = share("y");
    this.handle.style.left = `${area.left - box.left + x * area.width}px`;
    this.handle.style.top = `${area.top - box.top + (1 - y) * area.height}px`;
    this.handle.classList.toggle("at-left", x < 0.2);
    this.handle.classList.toggle("at-right", x > 0.8);
    this.handle.classList.toggle("at-top", y > 0.85);
    const text = `${this.data.x.texts[this.at.x]}, ${this.data.y.texts[this.at.y]}`;
    this.text.textContent = text;
    this.handle.setAttribute("aria-label", `Current setting: ${text}. Arrow keys move it.`);
  }

  inside(event) {
    if (!this.root?.isConnected || this.handle.contains(event.target)) return false;
    if (!this.root.contains(event.target) || event.button !== 0) return false;
    const { left, right, top, bottom } = this.area();
    return event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom;
  }

  // Move to the settings nearest to a place on the screen.
  aim(event) {
    const area = this.area();
    const spot = {
      x: (event.clientX - area.left) / area.width,
      y: 1 - (event.clientY - area.top) / area.height,
    };
    for (const axis of ["x", "y"]) {
      const [low, high] = this.range(axis);
      const wanted = low + spot[axis] * (high - low);
      const away = this.data[axis].positions.map((position) => Math.abs(position - wanted));
      this.at[axis] = away.indexOf(Math.min(...away));
    }
    this.place();
  }

  click(event) {
    const from = this.pressed;
    this.pressed = null;
    if (!from || Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) > CLICK) return;
    this.aim(event);
    this.commit();
  }

  grab(event) {
    if (event.button !== 0) return;
    this.dragging = true;
    this.handle.setPointerCapture(event.pointerId);
  }

  drag(event) {
    if (this.dragging) this.aim(event);
  }

  drop() {
    if (!this.dragging) return;
    this.dragging = false;
    this.commit();
  }

  cancel() {
    this.dragging = false;
    this.at = { x: this.data.x.at, y: this.data.y.at };
    this.place();
  }

  key(event) {
    const step = { ArrowLeft: ["x", -1], ArrowRight: ["x", 1], ArrowDown: ["y", -1], ArrowUp: ["y", 1] }[event.key];
    if (!step) return;
    event.preventDefault(); // the page must not scroll
    const [axis, by] = step;
    // Up is up on the screen, also where the settings of an axis are listed from the top.
    const { positions } = this.data[axis];
    const order = positions.map((_, k) => k).sort((a, b) => positions[a] - positions[b]);
    const next = order.indexOf(this.at[axis]) + by;
    this.at[axis] = order[Math.max(0, Math.min(positions.length - 1, next))];
    this.place();
  }

  commit() {
    const { x, y } = this.at;
    if (x === this.data.x.at && y === this.data.y.at) return;
    this.send("spot", { x, y });
  }

  stop() {
    this.handle.remove();
    document.removeEventListener("momentdp-drawn", this.onDrawn);
    document.removeEventListener("pointerdown", this.onPress, true);
    document.removeEventListener("pointerup", this.onRelease, true);
  }
}

export default function ({ data: [data], parentElement, setTriggerValue }) {
  const point = (parentElement.mapPoint ??= new MapPoint());
  point.update(data, setTriggerValue);
  return () => {
    parentElement.mapPoint?.stop();
    parentElement.mapPoint = null;
  };
}
