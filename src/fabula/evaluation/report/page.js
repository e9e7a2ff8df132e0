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
    if (!window.vegaEmbed) {
      place.textContent = "This figure could not be prepared; its numbers are in the table.";
      return;
    }
    const name = place.getAttribute("aria-label");
    const made = await vegaEmbed(place, page.figures[place.dataset.figure], {
      mode: "vega-lite", renderer: "svg", actions: false, config: page.themes[theme],
      tooltip: { theme: theme }, logLevel: 1,
    });
    made.view.addEventListener("click", (event, item) => {
      const cell = item?.datum;
      if (cell?.composition && cell.kind) browser?.only(cell);
    });
    // one picture with a name, and its numbers in a table, not a hundred marks
    place.querySelector("svg").setAttribute("aria-hidden", "true");
    place.removeAttribute("aria-roledescription");
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", name);
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

// --- questions, one by one ---

function make(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function browse() {
  const place = document.getElementById("question-shown");
  if (!place) return null;
  const names = ["run", "outcome", "kind", "size", "composition"];
  const pick = Object.fromEntries(names.map((n) => [n, document.getElementById("pick-" + n)]));
  const all = { run: "any run", outcome: "right and wrong", kind: "all kinds", size: "all supports", composition: "all compositions" };
  const count = document.getElementById("question-count");
  const link = document.getElementById("question-link");
  const [back, on] = ["question-back", "question-on"].map((n) => document.getElementById(n));
  let found = [], at = 0;

  const values = (get) => [...new Set(page.questions.flatMap(get))];
  const options = {
    run: values((q) => q.replies.map((r) => r.run)).map((v) => [v, v]),
    outcome: [["failed", "not right"], ...values((q) => q.replies.map((r) => r.outcome)).sort().map((v) => [v, v])],
    kind: values((q) => [q.kind]).sort().map((v) => [v, v]),
    size: values((q) => [q.size]).filter((v) => v !== null).sort((a, b) => a - b)
      .map((v) => [String(v), `${v} sentence${v === 1 ? "" : "s"}`]),
    composition: values((q) => [q.composition]).sort().map((v) => [v, v]),
  };
  if (options.run.length > 1) options.outcome.push(["differ", "one right, one not"]);
  for (const [name, menu] of Object.entries(pick)) {
    menu.append(new Option(all[name], ""), ...options[name].map(([v, text]) => new Option(text, v)));
    menu.hidden = options[name].length < 2;
    menu.addEventListener("change", () => choose());
  }
  pick.outcome.value = page.questions.some((q) => q.replies.some((r) => r.outcome !== "correct")) ? "failed" : "";

  function fits(question) {
    const replies = question.replies.filter((r) => !pick.run.value || r.run === pick.run.value);
    const wanted = pick.outcome.value;
    const right = (r) => r.outcome === "correct";
    return replies.length
      && (!wanted
        || (wanted === "failed" ? replies.some((r) => !right(r))
          : wanted === "differ" ? question.replies.some(right) && !question.replies.every(right)
            : replies.some((r) => r.outcome === wanted)))
      && (!pick.kind.value || question.kind === pick.kind.value)
      && (!pick.size.value || String(question.size) === pick.size.value)
      && (!pick.composition.value || question.composition === pick.composition.value);
  }
  function choose(name) {
    found = page.questions.filter(fits);
    at = Math.max(0, name ? found.findIndex((q) => q.name === name) : 0);
    show();
  }
  function clear() {
    for (const menu of Object.values(pick)) menu.value = "";
  }
  function go(step) {
    if (at + step < 0 || at + step >= found.length) return;
    at += step;
    show();
    history.replaceState(null, "", link.href);
  }
  function show() {
    count.textContent = found.length ? `${at + 1} of ${found.length}` : "none";
    back.disabled = at === 0;
    on.disabled = at >= found.length - 1;
    place.replaceChildren();
    const one = found[at];
    link.hidden = !one;
    if (!one) return;
    link.href = "#case=" + encodeURIComponent(one.name);
    const story = make("ol");
    one.story.forEach((sentence, i) => {
      const line = make("li", sentence, one.support.includes(i + 1) ? "support" : "");
      const role = one.roles[i] ?? "";
      if (role && role !== "distractor") line.append(make("span", ` (${role})`, role === "support" ? "unseen" : "role"));
      story.append(line);
    });
    const told = make("dl");
    const say = (term, text, kind) => { if (text) told.append(make("dt", term), make("dd", text, kind)); };
    say("question", one.question, "question");
    say("right answer", one.answer.join(", "), "answer");
    for (const reply of one.replies) {
      const right = reply.outcome === "correct";
      told.append(make("dt", one.replies.length > 1 || options.run.length > 1 ? reply.run : "reply"));
      const box = make("dd");
      box.append(make("span", right ? `${reply.said.join(", ")} ✓ right`
        : reply.said.length ? `${reply.said.join(", ")} ✗ ${reply.outcome}` : `✗ ${reply.outcome}`, right ? "answer" : "said"));
      const words = make("pre", reply.reply || "(nothing)");
      words.tabIndex = 0;
      words.setAttribute("aria-label", `reply of ${reply.run}`);
      box.append(words);
      if (reply.prompt) {
        const more = make("details");
        const prompt = make("pre", reply.prompt);
        prompt.tabIndex = 0;
        more.append(make("summary", "prompt"), prompt);
        box.append(more);
      }
      told.append(box);
    }
    say("proof", one.proof);
    if (one.steps.length) {
      const steps = make("ol", undefined, "steps");
      for (const step of one.steps) {
        const line = make("li", step.sentence === null ? "" : `${step.sentence}: ${step.facts.join(", ")}`);
        for (const so of step.so) line.append(make("div", `→ ${so}`));
        steps.append(line);
      }
      const box = make("dd");
      box.append(steps);
      told.append(make("dt", "step by step, from these sentences alone"), box);
    }
    say("support consists of", one.composition);
    say("trivial baselines that get it right", one.guessed.join(", "));
    if (one.again) {
      told.append(make("dt", one.rewritten ? "make the original again" : "make it again"));
      const again = make("dd");
      again.append(make("code", one.again));
      told.append(again);
    }
    place.append(story, told);
  }
  function follow() {
    const name = location.hash.match(/^#case=(.*)$/);
    if (!name) return false;
    const wanted = decodeURIComponent(name[1]);
    if (!page.questions.some((q) => q.name === wanted)) return false;
    clear();
    choose(wanted);
    document.getElementById("questions").scrollIntoView();
    return true;
  }
  back.addEventListener("click", () => go(-1));
  on.addEventListener("click", () => go(1));
  document.getElementById("pick-all").addEventListener("click", () => { clear(); choose(); });
  window.addEventListener("hashchange", follow);
  let seen = false;
  new IntersectionObserver((entries) => { seen = entries.at(-1).isIntersecting; }).observe(place);
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!seen || event.target.closest("select, input, textarea, pre, .scroll")) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) { event.preventDefault(); go(step); }
  });
  if (!follow()) choose();
  return {
    only(cell) { // a cell of a heatmap
      clear();
      for (const [name, value] of [["kind", cell.kind], ["composition", cell.composition], ["size", String(cell.support_size)]]) {
        if (![...pick[name].options].some((o) => o.value === value)) pick[name].append(new Option(value, value));
        pick[name].value = value;
      }
      choose();
      document.getElementById("questions").scrollIntoView();
    },
  };
}
const browser = browse();
