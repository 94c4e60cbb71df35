// Charts of learning: the values at the pointer, or at the place that the arrow keys choose.
'use strict';
const charts = (() => {
  const ns = 'http://www.w3.org/2000/svg';

  // wire makes a drawing answer pointer and keys. Its member show tells the values at x.
  const wire = (svg) => {
    const lines = [...svg.querySelectorAll('g[data-points]')].map((g) => ({
      label: g.dataset.label,
      points: g.dataset.points.split(';').filter(Boolean).map((p) => {
        const [x, y, at, value] = p.split(',');
        return { x: +x, y: +y, at, value };
      }),
    })).filter((l) => l.points.length > 0);
    if (lines.length === 0) return;
    const mark = svg.appendChild(document.createElementNS(ns, 'path'));
    mark.setAttribute('stroke', 'var(--faint)');
    mark.setAttribute('stroke-dasharray', '3 3');
    const said = svg.parentNode.appendChild(document.createElement('p'));
    said.className = 'hint';
    said.setAttribute('aria-live', 'polite');
    svg.at = null;
    svg.show = (x) => {
      svg.at = x;
      const near = lines.map((l) => ({ label: l.label,
        point: l.points.reduce((a, b) => (Math.abs(b.x - x) < Math.abs(a.x - x) ? b : a)) }));
      const first = near.reduce((a, b) => (Math.abs(b.point.x - x) < Math.abs(a.point.x - x) ? b : a)).point;
      mark.setAttribute('d', 'M' + first.x + ' 10V226');
      said.textContent = 'iteration ' + first.at + ': ' + near.map((n) => n.label + ' ' + n.point.value).join(', ');
    };
    const hide = () => { mark.removeAttribute('d'); said.textContent = ''; svg.at = null; };
    svg.addEventListener('pointermove', (e) => {
      const r = svg.getBoundingClientRect();
      svg.show((e.clientX - r.left) / r.width * 640);
    });
    svg.addEventListener('pointerleave', hide);
    svg.addEventListener('blur', hide);
    svg.addEventListener('keydown', (e) => {
      if (e.key === 'Escape') hide();
      const xs = lines[0].points.map((p) => p.x), last = xs.length - 1;
      const found = xs.findIndex((x) => x >= svg.at), i = found < 0 ? last : found;
      const fresh = svg.at === null;
      const to = { ArrowLeft: fresh ? last : i - 1, ArrowRight: fresh ? 0 : i + 1, Home: 0, End: last }[e.key];
      if (to === undefined) return;
      e.preventDefault();
      svg.show(xs[Math.max(0, Math.min(last, to))]);
    });
  };
  const wireAll = (root) => root.querySelectorAll('.chart svg').forEach(wire);
  wireAll(document);
  return { wireAll };
})();
