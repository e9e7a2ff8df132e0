"use strict";
const page = JSON.parse(document.getElementById("page-data").textContent);
const root = document.documentElement;
const dark = window.matchMedia("(prefers-color-scheme: dark)");
let chosen = null;

// --- figures: drawn when they come near, drawn anew when the theme changes ---

const drawn = new Map(); // place: the theme it has, and a promise that it is drawn

function draw(place) {
  const theme = root.dataset.theme;
  const before = drawn.get(place);
  if (before?.theme === theme) return before.done;
  const done = Promise.resolve(before?.done.catch(() => {})).then(async () => {
    await vegaEmbed(place, page.figures[place.dataset.figure], {
      mode: "vega-lite", renderer: "svg", actions: false, config: page.themes[theme],
      tooltip: { theme: theme }, logLevel: 1,
    });
    place.dataset.ready = theme;
  });
  drawn.set(place, { theme, done });
  return done;
}

const places = [...document.querySelectorAll(".chart")];
const near = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) draw(entry.target);
}, { rootMargin: "600px" });

function dress() {
  root.dataset.theme = chosen ?? (dark.matches ? "dark" : "light");
  for (const place of drawn.keys()) draw(place);
}
dress();
dark.addEventListener("change", dress);
document.getElementById("theme").addEventListener("click", () => {
  chosen = root.dataset.theme === "dark" ? "light" : "dark";
  dress();
});
for (const place of places) near.observe(place);
window.drawAll = () => Promise.all(places.map(draw));
window.addEventListener("beforeprint", () => window.drawAll());

// --- failures ---

function make(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function browse() {
  const place = document.getElementById("failure");
  if (!place) return;
  const pick = Object.fromEntries(["run", "kind", "outcome"].map((n) => [n, document.getElementById("pick-" + n)]));
  const count = document.getElementById("failure-count");
  const [back, on] = ["failure-back", "failure-on"].map((n) => document.getElementById(n));
  let found = [], at = 0;

  for (const [name, menu] of Object.entries(pick)) {
    const values = [...new Set(page.failures.map((f) => f[name]))];
    if (name !== "run") values.sort();
    const all = { run: "all runs", kind: "all questions", outcome: "all outcomes" }[name];
    menu.append(new Option(all, ""), ...values.map((v) => new Option(v, v)));
    menu.hidden = values.length < 2;
    menu.addEventListener("change", choose);
  }
  function choose() {
    found = page.failures.filter((f) => Object.entries(pick).every(([n, m]) => !m.value || f[n] === m.value));
    at = 0;
    show();
  }
  function show() {
    count.textContent = found.length ? `${at + 1} of ${found.length}` : "none";
    back.disabled = at === 0;
    on.disabled = at >= found.length - 1;
    place.replaceChildren();
    const one = found[at];
    if (!one) return;
    const story = make("ol");
    one.story.forEach((sentence, i) => {
      const line = make("li", sentence, one.support.includes(i + 1) ? "support" : "");
      line.title = one.roles[i] ?? "";
      story.append(line);
    });
    const told = make("dl");
    const say = (term, text, kind) => { if (text) told.append(make("dt", term), make("dd", text, kind)); };
    say("question", one.question, "question");
    say("right answer", one.answer.join(", "), "answer");
    say("understood as", one.said.join(", ") || one.outcome, "said");
    told.append(make("dt", "reply"));
    const reply = make("dd");
    reply.append(make("pre", one.reply || "(nothing)"));
    told.append(reply);
    say("proof", one.proof);
    say("support consists of", one.composition);
    told.append(make("dt", "make it again"));
    const again = make("dd");
    again.append(make("code", one.again));
    told.append(again);
    place.append(story, told);
  }
  back.addEventListener("click", () => { at -= 1; show(); });
  on.addEventListener("click", () => { at += 1; show(); });
  choose();
}
browse();
