"use strict";
// Elements with a common key light up together: when one is pointed at, and until the next click
// when one is clicked.
const linked = [...document.querySelectorAll("[data-parts], [data-of]")];
const keys = (element, name) => (element.dataset[name] || "").split(" ").filter(Boolean);
let pinned = null;

// A line lights up the lines of the same part, and the merge points and operands that it has. All else
// lights up whatever has a common key.
function is_lit(one, element) {
  const common = (name, wanted) => keys(one, name).some((key) => wanted.includes(key));
  if (!element.matches(".l")) return common("parts", keys(element, "parts")) || common("of", keys(element, "of"));
  const parts = keys(element, "parts");
  if (one.matches(".l")) return keys(one, "parts")[0] === parts[0];
  if (one.closest(".l")) return false;
  const operands = [...element.querySelectorAll("[data-of]")].flatMap((operand) => keys(operand, "of"));
  return common("parts", parts) || common("of", operands);
}

function show(element) {
  for (const one of linked) {
    one.classList.toggle("lit", element !== null && is_lit(one, element));
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
