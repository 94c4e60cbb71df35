// The page's canvases, and what is done with pointer and keys.
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const e = model.decode(data);
  if (e.n === 0) return;
  const $ = id => document.getElementById(id);
  const rowHeight = 16, laneGap = 7, mostRows = 10, axis = 22, gutter = 112, plain = '12px system-ui, sans-serif', small = '11px system-ui, sans-serif';
  const rows = model.rows(e, mostRows);
  const shown = data.phases.map(() => true);
  const view = { from: 0, to: e.until };
  const scroller = $('scroller'), canvas = $('timeline'), spacer = $('spacer'), tip = $('tip');
  const lanes = data.lanes.map((name, l) => ({ name, y: 0, height: 0, rows: [] }));
  let height = 4;
  for (const r of rows) lanes[r.lane].rows.push(r);
  for (const l of lanes) {
    l.y = height;
    l.height = l.rows.length * rowHeight;
    for (const r of l.rows) r.y = height + r.row * rowHeight;
    height += l.height + laneGap;
  }

  let ink, faint, grid, back, colours;
  const theme = () => {
    const s = getComputedStyle(document.documentElement), v = n => s.getPropertyValue(n).trim();
    [ink, faint, grid, back] = [v('--ink'), v('--faint'), v('--grid'), v('--back')];
    colours = data.phases.map(p => v('--p' + p.colour));
  };

  // fit gives a canvas its size in the page, and a context in the page's pixels.
  const fit = (c, height) => {
    const r = window.devicePixelRatio || 1, width = c.clientWidth;
    if (c.width !== Math.round(width * r) || c.height !== Math.round(height * r)) {
      c.width = Math.round(width * r);
      c.height = Math.round(height * r);
      c.style.height = height + 'px';
    }
    const g = c.getContext('2d');
    g.setTransform(r, 0, 0, r, 0, 0);
    g.clearRect(0, 0, width, height);
    g.font = plain;
    g.textBaseline = 'middle';
    return [g, width];
  };

  const timeAxis = (g, width, y, bottom) => {
    const ticks = model.timeTicks(view.from, view.to, Math.max(2, (width - gutter) / 110));
    const fine = ticks.length > 1 ? ticks[1] - ticks[0] : 0;
    g.textAlign = 'center';
    for (const t of ticks) {
      const x = gutter + (t - view.from) / (view.to - view.from) * (width - gutter);
      g.fillStyle = grid;
      g.fillRect(Math.round(x), y, 1, bottom - y);
      g.fillStyle = faint;
      if (x + 28 < width) g.fillText(model.clock(t, fine), Math.max(x, gutter + 12), y > 20 ? bottom + 10 : 10);
    }
  };

  const short = (g, text, width) => {
    if (g.measureText(text).width <= width) return text;
    while (text.length > 1 && g.measureText(text + '…').width > width) text = text.slice(0, -1);
    return text + '…';
  };

  const drawTimeline = () => {
    const visible = Math.min(height + axis, Math.max(160, Math.round(window.innerHeight * 0.6)));
    scroller.style.maxHeight = visible + 'px';
    spacer.style.height = height + axis - visible + 'px';
    const [g, width] = fit(canvas, visible), top = scroller.scrollTop;
    timeAxis(g, width, axis - 4, visible);
    g.save();
    g.beginPath();
    g.rect(0, axis, width, visible - axis);
    g.clip();
    for (const l of lanes) {
      const y = l.y - top + axis;
      if (y > visible || y + l.height < axis) continue;
      g.fillStyle = ink;
      g.textAlign = 'left';
      g.fillText(short(g, l.name, gutter - 14), 4, y + Math.min(l.height, visible) / 2);
      g.fillStyle = grid;
      g.fillRect(0, y + l.height + 3, width, 1);
      for (const r of l.rows) {
        const ry = r.y - top + axis;
        if (ry > visible || ry + rowHeight < axis) continue;
        model.bars(e, r.events, view.from, view.to, width - gutter, shown, (x, w, p, share) => {
          g.globalAlpha = 0.25 + 0.75 * share;
          g.fillStyle = colours[p];
          g.fillRect(gutter + x, ry, w > 3 ? w - 1 : w, rowHeight - 2);
          if (w > 60) {
            g.globalAlpha = 1;
            g.fillStyle = back;
            g.font = small;
            g.fillText(short(g, data.phases[p].short, w - 8), gutter + x + 4, ry + (rowHeight - 2) / 2 + 0.5);
            g.font = plain;
          }
        });
        g.globalAlpha = 1;
      }
    }
    g.restore();
    const fine = (view.to - view.from) / 100;
    $('range').textContent = model.clock(view.from, fine) + ' to ' + model.clock(view.to, fine) + ' of ' + model.span(e.until);
  };

  const plot = (c, top, label, paint) => {
    const [g, width] = fit(c, 170), base = 146, high = top > 0 ? top * 1.08 : 1;
    const y = v => base - v / high * (base - 10);
    g.textAlign = 'right';
    for (const t of model.ticks(0, high, 4)) {
      g.fillStyle = grid;
      g.fillRect(gutter, Math.round(y(t)), width - gutter, 1);
      g.fillStyle = faint;
      g.fillText(label(t), gutter - 6, y(t));
    }
    paint(g, width, y, base);
  };

  const drawRate = () => {
    const c = $('rate');
    if (data.rateOf < 0) {
      $('rates').hidden = true;
      return;
    }
    c.style.width = canvas.clientWidth + 'px'; // under the timeline, which may have a scroll bar beside it
    const bins = Math.max(20, Math.min(300, Math.floor((c.clientWidth - gutter) / 3)));
    const r = model.rate(e, data.rateOf, view.from, view.to, bins), top = Math.max(...r);
    plot(c, top, v => v >= 1e6 ? v / 1e6 + ' M' : v >= 1e4 ? v / 1e3 + ' k' : v.toLocaleString('en'), (g, width, y, base) => {
      timeAxis(g, width, 21, base);
      const w = (width - gutter) / bins;
      g.beginPath();
      g.moveTo(gutter, base);
      for (let b = 0; b < bins; b++) {
        g.lineTo(gutter + b * w, y(r[b]));
        g.lineTo(gutter + (b + 1) * w, y(r[b]));
      }
      g.lineTo(width, base);
      g.fillStyle = colours[data.rateOf];
      g.globalAlpha = 0.75;
      g.fill();
      g.globalAlpha = 1;
    });
  };

  const drawPhase = () => {
    const p = +$('phase').value, long = data.phases[p].name;
    const h = model.histogram(e, p, 40);
    if (h === null) return;
    plot($('histogram'), Math.max(...h.counts), v => Number.isInteger(v) ? v.toLocaleString('en') : '', (g, width, y, base) => {
      const w = (width - gutter) / h.counts.length;
      g.fillStyle = colours[p];
      h.counts.forEach((n, b) => n && g.fillRect(gutter + b * w, y(n), w - 1, base - y(n)));
      g.fillStyle = faint;
      for (let k = 0; k <= 4; k++) {
        g.textAlign = k === 0 ? 'left' : k === 4 ? 'right' : 'center';
        g.fillText(model.span(h.low * Math.pow(h.high / h.low, k / 4)), gutter + (width - gutter) * k / 4, base + 10);
      }
    });
    $('histogram').setAttribute('aria-label', 'How many events of ' + long + ' took how long; the summary table has the figures');
    const c = $('course'), bins = Math.max(20, Math.min(250, Math.floor((c.clientWidth - gutter) / 4)));
    const m = model.course(e, p, view.from, view.to, bins);
    plot(c, m.top, v => model.span(v), (g, width, y, base) => {
      timeAxis(g, width, 21, base);
      const w = (width - gutter) / bins;
      g.fillStyle = colours[p];
      for (let b = 0; b < bins; b++) {
        if (m.count[b] === 0) continue;
        const x = gutter + b * w;
        g.globalAlpha = 0.4;
        g.fillRect(x, y(m.most[b]), Math.max(1, w - 1), Math.max(1, y(m.least[b]) - y(m.most[b])));
        g.globalAlpha = 1;
        g.fillRect(x, y(m.mean[b]) - 1, Math.max(1, w - 1), 2);
      }
    });
    c.setAttribute('aria-label', 'How long events of ' + long + ' took over the time; the summary table has the figures');
  };

  let asked = false;
  const draw = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      drawTimeline();
      drawRate();
      drawPhase();
    });
  };

  const show = (from, to) => {
    const least = Math.min(e.until, 20), size = Math.min(e.until, Math.max(least, to - from));
    view.from = Math.min(Math.max(0, from), e.until - size);
    view.to = view.from + size;
    draw();
  };
  const zoom = (factor, part) => {
    const size = (view.to - view.from) * factor, t = view.from + (view.to - view.from) * part;
    show(t - size * part, t + size * (1 - part));
  };
  const pan = part => show(view.from + (view.to - view.from) * part, view.to + (view.to - view.from) * part);

  const place = (ev, c) => {
    const box = c.getBoundingClientRect(), x = ev.clientX - box.left;
    return { part: Math.max(0, Math.min(1, (x - gutter) / (box.width - gutter))), x, y: ev.clientY - box.top, width: box.width - gutter };
  };

  const tell = ev => {
    const at = place(ev, canvas), y = at.y - axis + scroller.scrollTop;
    const row = at.y > axis && at.x >= gutter && rows.find(r => y >= r.y && y < r.y + rowHeight);
    const size = view.to - view.from;
    const i = row ? model.at(e, row.events, view.from + at.part * size, 2 * size / at.width, shown) : -1;
    tip.hidden = i < 0;
    if (i < 0) return;
    const lines = [data.phases[e.phase[i]].name, data.lanes[e.lane[i]],
      'begins at ' + model.clock(e.start[i], 1) + ', ' + new Date(data.origin + e.start[i] / 1000).toISOString(),
      'takes ' + model.span(e.end[i] - e.start[i])];
    if (e.examples[i] > 0) lines.push(e.examples[i].toLocaleString('en') + ' examples');
    tip.replaceChildren(...lines.map((t, k) => Object.assign(document.createElement(k ? 'div' : 'strong'), { textContent: t })));
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(ev.clientX + 14, window.innerWidth - box.width - 8)) + 'px';
    tip.style.top = (ev.clientY + 18 + box.height > window.innerHeight ? ev.clientY - box.height - 10 : ev.clientY + 18) + 'px';
  };

  for (const c of [canvas, $('rate'), $('course')]) {
    let drag = null;
    c.addEventListener('wheel', ev => {
      if (ev.ctrlKey || ev.metaKey || ev.altKey) {
        ev.preventDefault();
        zoom(Math.exp(Math.max(-1, Math.min(1, ev.deltaY * 0.004))), place(ev, c).part);
      } else if (ev.shiftKey || Math.abs(ev.deltaX) > Math.abs(ev.deltaY)) {
        ev.preventDefault();
        pan((ev.deltaX || ev.deltaY) / place(ev, c).width);
      }
    }, { passive: false });
    c.addEventListener('pointerdown', ev => {
      if (ev.button !== 0) return;
      drag = { x: ev.clientX, from: view.from, size: view.to - view.from };
      c.setPointerCapture(ev.pointerId);
      tip.hidden = true;
    });
    c.addEventListener('pointermove', ev => {
      if (drag) {
        const moved = (drag.x - ev.clientX) / place(ev, c).width * drag.size;
        show(drag.from + moved, drag.from + moved + drag.size);
      } else if (c === canvas) tell(ev);
    });
    for (const end of ['pointerup', 'pointercancel']) c.addEventListener(end, () => { drag = null; });
    c.addEventListener('dblclick', ev => zoom(ev.shiftKey ? 3 : 1 / 3, place(ev, c).part));
  }
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  canvas.addEventListener('keydown', ev => {
    const does = { '+': () => zoom(0.5, 0.5), '=': () => zoom(0.5, 0.5), '-': () => zoom(2, 0.5), 'ArrowLeft': () => pan(-0.2),
      'ArrowRight': () => pan(0.2), 'ArrowUp': () => scroller.scrollBy(0, -40), 'ArrowDown': () => scroller.scrollBy(0, 40),
      '0': () => show(0, e.until), 'Escape': () => { tip.hidden = true; }, 'Home': () => pan(-1e9), 'End': () => pan(1e9) }[ev.key];
    if (!does || ev.ctrlKey || ev.metaKey || ev.altKey) return;
    ev.preventDefault();
    does();
  });
  $('in').addEventListener('click', () => zoom(0.5, 0.5));
  $('out').addEventListener('click', () => zoom(2, 0.5));
  $('left').addEventListener('click', () => pan(-0.4));
  $('right').addEventListener('click', () => pan(0.4));
  $('all').addEventListener('click', () => show(0, e.until));
  $('phase').addEventListener('change', draw);
  document.querySelectorAll('#legend input').forEach(box => {
    shown[+box.value] = box.checked;
    box.addEventListener('change', () => {
      shown[+box.value] = box.checked;
      draw();
    });
  });
  scroller.addEventListener('scroll', () => { tip.hidden = true; draw(); });
  window.addEventListener('scroll', () => { tip.hidden = true; });
  window.addEventListener('resize', draw);
  const again = () => { theme(); draw(); };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  document.documentElement.classList.add('drawn');
  again();
})();
