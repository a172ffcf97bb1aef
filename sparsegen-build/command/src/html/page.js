"use strict";
// Elements with a common key light up together: when one is pointed at, and until the next click
// when one is clicked.
const linked = [...document.querySelectorAll("[data-parts], [data-of]")];
const keys = (element, name) => (element.dataset[name] || "").split(" ").filter(Boolean);
let pinned = null;

// A line has its own parts, and the operands that it names.
function wanted(element) {
  const within = element.matches(".l") ? [...element.querySelectorAll("[data-of]")] : [];
  const of = [element, ...within].flatMap((one) => keys(one, "of"));
  return { parts: new Set(keys(element, "parts")), of: new Set(of) };
}

function show(element) {
  const { parts, of } = element ? wanted(element) : { parts: new Set(), of: new Set() };
  for (const one of linked) {
    const is_lit = keys(one, "parts").some((key) => parts.has(key)) || keys(one, "of").some((key) => of.has(key));
    one.classList.toggle("lit", is_lit);
    one.classList.toggle("pinned", one === pinned);
  }
}

function target(event) {
  const found = event.target.closest("[data-parts], [data-of]");
  const line = event.target.closest(".l[data-parts]");
  return event.type === "click" ? line || found : found;
}

// A line has an address: the page opens with it.
addEventListener("load", () => {
  const line = location.hash && document.getElementById(location.hash.slice(1));
  if (line && line.matches(".l")) line.click();
});

document.addEventListener("mouseover", (event) => { if (!pinned) show(target(event)); });
document.addEventListener("click", (event) => {
  const next = target(event);
  pinned = next === pinned ? null : next;
  show(pinned);
  if (pinned && pinned.matches(".l")) history.replaceState(null, "", "#" + pinned.id);
  // What belongs to it on the other side comes into view.
  const is_code = (element) => element.closest("#code") !== null;
  const other = pinned && linked.find((one) => one.matches(".lit[data-parts]") && is_code(one) !== is_code(pinned));
  if (other && getComputedStyle(document.getElementById("code")).position === "sticky") {
    other.scrollIntoView({ block: "nearest" });
  }
});
