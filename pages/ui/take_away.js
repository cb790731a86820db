// The panel that takes figures and settings away. SVG and PNG are made and texts are copied in the
// browser; a PDF is an SVG that the server's Chrome prints.

const shared = (globalThis.momentdp ??= { plotly: null, markers: {} });
const PATIENCE = 60_000; // milliseconds for a PDF

class TakeAway {
  constructor(form) {
    this.form = form;
    this.status = form.querySelector("[role=status]");
    this.text = form.querySelector("textarea");
    form.addEventListener("click", (event) => this.act(event.target.dataset.do));
    form.addEventListener("submit", (event) => event.preventDefault());
    this.onCharts = () => this.list();
    document.addEventListener("momentdp-charts", this.onCharts);
  }

  update(data, send) {
    Object.assign(this, { data, send });
    shared.software = data.software;
    this.fill("size", Object.entries(data.sizes).map(([key, { label }]) => [key, label]));
    this.list();
    for (const what of ["python", "command"]) {
      this.form.querySelector(`[data-do=${what}]`).hidden = !data[what];
    }
    this.receive(data.answer);
  }

  // The charts of the page, from top to bottom.
  list() {
    const after = (a, b) => (a.root.compareDocumentPosition(b.root) & Node.DOCUMENT_POSITION_PRECEDING ? 1 : -1);
    this.charts = [...(shared.charts ?? [])].sort(after);
    this.fill("chart", this.charts.map(({ given: { key } }) => [key, named(key)]));
  }

  fill(name, options) {
    const select = this.form.elements[name];
    const wanted = options.flat().join("|");
    if (select.dataset.filled === wanted) return;
    // The first one, however late it comes, unless the reader has chosen.
    select.onchange = () => { select.dataset.chosen = "yes"; };
    const chosen = select.dataset.chosen ? select.value : null;
    select.replaceChildren(...options.map(([value, label]) => new Option(label, value, false, value === chosen)));
    select.dataset.filled = wanted;
  }

  async act(what) {
    if (!what) return;
    this.text.hidden = true;
    try {
      if (what === "svg" || what === "png") await this.save(what);
      else if (what === "pdf") await this.print();
      else await this.copy(what === "link" ? location.href : this.filled(this.data[what]));
    } catch (error) {
      this.say(`This did not work: ${error.message}.`);
    }
  }

  say(text) {
    this.status.textContent = text;
  }

  // The chosen chart as a file, as it is on screen now.
  async file(format) {
    const { chart: key, theme, size, caption } = this.form.elements;
    const chart = this.charts.find(({ given }) => given.key === key.value);
    if (!chart?.drawn) throw new Error("the chart is not drawn yet");
    const told = caption.checked ? this.filled(this.data.caption.text) : "";
    return chart.file({ format, theme: theme.value, size: this.data.sizes[size.value], caption: told });
  }

  // The swept value is the link's, so that caption, code and link say the same.
  filled(text) {
    const { name, value } = this.data.caption;
    const given = Number(new URLSearchParams(location.search).get(name) ?? value);
    return text.replaceAll("{value}", given.toFixed(2));
  }

  async save(format) {
    this.say("Drawing…");
    const file = await this.file(format);
    shared.saveFile(file);
    this.say(`${file.name} is in your downloads.`);
  }

  async print() {
    if (this.data.noPdf) return this.say(this.data.noPdf);
    this.say("Printing the PDF…");
    const { text, width, height, about, name } = await this.file("svg");
    this.asked = { id: crypto.getRandomValues(new Uint32Array(1))[0], name: name.replace(/svg$/, "pdf") };
    this.send("pdf", { id: this.asked.id, svg: text, width, height, about });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.receive({ id: this.asked?.id, error: "The server did not answer." }), PATIENCE);
  }

  receive(answer) {
    if (!answer || answer.id !== this.asked?.id) return;
    clearTimeout(this.timer);
    const { name } = this.asked;
    this.asked = null;
    if (answer.error) return this.say(answer.error);
    const bytes = Uint8Array.from(atob(answer.pdf), (letter) => letter.charCodeAt(0));
    shared.saveFile({ name, blob: new Blob([bytes], { type: "application/pdf" }) });
    this.say(`${name} is in your downloads.`);
  }

  // A browser may refuse the clipboard, and has none on a page that is not secure.
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.say("Copied.");
    } catch {
      this.text.value = text;
      this.text.hidden = false;
      this.text.focus();
      this.text.select();
      this.say("The browser does not let this page copy. Copy the text below.");
    }
  }

  stop() {
    clearTimeout(this.timer);
    document.removeEventListener("momentdp-charts", this.onCharts);
  }
}

function named(key) {
  const name = key.split("-").at(-1);
  return name[0].toUpperCase() + name.slice(1);
}

export default function ({ data: [data], parentElement, setTriggerValue }) {
  const form = parentElement.querySelector("form");
  (form.takeAway ??= new TakeAway(form)).update(data, setTriggerValue);
  return () => {
    form.takeAway?.stop();
    form.takeAway = null;
  };
}
