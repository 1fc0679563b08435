// Sums, the audit and the ranking of a sheet. Knows no rule of any game: it compares what was written with tables
// and fills in sentences that the server computed from its rules.
globalThis.padSheet = (() => {
  "use strict";

  const fill = (template, params) =>
    template.replace(/%\((\w+)\)[sd]/g, (_, name) => params[name]).replaceAll("%%", "%");

  // "15+12+0" -> 27, "" -> null, anything else -> NaN. A sign at the end is one being typed.
  function sumOf(text) {
    const bare = text.replace(/\s/g, "").replaceAll("−", "-");
    if (bare === "") return null;
    if (!/^[+-]?\d{1,5}([+-]\d{1,5})*[+-]?$/.test(bare)) return NaN;
    return bare.match(/[+-]?\d+/g).reduce((sum, part) => sum + Number(part), 0);
  }

  // The cards of a sum that has one part for each cheque a seat must have, else null.
  function cardsIn(text, table) {
    const parts = text.replace(/\s/g, "").replace(/\+$/, "").split("+");
    if (!table || table.cards === null || parts.length !== table.cards || !parts.every((p) => /^\d+$/.test(p))) return null;
    const cards = parts.map(Number);
    return cards.every((card) => table.values.includes(card)) ? cards : null;
  }

  const within = (ranges, value) => ranges.some(([low, high]) => low <= value && value <= high);

  // The nearest sum there is, the greater of two.
  function nearest(ranges, value) {
    const ends = ranges.flat();
    return ends.reduce((best, end) => {
      const [gap, least] = [Math.abs(end - value), Math.abs(best - value)];
      return gap < least || (gap === least && end > best) ? end : best;
    });
  }

  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

  // What cannot be. seats: [{cheques, banknotes}] or [{points, largest_category}], null where a box is empty; then only
  // what no further figure mends is found. says: sentences by code.
  function audit(table, says, seats) {
    if (!table) return [];
    if (table.readings) return objects(table, says, seats);
    const found = judge(table, says, seats);
    if (!found.length || !table.other || judge(table.other, says, seats).length) return found;
    const params = { other: table.other.aside, aside: table.aside };
    return [finding(says, "fits-other-set-aside", seats.map((_, i) => i), params, "unlikely")];
  }

  function finding(says, code, seats, params, severity = "impossible") {
    const numbers = seats.map((seat) => seat + 1).sort((a, b) => a - b);
    return { code, severity, seats: numbers, detail: fill(says[code], { ...params, seats: numbers.join(", ") }) };
  }

  function judge(table, says, seats) {
    const whole = seats.every((seat) => seat.cheques !== null && seat.banknotes !== null);
    const notes = banknotes(table, says, seats, whole);
    if (seats.some((seat) => seat.banknotes !== null && seat.banknotes > table.money)) return notes;
    return [...notes, ...cheques(table, says, seats, whole)];
  }

  function banknotes(table, says, seats, whole) {
    const above = seats.flatMap(({ banknotes: held }, seat) => held !== null && held > table.money
      ? [finding(says, "banknotes-above-dealt", [seat], { banknotes: held, by: held - table.money, money: table.money })]
      : []);
    if (above.length || !table.passing) return above;
    const without = seats.flatMap(({ banknotes: held }, seat) => held === 0 ? [seat] : []);
    if (table.without !== null && without.length > table.without) {
      const params = { number: without.length, by: without.length - table.without, rounds: table.rounds };
      return [finding(says, "too-many-without-banknotes", without, params)];
    }
    if (!whole) return [];
    const spent = seats.map(({ banknotes: held }) => table.money - held).sort((a, b) => a - b);
    if (spent[0] === 0 || spent[0] <= sum(spent.slice(1).map((paid) => table.passing[paid]))) return [];
    return [finding(says, "too-little-spent", seats.map((_, i) => i), { rounds: table.rounds, least: spent[0] })];
  }

  function cheques(table, says, seats, whole) {
    const known = seats.flatMap(({ cheques: value }, seat) => value === null ? [] : [{ seat, value }]);
    const richest = [...known].sort((a, b) => b.value - a.value);
    const poorest = [...known].sort((a, b) => a.value - b.value);
    const found = [];
    for (let size = 1; size < seats.length && size <= known.length && !found.length; size += 1) {
      const [least, most] = table.groups[size - 1];
      const groups = size === 1 ? known.map((one) => [one]) : [richest.slice(0, size), poorest.slice(0, size)];
      for (const group of groups) {
        const value = sum(group.map((one) => one.value));
        const who = group.map((one) => one.seat);
        const together = size > 1 ? "-together" : "";
        if (value > most) {
          found.push(finding(says, `cheques-too-high${together}`, who, { value, by: value - most, limit: most }));
        } else if (!whole) {
          continue;
        } else if (value < least) {
          found.push(finding(says, `cheques-too-low${together}`, who, { value, by: least - value, limit: least }));
        } else if (size === 1 && !within(table.alone, value)) {
          found.push(finding(says, "no-such-cheque-sum", who, { value, nearest: nearest(table.alone, value) }));
        }
      }
    }
    if (!whole) return found;
    const value = sum(known.map((one) => one.value));
    if (!within(table.all, value)) {
      const near = nearest(table.all, value);
      const code = value < near ? "cheques-sum-short" : "cheques-sum-over";
      found.push(finding(says, code, seats.map((_, i) => i), { value, by: Math.abs(near - value), nearest: near }));
    }
    return found;
  }

  // Lady Richmond's piles: what no reading of the deck allows, else what the likely one does not.
  function objects(table, says, seats) {
    const found = [...categories(table, says, seats), ...points(table.readings[0], says, seats)];
    return found.length ? found : points(table.readings[1], says, seats);
  }

  function categories({ limits }, says, seats) {
    const known = seats.flatMap(({ largest_category: number }, seat) => number === null ? [] : [{ seat, number }]);
    const above = known.filter(({ number }) => number > limits[0]);
    if (above.length) {
      return above.map(({ seat, number }) => finding(says, "category-too-large", [seat], { number, by: number - limits[0], limit: limits[0] }));
    }
    known.sort((a, b) => b.number - a.number || b.seat - a.seat);
    for (let size = 2; size <= known.length; size += 1) {
      const group = known.slice(0, size);
      const number = sum(group.map((one) => one.number));
      const limit = limits[size - 1];
      if (number > limit) return [finding(says, "categories-too-large", group.map((one) => one.seat), { number, by: number - limit, limit })];
    }
    return [];
  }

  function points({ severity, most, least }, says, seats) {
    const known = seats.flatMap((one, seat) => one.points === null ? [] : [{ ...one, seat }]);
    const beyond = (group, value, alike) => {
      const at = Math.min(alike ?? most.length, most.length - 1);
      if (least[at] <= value && value <= most[at]) return [];
      const [way, limit] = value > most[at] ? ["too-high", most[at]] : ["too-low", least[at]];
      const more = group.length > 1 ? "-together" : alike === null ? "" : "-alike";
      return [finding(says, `points-${way}${more}`, group, { points: value, by: Math.abs(value - limit), limit, largest: alike }, severity)];
    };
    const found = known.flatMap((one) => beyond([one.seat], one.points, one.largest_category));
    if (found.length) return found;
    return [1, -1].flatMap((sign) => {
      const group = known.filter((one) => one.points * sign > 0);
      return beyond(group.map((one) => one.seat), sum(group.map((one) => one.points)), null);
    });
  }

  // Competition ranks and what decided. seats: [{total, tie, won}], tie null where it is not known; `won` where the table
  // named the seat, which decides between those who are level and have no figure for it.
  function rank(seats, tieBreak) {
    const best = Math.max(...seats.map((seat) => seat.total));
    const level = seats.filter((seat) => seat.total === best);
    const told = (seat) => seats.every((other) => other.total !== seat.total || other.tie !== null);
    const reported = !told(level[0]) && level.some((seat) => seat.won);
    const above = (a, b) => a.total > b.total
      || (a.total === b.total && (told(a) ? a.tie > b.tie : reported && a.total === best && Boolean(a.won) && !b.won));
    const ranks = seats.map((mine) => 1 + seats.filter((other) => above(other, mine)).length);
    const first = ranks.filter((place) => place === 1).length;
    let decidedBy = "total";
    if (level.length > 1) decidedBy = reported ? "reported" : !told(level[0]) ? "unknown" : first > 1 ? "shared" : tieBreak;
    return { ranks, decidedBy };
  }

  function names(words, people) {
    if (people.length < 2) return people.join("");
    return fill(words.and, { first: people.slice(0, -1).join(", "), last: people[people.length - 1] });
  }

  // [who, why]: "Théo wins", "level at 87 with Marianne, more banknotes left: 4 against 2".
  function tell(words, seats, { ranks, decidedBy }, final) {
    const winners = seats.filter((_, i) => ranks[i] === 1);
    const rest = seats.filter((_, i) => ranks[i] !== 1);
    const total = winners[0].total;
    const say = decidedBy === "unknown" ? words.levels : winners.length > 1 ? words.shares : final ? words.wins : words.leads;
    const who = fill(say, { who: names(words, winners.map((seat) => seat.name)) });
    const level = rest.filter((seat) => seat.total === total);
    if (decidedBy === "banknotes" || decidedBy === "largest_category") {
      const params = { total, with: names(words, level.map((seat) => seat.name)), more: winners[0].tie, less: Math.max(...level.map((seat) => seat.tie)) };
      return [who, fill(words[decidedBy], params)];
    }
    if (decidedBy === "reported") return [who, fill(words.reported[Math.min(winners.length, 2)], { total })];
    if (decidedBy === "unknown") return [who, fill(words.unknown, { total })];
    if (decidedBy === "shared") {
      const text = winners[0].banknotes === undefined ? words.shared_other : words.shared[Math.min(winners[0].tie, 2)];
      return [who, fill(text, { total, banknotes: winners[0].tie })];
    }
    if (!rest.length) return [who, ""];
    const second = Math.max(...rest.map((seat) => seat.total));
    const next = rest.filter((seat) => seat.total === second).map((seat) => seat.name);
    return [who, fill(words.ahead, { ahead: total - second, second: names(words, next) })];
  }

  return { audit, cardsIn, fill, names, rank, sumOf, tell };
})();
