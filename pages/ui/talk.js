// Fits the slide of talk mode to the screen, and gives it the keyboard: arrows move the slider,
// Escape ends the talk.

class Talk {
  constructor(data) {
    this.data = data;
    this.onKey = (event) => this.key(event);
    this.onSize = () => this.fit();
    document.addEventListener("keydown", this.onKey);
    addEventListener("resize", this.onSize);
    // The slider and the bar come and change after this component.
    this.observer = new ResizeObserver(this.onSize);
    this.wait();
  }

  wait() {
    const bar = document.querySelector(".st-key-talk-bar"), slider = this.slider();
    if (!bar || !slider) {
      this.timer = setTimeout(() => this.wait(), 50);
      return;
    }
    this.observer.observe(bar);
    slider.focus({ preventScroll: true });
    this.fit();
  }

  slider() {
    return document.querySelector(".st-key-talk-slider input[type=range]");
  }

  fit() {
    const bar = document.querySelector(".st-key-talk-bar")?.offsetHeight ?? 0;
    const { width, height } = this.data;
    const scale = Math.max(Math.min(innerWidth / width, (innerHeight - bar) / height), 0.3);
    document.documentElement.style.setProperty("--talk-scale", scale);
  }

  key(event) {
    if (event.key === "Escape") document.querySelector(".st-key-talk-leave button")?.click();
    // A key pressed while nothing has the focus is the slider's from the next press on.
    if (event.key.startsWith("Arrow") && document.activeElement === document.body) {
      this.slider()?.focus({ preventScroll: true });
    }
  }

  stop() {
    clearTimeout(this.timer);
    this.observer.disconnect();
    document.removeEventListener("keydown", this.onKey);
    removeEventListener("resize", this.onSize);
  }
}

export default function ({ data: [data] }) {
  const shared = (globalThis.momentdp ??= { plotly: null, markers: {} });
  shared.talk ??= new Talk(data);
  return () => {
    shared.talk?.stop();
    shared.talk = null;
  };
}
