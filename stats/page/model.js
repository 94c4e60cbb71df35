// What the page computes, without a document: decoding, the timeline's rows, what of them is drawn, the charts' figures.
const model = {
  // decode makes columns of the data: times in microseconds since the first event, lane by lane, by start.
  decode(d) {
    const n = d.start.length;
    const e = { n, lane: new Uint32Array(n), phase: new Uint8Array(n), start: new Float64Array(n), end: new Float64Array(n),
      examples: new Float64Array(n), first: new Uint32Array(d.lanes.length + 1), until: 1 };
    let i = 0;
    for (let l = 0; l < d.lanes.length; l++) {
      e.first[l] = i;
      let t = 0;
      for (const to = i + d.counts[l]; i < to; i++) {
        t += d.start[i];
        e.lane[i] = l;
        e.phase[i] = d.phase.charCodeAt(i) - 65;
        e.start[i] = t;
        e.end[i] = t + d.duration[i];
        e.examples[i] = d.examples[i];
        e.until = Math.max(e.until, e.end[i]);
      }
    }
    e.first[d.lanes.length] = n;
    return e;
  },

  // rows puts each event of a lane into its first row that is free, so what a phase contains stands below it. In a row no
  // two events overlap, but for those beyond the last row.
  rows(e, most) {
    const rows = [];
    for (let l = 0; l + 1 < e.first.length; l++) {
      const own = [];
      for (let i = e.first[l]; i < e.first[l + 1]; i++) {
        let r = 0;
        while (r < own.length && own[r].end > e.start[i]) r++;
        if (r === own.length) {
          if (r === most) r--;
          else own.push({ lane: l, row: r, end: 0, events: [] });
        }
        own[r].events.push(i);
        own[r].end = Math.max(own[r].end, e.end[i]);
      }
      for (const row of own) rows.push(row);
    }
    return rows;
  },

  // firstAt finds the first event of a row that ends at t or later.
  firstAt(e, events, t) {
    let from = 0, to = events.length;
    while (from < to) {
      const mid = (from + to) >> 1;
      if (e.end[events[mid]] >= t) to = mid;
      else from = mid + 1;
    }
    return from;
  },

  // bars tells draw what of a row is seen between two times on so many pixels: draw(x, width, phase, share). Events that are
  // narrower than a pixel become one bar of it, in the colour of the phase that took most of it; share is how much was busy.
  // So there are never many more bars than pixels.
  bars(e, events, from, to, width, shown, draw) {
    const scale = width / (to - from);
    const took = new Float64Array(64);
    let column = -1, busy = 0;
    const flush = () => {
      if (busy > 0) {
        let top = 0;
        for (let p = 1; p < 64; p++) if (took[p] > took[top]) top = p;
        draw(column, 1, top, Math.min(1, busy));
      }
      took.fill(0);
      busy = 0;
    };
    for (let k = model.firstAt(e, events, from); k < events.length; k++) {
      const i = events[k];
      if (e.start[i] >= to) break;
      if (!shown[e.phase[i]] || e.end[i] === from && e.start[i] < from) continue;
      const x0 = Math.max(0, (e.start[i] - from) * scale), x1 = Math.min(width, (e.end[i] - from) * scale);
      if (x1 - x0 >= 1) {
        draw(x0, x1 - x0, e.phase[i], 1);
        continue;
      }
      if (Math.floor(x0) !== column) {
        flush();
        column = Math.floor(x0);
      }
      const part = Math.max(x1 - x0, 0.05);
      took[e.phase[i]] += part;
      busy += part;
    }
    flush();
  },

  // at finds the event of a row at a time, or, within slack, next to it; -1 for none.
  at(e, events, t, slack, shown) {
    let best = -1, far = slack;
    for (let k = model.firstAt(e, events, t - slack); k < events.length; k++) {
      const i = events[k];
      if (e.start[i] > t + slack) break;
      if (!shown[e.phase[i]]) continue;
      const d = Math.max(0, e.start[i] - t, t - e.end[i]);
      if (d <= far && (best < 0 || d < far)) {
        best = i;
        far = d;
      }
      if (d === 0) break;
    }
    return best;
  },

  // rate spreads the examples of a phase's events over their time, and gives examples a second for each of so many bins.
  rate(e, phase, from, to, bins) {
    const out = new Float64Array(bins), size = (to - from) / bins;
    for (let i = 0; i < e.n; i++) {
      if (e.phase[i] !== phase || e.examples[i] === 0 || e.end[i] < from || e.start[i] > to) continue;
      const long = Math.max(e.end[i] - e.start[i], 1e-3);
      const first = Math.max(0, Math.floor((e.start[i] - from) / size)), last = Math.min(bins - 1, Math.floor((e.end[i] - from) / size));
      for (let b = first; b <= last; b++) {
        const overlap = Math.min(e.end[i], from + (b + 1) * size) - Math.max(e.start[i], from + b * size);
        out[b] += e.examples[i] * (e.end[i] > e.start[i] ? Math.max(0, overlap) / long : 1) / (size / 1e6);
      }
    }
    return out;
  },

  // histogram counts a phase's durations in bins of equal ratio, from the shortest to the longest.
  histogram(e, phase, bins) {
    let low = Infinity, high = 1;
    for (let i = 0; i < e.n; i++) {
      if (e.phase[i] !== phase) continue;
      const d = Math.max(1, e.end[i] - e.start[i]);
      low = Math.min(low, d);
      high = Math.max(high, d);
    }
    if (low === Infinity) return null;
    if (high < low * 1.1) high = low * 1.1;
    const counts = new Uint32Array(bins), step = Math.log(high / low) / bins;
    for (let i = 0; i < e.n; i++) {
      if (e.phase[i] !== phase) continue;
      const d = Math.max(1, e.end[i] - e.start[i]);
      counts[Math.min(bins - 1, Math.floor(Math.log(d / low) / step))]++;
    }
    return { low, high, counts };
  },

  // course gives the least, mean and greatest duration of a phase's events by the time when they began.
  course(e, phase, from, to, bins) {
    const c = { count: new Uint32Array(bins), least: new Float64Array(bins).fill(Infinity), mean: new Float64Array(bins), most: new Float64Array(bins), top: 0 };
    for (let i = 0; i < e.n; i++) {
      if (e.phase[i] !== phase || e.start[i] < from || e.start[i] > to) continue;
      const b = Math.min(bins - 1, Math.floor((e.start[i] - from) / (to - from) * bins)), d = e.end[i] - e.start[i];
      c.count[b]++;
      c.least[b] = Math.min(c.least[b], d);
      c.mean[b] += (d - c.mean[b]) / c.count[b];
      c.most[b] = Math.max(c.most[b], d);
      c.top = Math.max(c.top, d);
    }
    return c;
  },

  // ticks gives round numbers between two, about so many.
  ticks(from, to, about) {
    const raw = (to - from) / about, power = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 5, 10].find(m => m * power >= raw) * power;
    const out = [];
    for (let k = Math.ceil(from / step); k * step <= to; k++) out.push(k * step);
    return out;
  },

  // timeTicks does so for times in microseconds; from a second on the steps are those of clocks.
  timeTicks(from, to, about) {
    const raw = (to - from) / about;
    const step = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 18000, 43200, 86400].find(s => s * 1e6 >= raw);
    if (raw <= 5e5 || step === undefined) return model.ticks(from, to, about);
    const out = [];
    for (let k = Math.ceil(from / step / 1e6); k * step * 1e6 <= to; k++) out.push(k * step * 1e6);
    return out;
  },

  // clock writes a time since the beginning: from a minute on as minutes and seconds, or hours, minutes and seconds.
  clock(us, fine) {
    if (us < 6e7) return model.span(us, fine);
    const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(fine / 1e6) - 1e-9)));
    const ticks = Math.round(us / 1e6 * Math.pow(10, digits)), per = Math.pow(10, digits);
    const minutes = Math.floor(ticks / per / 60), h = Math.floor(minutes / 60), m = minutes % 60;
    const s = ((ticks - minutes * 60 * per) / per).toFixed(digits);
    const two = x => (x.indexOf('.') === 1 || x.length === 1 ? '0' : '') + x;
    return (h > 0 ? h + ':' + two(String(m)) : m) + ':' + two(s);
  },

  // span writes a time in microseconds, to as many digits as tell apart what is so fine.
  span(us, fine) {
    const [unit, name] = Math.abs(us) >= 7.2e9 ? [3.6e9, 'h'] : Math.abs(us) >= 1.2e8 ? [6e7, 'min'] : Math.abs(us) >= 1e6 ? [1e6, 's'] : Math.abs(us) >= 1e3 ? [1e3, 'ms'] : [1, 'µs'];
    const x = us / unit;
    let digits = Math.abs(x) >= 100 ? 0 : Math.abs(x) >= 10 ? 1 : 2;
    if (fine) digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(fine / unit) - 1e-9)));
    else if (unit === 1) digits = 0;
    return us === 0 ? '0' : x.toFixed(digits) + ' ' + name;
  },
};
if (typeof module !== 'undefined') module.exports = model;
