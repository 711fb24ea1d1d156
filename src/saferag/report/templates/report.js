"use strict";
(() => {
  const form = document.getElementById("filter");
  const show = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", show);
  show();
  addEventListener("beforeprint", () => document.querySelectorAll("details.story").forEach((d) => { d.open = true; }));
  if (!form) return;
  form.hidden = false;
  const traces = [...document.querySelectorAll(".trace")];
  const texts = new Map();
  const textOf = (e) => {
    if (!texts.has(e)) texts.set(e, e.textContent.toLowerCase());
    return texts.get(e);
  };
  const apply = () => {
    const wanted = [...form.querySelectorAll("select")].filter((s) => s.value).map((s) => [s.name, s.value]);
    const words = form.elements.search.value.toLowerCase().trim();
    let count = 0;
    for (const e of traces) {
      const fits = wanted.every(([k, v]) => e.dataset[k] === v) && (!words || textOf(e).includes(words));
      e.hidden = !fits;
      count += fits;
    }
    form.querySelector("output").textContent = form.dataset.count.replace("{n}", count);
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
})();
