// The files of a chart. Plotly draws it anew in the chosen colours and size, with the zoom and the
// marker that are on screen; where it comes from is written into the file. Needs no server. The second
// half of live_chart.js's module.

const FILE_FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"; // a file cannot bring the page's
const WIDER = 1.13; // its widest letters, to those of the page
const PLAIN = { width: 1000, scale: 2 }; // of the mode bar's button, in pixels
const MM_PER_INCH = 25.4;

// A caption in lines that fit a width, broken after commas and semicolons.
function wrapped(text, width) {
  const most = Math.floor(width / 6); // 12 px letters, the widest usual ones
  const lines = [];
  for (const part of text.match(/[^;,]+[;,]?/g)) {
    const fits = lines.length && lines.at(-1).length + part.length <= most;
    if (fits) lines.push(lines.pop() + part);
    else lines.push(part.trim());
  }
  return lines.map((line) => line.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
}

// What Plotly is to draw, and how large.
function drawing(chart, { theme = "light", size = PLAIN, caption = "" }) {
  let { width = Math.round(chart.data.height * size.aspect) } = size;
  const layout = chart.keepZoom(chart.layout(chart.figure, theme === "dark", width < NARROW));
  // Zooms of a second panel too.
  for (const axis of Object.keys(layout).filter((name) => /^[xy]axis\d*$/.test(name))) {
    const { range } = chart.plot.layout[axis] ?? {};
    if (range) layout[axis] = { ...layout[axis], range: [...range] };
  }
  const lines = caption ? wrapped(caption, width - 24) : [];
  let height = chart.data.height + (lines.length ? 17 * lines.length + 14 : 0);
  if (size.aspect) {
    height = 9 * Math.ceil(height / 9); // makes the width of 16:9 and of 4:3 a whole number too
    width = Math.round(height * size.aspect);
  }
  const { l, r, b } = layout.margin;
  // Other letters than the page's may be wider: labels stand in the margins left and right.
  const room = { l: Math.round(WIDER * l), r: Math.round(WIDER * r), b: b + height - chart.data.height };
  const below = {
    text: lines.join("<br>"), align: "left", showarrow: false, font: { size: 12 },
    xref: "paper", x: 0, xanchor: "left", xshift: 12 - room.l,
    yref: "paper", y: 0, yanchor: "top", yshift: -b,
  };
  const annotations = [...(layout.annotations ?? []), ...(lines.length ? [below] : [])];
  const font = { ...layout.font, family: FILE_FONT };
  const margin = { ...layout.margin, ...room };
  Object.assign(layout, { width, height, margin, annotations, font, autosize: false });
  if (theme === "light") Object.assign(layout, { paper_bgcolor: "#fff", plot_bgcolor: "#fff" });
  return { data: chart.figure.data, layout, width, height };
}

// What is written into a file: where the chart comes from, and what it shows.
function about(chart, caption) {
  return {
    title: chart.data.filename,
    description: [chart.data.alt, caption].filter(Boolean).join(" "),
    source: location.href,
    software: shared.software ?? "momentdp",
  };
}

function withMetadata(text, { title, description, source, software }, size, { width, height }) {
  const file = new DOMParser().parseFromString(text, "image/svg+xml");
  const svg = file.documentElement;
  const dublin = "http://purl.org/dc/elements/1.1/";
  const part = (name, value, space = svg.namespaceURI) => {
    const element = file.createElementNS(space, name);
    element.textContent = value;
    return element;
  };
  const metadata = part("metadata", "");
  metadata.append(part("dc:source", source, dublin), part("dc:creator", software, dublin));
  svg.prepend(part("title", title), part("desc", description), metadata);
  if (size.mm) {
    svg.setAttribute("width", `${size.mm}mm`);
    svg.setAttribute("height", `${(size.mm * height / width).toFixed(2)}mm`);
  }
  return new XMLSerializer().serializeToString(file);
}

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

function pngChunk(name, body) {
  const chunk = new Uint8Array(body.length + 12);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, body.length);
  chunk.set(new TextEncoder().encode(name), 4);
  chunk.set(body, 8);
  const crc = chunk.subarray(4, -4).reduce((sum, byte) => CRC[(sum ^ byte) & 255] ^ (sum >>> 8), ~0);
  view.setUint32(chunk.length - 4, ~crc);
  return chunk;
}

// tEXt holds Latin letters, iTXt any; both follow the header, which takes the first 33 bytes.
function describedPng(png, { title, description, source, software }, pixelsPerMetre) {
  const encode = (text) => new TextEncoder().encode(text);
  const ascii = (name, text) => pngChunk("tEXt", encode(`${name}\0${text.replace(/[^ -~]/g, "?")}`));
  const density = new Uint8Array(9);
  const view = new DataView(density.buffer);
  [0, 4].forEach((at) => view.setUint32(at, Math.round(pixelsPerMetre)));
  density[8] = 1; // the unit is the metre
  return new Blob([
    png.subarray(0, 33), pngChunk("pHYs", density),
    ascii("Title", title), ascii("Source", source), ascii("Software", software),
    pngChunk("iTXt", encode(`Description\0\0\0\0\0${description}`)), png.subarray(33),
  ], { type: "image/png" });
}

// The chart as a file: { name, blob, about } and for an SVG also its text and size in millimetres.
async function chartFile(chart, { format, size = PLAIN, caption = "", ...options }) {
  const Plotly = await loadPlotly(chart.data.plotly);
  const { width, height, ...figure } = drawing(chart, { size, caption, ...options });
  const told = about(chart, caption);
  const pixels = { width, height, imageDataOnly: true };
  const file = { name: `${chart.data.filename}.${format}`, about: told };
  if (format === "svg") {
    const made = await Plotly.toImage(figure, { ...pixels, format });
    const text = withMetadata(made, told, size, pixels);
    const mm = size.mm ?? width * MM_PER_INCH / 96;
    return { ...file, text, width: mm, height: mm * height / width, blob: new Blob([text], { type: "image/svg+xml" }) };
  }
  // Half a pixel more, because the canvas drops what is not whole.
  const scale = size.scale ?? (size.pixels + 0.5) / width;
  const made = atob(await Plotly.toImage(figure, { ...pixels, format, scale }));
  const png = Uint8Array.from(made, (letter) => letter.charCodeAt(0));
  const across = size.mm ?? width * MM_PER_INCH / 96;
  return { ...file, blob: describedPng(png, told, width * scale / (across / 1000)) };
}

shared.saveFile = saveFile;
function saveFile({ name, blob }) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
