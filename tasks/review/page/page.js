
"use strict";
const get = (id) => document.getElementById(id);
const data = JSON.parse(get("data").textContent);
const isDesk = data.mode === "desk";
const STATUS = {
  answered: ["Answered", "good"], needs_review: ["To review", "warn"], declined: ["Not in the documents", "plain"], failed: ["Failed", "bad"],
  approved: ["Approved", "good"], edited: ["Edited", "good"], rejected: ["Left empty", "bad"], disputed: ["Two decisions", "warn"], again: ["Approved before, draft has changed", "warn"],
};
const FILTERS = [["all", "All"], ["open", "Open"], ...Object.entries(STATUS).map(([name, [label]]) => [name, label]), ["mine", "Mine"]];
const VERDICT = { yes: "Yes", no: "No", partial: "Partly", not_applicable: "Not applicable" };
const DONE = ["approved", "edited", "rejected"];
const items = data.items, byId = new Map(items.map((item) => [item.id, item]));
const articles = new Map(), links = new Map();
let shown = items.slice(), current = null, filter = "all", section = "", token = data.token;

// All text goes in as text: what a document, a question or a person wrote is never read as markup.
function add(parent, kind, name, text) {
  const made = document.createElement(kind);
  if (name) made.className = name;
  if (text !== undefined && text !== null) made.textContent = text;
  parent.append(made);
  return made;
}

function button(parent, name, text, act, key) {
  const made = add(parent, "button", name, text);
  made.type = "button";
  if (key) add(made, "kbd", "", key);
  made.addEventListener("click", act);
  return made;
}

const counted = (count, noun) => count + " " + noun + (count === 1 ? "" : "s");
const day = (text) => new Date(text).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

function status(item) {
  const state = item.state;
  if (state.status === "open") return item.status;
  return DONE.includes(state.status) && !state.settled ? "again" : state.status;
}
const isOpen = (item) => !item.state.settled;
const me = () => localStorageGet("bidfolio reviewer") || data.reviewer || "";

function localStorageGet(name) {
  try { return localStorage.getItem(name); } catch { return null; } // a file on disk may have none
}

// ---- pictures -------------------------------------------------------------------------------------------------------

const loaded = new Map();

async function pictureOf(item, at) {
  const one = item.evidence[at];
  if (!isDesk) {
    // The pictures stand behind this script, so that the words are there before them.
    if (one.picture && document.readyState === "loading") await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve));
    const holder = one.picture && get("p-" + one.picture);
    if (!holder) return { why: one.why || "there is no picture of this page", approved: one.approved };
    return { src: "data:image/png;base64," + holder.textContent, boxes: one.boxes, width: one.width, height: one.height };
  }
  const name = item.id + "\n" + at;
  if (!loaded.has(name)) {
    const asked = fetch(data.base + "/picture?question=" + encodeURIComponent(item.id) + "&index=" + at)
      .then(async (response) => (response.ok ? response.json() : { why: (await response.json()).error }))
      .catch(() => ({ why: "the server does not answer: see whether it still runs" }));
    loaded.set(name, asked);
    asked.then((found) => found.src || found.approved || loaded.delete(name));
  }
  return loaded.get(name);
}

async function showPicture(article, item, at) {
  const figure = article.querySelector("figure");
  if (!figure || figure.dataset.at === String(at)) return;
  figure.dataset.at = at;
  for (const [number, one] of article.querySelectorAll(".sources button").entries()) one.setAttribute("aria-pressed", number === at);
  const paper = figure.querySelector(".paper"), sheet = figure.querySelector(".sheet"), one = item.evidence[at];
  figure.querySelector("figcaption").textContent = one.place;
  const found = await pictureOf(item, at);
  if (figure.dataset.at !== String(at)) return; // another was chosen meanwhile
  paper.replaceChildren();
  paper.style.aspectRatio = found.src ? found.width + " / " + found.height : "auto";
  if (!found.src) return void add(paper, "p", "why", found.approved || "The page cannot be shown: " + found.why);
  const image = add(paper, "img");
  image.alt = "The page, with the quote marked: " + one.quote;
  image.src = found.src;
  for (const [left, top, right, bottom] of found.boxes) {
    const mark = add(paper, "i");
    const pad = 0.002;
    Object.assign(mark.style, { left: 100 * (left - pad) + "%", top: 100 * (top - pad) + "%", width: 100 * (right - left + 2 * pad) + "%", height: 100 * (bottom - top + 2 * pad) + "%" });
  }
  if (found.boxes.length) sheet.scrollTop = Math.max(0, found.boxes[0][1] * paper.clientHeight - sheet.clientHeight / 3);
}

const near = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) {
    near.unobserve(entry.target);
    showPicture(entry.target, byId.get(entry.target.dataset.id), 0);
  }
}, { rootMargin: "60% 0px" });

// ---- one answer -----------------------------------------------------------------------------------------------------

function fill(article, item) {
  const state = item.state, name = status(item), chosen = article.querySelector("figure")?.dataset.at;
  article.replaceChildren();
  article.classList.toggle("has-no-picture", !item.evidence.length);
  const words = add(article, "div", "words");
  const where = [item.id.length < 16 ? item.id : "", item.section, item.sheet, item.row ? "row " + item.row : ""].filter(Boolean);
  add(words, "p", "where", where.join(" · "));
  add(words, "h2", "", item.question);
  const chips = add(words, "ul", "chips");
  add(chips, "li", STATUS[name][1], STATUS[name][0]);
  const gives = state.status === "open" || state.status === "disputed" ? null : state;
  const verdict = gives ? gives.final_verdict : item.verdict;
  if (verdict && state.status !== "rejected") add(chips, "li", { yes: "good", no: "bad" }[verdict] || "warn", VERDICT[verdict]);
  if (!gives && !item.verdict && item.proposed_verdict) add(chips, "li", "", "Proposed: " + VERDICT[item.proposed_verdict] + (item.probability === null ? "" : " (" + Math.round(100 * item.probability) + "%)"));
  if (!gives && item.text && item.draft_probability !== null) add(chips, "li", "", "Answers it: " + Math.round(100 * item.draft_probability) + "%");
  else if (!gives && item.status === "answered" && item.confidence) add(chips, "li", "", "Confidence: " + item.confidence);
  if (state.owner) add(chips, "li", "", "For " + state.owner);
  showAnswer(words, item, state);
  if (isDesk) showActs(words, item, state);
  if (item.evidence.length) {
    let list, title;
    item.evidence.forEach((one, at) => {
      const heading = item.nearest ? "The closest passage" : one.against ? "It is said otherwise in" : one.library ? "From the library" : "From the documents";
      if (heading !== title) {
        const box = add(words, "div");
        add(box, "p", "label", (title = heading));
        list = add(box, "ul", "sources");
      }
      const made = button(add(list, "li"), "", undefined, () => (select(item, false), showPicture(article, item, at)));
      add(made, "q", "", one.quote);
      add(made, "span", "", one.place);
      made.setAttribute("aria-pressed", at === 0);
    });
    const figure = add(article, "figure");
    add(add(figure, "div", "sheet"), "div", "paper");
    add(figure, "figcaption", "", item.evidence[0].place);
    if (chosen) showPicture(article, item, Number(chosen));
  }
  if (state.remarks.length) {
    const list = add(words, "ul", "remarks");
    for (const remark of state.remarks) add(add(list, "li", "", remark.comment + " "), "small", "", remark.reviewer + ", " + day(remark.at));
  }
}

function showAnswer(words, item, state) {
  const box = add(words, "div");
  if (state.status === "disputed") {
    add(box, "p", "note strong", "Two people decided at the same time. Choose one, or write the answer anew.");
    for (const rival of state.disputed) {
      add(box, "p", "label", rival.reviewer + ": " + rival.action);
      add(box, "p", "text", textOf(rival.final_answer, rival.final_verdict));
    }
  } else if (state.status === "rejected") {
    add(box, "p", "label", "Left empty by " + state.reviewer + ", " + day(state.at));
    if (item.text) add(box, "p", "old", item.text);
  } else if (state.status !== "open") {
    add(box, "p", "label", (state.status === "edited" ? "Edited by " : "Approved by ") + state.reviewer + ", " + day(state.at));
    add(box, "p", "text", textOf(state.final_answer, state.final_verdict));
    if ((item.text || "") !== (state.final_answer || "") && item.text) {
      const before = add(box, "div", "old");
      add(before, "p", "label", "The draft");
      add(before, "p", "", item.text);
    }
    if (!state.settled) add(box, "p", "note strong", "It was approved for an earlier draft. The documents now give the draft below: look again.");
  } else if (item.text) {
    add(box, "p", "label", "Draft");
    add(box, "p", "text", item.text);
  } else {
    add(box, "p", "text none", item.status === "failed" ? "This question was not answered." : "The documents do not say.");
  }
  if (state.status === "open" || !state.settled) showReasons(words, item);
  if (item.asked_as) add(words, "p", "note", "Understood as: " + item.asked_as);
}

// Two texts that contradict each other stand side by side; of other reasons there is a line.
function showReasons(words, item) {
  for (const { title, sides, said } of item.reasons.filter((one) => one.sides)) {
    const box = add(words, "div", "reason");
    if (title) add(box, "p", "label", title);
    const pair = add(box, "div", "sides");
    for (const side of sides) {
      const section = add(pair, "section"), quoted = item.evidence.findIndex((one) => one.quote === side.text);
      const at = quoted >= 0 ? quoted : item.evidence.findIndex((one) => !one.against && side.label.includes(one.place));
      if (at < 0) add(section, "p", "", side.label);
      else button(section, "", side.label, () => (select(item, false), showPicture(articles.get(item.id), item, at))).title = "Show the page";
      add(section, "blockquote", "", side.text);
    }
    if (said) add(box, "p", "note", said);
  }
  const plain = item.reasons.filter((one) => !one.sides).map((one) => one.said).join("; ");
  const why = [item.decline_reason.replaceAll("_", " "), plain].filter(Boolean).join(": ");
  if (why) add(words, "p", "note", (item.status === "needs_review" ? "To review: " : "") + why);
}

const textOf = (text, verdict) => text || (verdict ? VERDICT[verdict] : "(empty)");

function showActs(words, item, state) {
  const acts = add(words, "div", "acts"), name = status(item), has = item.text || item.verdict || item.proposed_verdict;
  if (name === "again") {
    if (state.status !== "rejected") button(acts, "primary", "Keep the approved text", () => decide(item, { action: "edit", final_answer: state.final_answer, final_verdict: state.final_verdict }));
    if (has) button(acts, "quiet", "Approve the new draft", () => approve(item));
  } else if (name === "disputed") {
    for (const rival of state.disputed) button(acts, "primary", "Take what " + rival.reviewer + " decided", () => decide(item, { action: rival.action, final_answer: rival.final_answer, final_verdict: rival.final_verdict }));
  } else if (has && state.status === "open") button(acts, "primary", "Approve", () => approve(item), "a");
  button(acts, has || state.status !== "open" ? "quiet" : "primary", state.status === "open" && !has ? "Write an answer" : "Edit", () => edit(item), "e");
  if (state.status !== "rejected") button(acts, "quiet", "Leave empty", () => decide(item, { action: "reject" }), "x");
  if (state.status !== "open") button(acts, "quiet", "Open again", () => decide(item, { action: "reopen" }), "u");
  button(acts, "quiet", "Assign", () => assign(item), "o");
  button(acts, "quiet", "Comment", () => comment(item), "c");
}

function form(item, build) {
  const article = articles.get(item.id), words = article.querySelector(".words");
  words.querySelector(".form")?.remove();
  const made = add(words, "form", "form"), acts = words.querySelector(".acts");
  acts.before(made);
  acts.hidden = true;
  made.dataset.version = item.state.version;
  const close = () => (made.remove(), fill(article, item), focusItems());
  const send = build(made, close);
  const row = add(made, "div", "row");
  add(row, "button", "primary", "Save").title = "Ctrl+Enter";
  button(row, "quiet", "Cancel", close).title = "Esc";
  made.addEventListener("submit", (event) => (event.preventDefault(), send()));
  made.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey || event.target.tagName === "INPUT")) (event.preventDefault(), made.requestSubmit());
    event.stopPropagation();
  });
  const field = made.querySelector("textarea, input");
  field.focus();
  if (field.tagName === "TEXTAREA") field.style.height = Math.min(field.scrollHeight + 4, innerHeight / 2) + "px";
  made.scrollIntoView({ block: "nearest" });
}

const focusItems = () => get("items").focus({ preventScroll: true });

// ---- decisions ------------------------------------------------------------------------------------------------------

function approve(item) {
  const given = item.verdict || item.proposed_verdict || null;
  if (!item.text && !given) return edit(item);
  decide(item, { action: "approve", final_answer: item.text, final_verdict: given });
}

// By a key, only what nobody has decided on: an edited answer is not lost to a slip.
function approveByKey() {
  if (current.state.status === "open") return approve(current);
  tell(STATUS[status(current)][0] + " already. To decide anew, open it again ( u )");
}

function edit(item) {
  const state = item.state, before = state.status === "approved" || state.status === "edited";
  form(item, (made, close) => {
    const text = add(made, "textarea");
    text.value = (before ? state.final_answer : item.text) || "";
    text.setAttribute("aria-label", "The answer that the customer gets");
    if (item.max_characters) add(made, "p", "note", "The customer takes " + item.max_characters + " characters.");
    const row = add(made, "div", "row");
    const verdict = add(row, "select");
    verdict.setAttribute("aria-label", "Yes or no");
    for (const [value, label] of [["", "No yes or no"], ...Object.entries(VERDICT)]) add(verdict, "option", "", label).value = value;
    verdict.value = (before ? state.final_verdict : item.verdict || item.proposed_verdict) || "";
    if (item.kind !== "yes_no" && !verdict.value) row.hidden = true;
    const version = state.version;
    return () => decide(item, { action: "edit", final_answer: text.value.trim() || null, final_verdict: verdict.value || null }, version).then((done) => done && close());
  });
}

function assign(item) {
  form(item, (made, close) => {
    const name = add(made, "input");
    name.value = item.state.owner;
    name.placeholder = "Who takes care of this? Empty: nobody";
    name.maxLength = 200;
    return () => send([{ question_id: item.id, action: "assign", owner: name.value.trim() }]).then((done) => done && close());
  });
}

function comment(item) {
  form(item, (made, close) => {
    const text = add(made, "textarea", "short");
    text.setAttribute("aria-label", "Comment");
    return () => text.value.trim() && send([{ question_id: item.id, action: "comment", comment: text.value.trim() }]).then((done) => done && close());
  });
}

async function decide(item, change, version = item.state.version) {
  const isCurrent = current === item;
  const done = await send([{ question_id: item.id, after: version, draft_id: item.draft_id, ...change }]);
  if (done && isCurrent && change.action === "approve") step(1);
  return done;
}

// Sends changes; where another person was first, both texts are shown and one is chosen. True where it is saved.
async function send(changes) {
  if (!isDesk) return tell("This is a report. To approve: bidfolio review " + data.run_id), false;
  if (!me() && !askName()) return false;
  const response = await fetch(data.base + "/changes", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Bidfolio-Token": data.secret },
    body: JSON.stringify({ reviewer: me(), changes }),
  }).catch(() => null);
  if (!response) return tell("Not saved: the server does not answer. See whether it still runs, and save again"), false;
  const said = await response.json().catch(() => ({}));
  if (response.ok) return take(said), true;
  if (response.status === 409 && said.theirs) return rival(changes, said);
  return tell("Not saved: " + [said.error, said.remedy].filter(Boolean).join(": ")), false;
}

function rival(changes, said) {
  const change = changes.find((one) => one.question_id === said.question_id), dialog = get("rival");
  take(said);
  get("rival-title").textContent = said.theirs.reviewer + " decided on this answer while you did";
  get("theirs-title").textContent = said.theirs.reviewer;
  get("theirs").textContent = { rejected: "Left empty", open: "Opened again" }[said.theirs.status] || textOf(said.theirs.final_answer, said.theirs.final_verdict);
  get("yours").textContent = { reject: "Leave empty", reopen: "Open again" }[change.action] || textOf(change.final_answer, change.final_verdict);
  dialog.showModal();
  return new Promise((resolve) => {
    get("keep-theirs").onclick = () => (dialog.close(), resolve(true));
    get("keep-yours").onclick = () => (dialog.close(), resolve(send(changes.map((one) => (one === change ? { ...one, after: said.theirs.version } : one)))));
    dialog.oncancel = () => resolve(false);
  });
}

function take(said) {
  token = said.token;
  for (const [id, state] of Object.entries(said.states)) {
    const item = byId.get(id);
    if (!item || JSON.stringify(item.state) === JSON.stringify(state)) continue;
    item.state = state;
    const article = articles.get(id), writing = article.querySelector(".form");
    if (!writing) fill(article, item);
    else if (writing.dataset.version !== state.version && !writing.querySelector(".strong")) {
      const note = add(writing, "p", "note strong", state.reviewer + " decided on this answer while you write: " + textOf(state.final_answer, state.final_verdict));
      writing.prepend(note);
    }
    dot(item);
  }
  count();
}

// Whatever becomes of one request, the next is made: a page that has stopped looking would look the same.
async function poll() {
  try {
    if (document.hidden) return;
    const response = await fetch(data.base + "/changes?after=" + encodeURIComponent(token), { signal: AbortSignal.timeout(20000) });
    const said = response.ok ? await response.json() : { token };
    if (said.token !== token) take(said);
  } catch {} finally {
    setTimeout(poll, 1500);
  }
}

function askName() {
  const name = prompt("Your name, which stands beside what you decide:", me());
  if (name && name.trim()) try { localStorage.setItem("bidfolio reviewer", name.trim()); } catch {}
  get("who").textContent = me() ? "Reviewer: " + me() : "Who are you?";
  return Boolean(me());
}

// ---- the list -------------------------------------------------------------------------------------------------------

function matches(item, name) {
  if (name === "all") return true;
  if (name === "open") return isOpen(item);
  if (name === "mine") return isDesk && item.state.owner !== "" && item.state.owner === me();
  return status(item) === name;
}

function count() {
  const bar = get("filters"), meter = get("meter");
  bar.replaceChildren();
  for (const [name, label] of FILTERS) {
    const number = items.filter((item) => matches(item, name)).length;
    if (!number && name !== filter && name !== "all") continue;
    if (name === "open" && !isDesk && number === items.length) continue;
    const made = button(bar, "", label, () => ((filter = name), apply()));
    add(made, "b", "", number);
    made.setAttribute("aria-pressed", name === filter);
    made.dataset.filter = name;
  }
  const sure = items.filter((item) => isOpen(item) && status(item) === "answered" && shown.includes(item));
  if (isDesk && filter === "answered" && sure.length) button(bar, "", "Approve these " + sure.length + " …", () => {
    if (confirm("Approve " + counted(sure.length, "answer") + " as drafted? They go to the customer as they stand."))
      send(sure.map((item) => ({ question_id: item.id, action: "approve", final_answer: item.text, final_verdict: item.verdict || item.proposed_verdict, after: item.state.version, draft_id: item.draft_id })));
  });
  meter.replaceChildren();
  const order = ["approved", "edited", "rejected", "again", "disputed", "answered", "needs_review", "declined", "failed"];
  const tone = { approved: "good", edited: "good", rejected: "plain", again: "warn", disputed: "warn", answered: "good", needs_review: "warn", declined: "plain", failed: "bad" };
  const settled = items.filter((item) => !isOpen(item)).length;
  const isReviewed = isDesk || settled > 0;
  for (const name of order) {
    const number = items.filter((item) => status(item) === name).length;
    if (!number || (isReviewed && !DONE.includes(name))) continue;
    const part = add(meter, "i", "dot-" + tone[name]);
    part.style.width = (100 * number) / items.length + "%";
    part.title = STATUS[name][0] + ": " + number;
  }
  const sums = order.map((name) => [name, items.filter((item) => status(item) === name).length]).filter(([, number]) => number);
  get("next").hidden = !isDesk || settled < items.length;
  get("settled").textContent = isReviewed ? settled + " of " + items.length + " settled" : sums.map(([name, number]) => number + " " + STATUS[name][0].toLowerCase()).join(" · ");
  meter.setAttribute("aria-label", get("settled").textContent);
}

function dot(item) {
  const mark = links.get(item.id).firstChild, [label, tone] = STATUS[status(item)];
  mark.className = "dot-" + tone + (isOpen(item) ? "" : " is-settled");
  mark.title = label + (isOpen(item) ? ", open" : "");
}

function apply() {
  const words = get("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  shown = items.filter((item) => matches(item, filter) && (!section || item.section === section) && words.every((word) => searched(item).includes(word)));
  const these = new Set(shown);
  for (const item of items) articles.get(item.id).hidden = links.get(item.id).hidden = !these.has(item);
  for (const title of get("index").querySelectorAll("h3")) {
    let next = title.nextElementSibling;
    while (next && next.tagName === "A" && next.hidden) next = next.nextElementSibling;
    title.hidden = !next || next.tagName !== "A";
  }
  get("empty").hidden = shown.length > 0;
  if (!these.has(current)) select(shown[0] || null, false);
  count();
}

function searched(item) {
  return (item.searched ??= [item.id, item.question, item.text, item.section, item.detail, ...item.evidence.flatMap((one) => [one.quote, one.place])].join("\n").toLowerCase()) + "\n" + [item.state.final_answer, item.state.owner, ...item.state.remarks.map((one) => one.comment)].join("\n").toLowerCase();
}

function select(item, scrolls = true) {
  if (current) (articles.get(current.id).classList.remove("is-current"), links.get(current.id).classList.remove("is-current"));
  current = item;
  if (!item) return;
  const article = articles.get(item.id), link = links.get(item.id);
  article.classList.add("is-current");
  link.classList.add("is-current");
  if (!scrolls) return;
  article.scrollIntoView({ block: "start", behavior: "instant" });
  link.scrollIntoView({ block: "nearest" });
  near.observe(article);
}

function step(by) {
  const at = shown.indexOf(current);
  const next = shown[Math.min(shown.length - 1, Math.max(0, at + by))];
  if (next) select(next);
}

function toAnchor() {
  let id = location.hash.slice(1);
  try { id = decodeURIComponent(id); } catch {} // not an address of ours
  const item = id.startsWith("q-") && byId.get(id.slice(2));
  if (!item) return false;
  if (!shown.includes(item)) (filter = "all", section = get("section").value = get("search").value = "", apply());
  select(item);
  return true;
}

let telling;
function tell(text) {
  const toast = get("toast");
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(telling);
  telling = setTimeout(() => (toast.hidden = true), 6000);
}

const KEYS = [
  ["j", "next answer", () => step(1)], ["k", "answer before", () => step(-1)],
  ["a", isDesk ? "approve the draft" : "approve (in the review desk)", () => (isDesk ? approveByKey() : send([]))],
  ...(isDesk ? [["e", "edit the answer", () => edit(current)], ["x", "leave the customer's cell empty", () => decide(current, { action: "reject" })],
    ["u", "open again", () => current.state.status !== "open" && decide(current, { action: "reopen" })], ["o", "assign to somebody", () => assign(current)], ["c", "comment", () => comment(current)]] : []),
  ["/", "search", () => get("search").focus()], ["?", "this list", () => get("help").showModal()],
];

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Escape") (event.target.blur(), focusItems());
    return;
  }
  const found = KEYS.find(([key]) => key === event.key);
  if (!found || (!current && !"/?".includes(event.key))) return;
  event.preventDefault();
  found[2]();
});

async function ready() {
  const jobs = shown.filter((item) => item.evidence.length).map((item) => {
    const article = articles.get(item.id);
    return showPicture(article, item, Number(article.querySelector("figure").dataset.at || 0));
  });
  await Promise.all(jobs);
  await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
}

// ---- begin ----------------------------------------------------------------------------------------------------------

document.body.classList.toggle("is-desk", isDesk);
get("file").textContent = data.file;
get("about").textContent = data.about;
get("finish").textContent = "bidfolio finish " + data.run_id;
const sections = [...new Set(items.map((item) => item.section).filter(Boolean))];
if (sections.length > 1) {
  const choice = get("section");
  choice.hidden = false;
  add(choice, "option", "", "All sections").value = "";
  for (const one of sections) add(choice, "option", "", one).value = one;
  choice.addEventListener("change", () => ((section = choice.value), apply()));
}
let title = null;
for (const item of items) {
  if (item.section && item.section !== title) add(get("index"), "h3", "", (title = item.section));
  const link = add(get("index"), "a");
  link.href = "#q-" + encodeURIComponent(item.id);
  link.addEventListener("click", (event) => (event.preventDefault(), history.replaceState(null, "", link.href), select(item)));
  add(link, "i");
  add(link, "span", "", (item.id.length < 16 ? item.id + "  " : "") + item.question);
  links.set(item.id, link);
  const article = add(get("items"), "article");
  article.id = "q-" + item.id;
  article.dataset.id = item.id;
  article.addEventListener("click", () => current !== item && select(item, false));
  articles.set(item.id, article);
  fill(article, item);
  dot(item);
  if (item.evidence.length) near.observe(article);
}
add(get("items"), "p", "", "Nothing here matches.").id = "empty";
for (const [key, what] of KEYS) (add(get("help-list"), "dt", "", key), add(get("help-list"), "dd", "", what));
get("keys").addEventListener("click", () => get("help").showModal());
get("help-close").addEventListener("click", () => get("help").close());
get("search").addEventListener("input", apply);
get("print").addEventListener("click", () => ready().then(() => print()));
get("who").addEventListener("click", askName);
get("who").textContent = me() ? "Reviewer: " + me() : "Who are you?";
addEventListener("beforeprint", ready);
addEventListener("hashchange", toAnchor);
new ResizeObserver(() => {
  const isSticky = getComputedStyle(get("top")).position === "sticky";
  document.documentElement.style.setProperty("--top", (isSticky ? get("top").offsetHeight : 0) + "px");
}).observe(get("top"));
apply();
toAnchor();
focusItems();
if (isDesk) setTimeout(poll, 1500);
performance.mark("usable");
