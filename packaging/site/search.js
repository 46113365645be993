// Finds sections that have every word that was typed: those whose heading has them come first.
const root = document.body.dataset.root;
const input = document.getElementById("search");
const found = document.getElementById("found");
const FOUND_MAX = 30;

function rank(entry, words) {
  const title = entry.title.toLowerCase();
  const text = entry.text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (title.includes(word)) sum += title === word ? 5 : 3;
    else if (text.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
  return (at > 0 ? "…" : "") + text.slice(at, at + 160);
}

function item(entry, word) {
  const line = document.createElement("li");
  const link = line.appendChild(document.createElement("a"));
  link.href = `${root}/${entry.page}${entry.id ? "#" + entry.id : ""}`;
  link.append(entry.title);
  const where = link.appendChild(document.createElement("small"));
  where.textContent = `${entry.page} — ${excerpt(entry.text, word)}`;
  return line;
}

function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked = words.length === 0 ? [] : entries
    .map((entry) => ({ entry, rank: rank(entry, words) }))
    .filter((one) => one.rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, FOUND_MAX);
  found.replaceChildren(...ranked.map((one) => item(one.entry, words[0])));
  found.hidden = ranked.length === 0;
}

input.addEventListener("input", search);
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter") found.querySelector("a")?.click();
  if (event.key === "Escape") found.hidden = true;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target === input) return;
  event.preventDefault();
  input.focus();
});
