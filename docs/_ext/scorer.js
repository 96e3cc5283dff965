// What comes first in a search: pages whose title says it, guides, the reference, then what is about bestofk itself.
const ASKED = (new URLSearchParams(location.search).get("q") || "").toLowerCase().trim();
const ABOUT_ITSELF = /^(architecture|changelog|claims|contributing|genindex|licences|releasing|reproduction)$/;

var Scorer = {
  score: ([page, title, anchor, text, score]) => {
    if (title.toLowerCase().includes(ASKED)) score += 10;
    if (ABOUT_ITSELF.test(page)) return score - 4;
    if (page.startsWith("how-to/")) return score + 4;
    return page.startsWith("api") ? score : score + 2;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
