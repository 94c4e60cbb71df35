// Keeps the page of a run current by server-sent events, and steers the run.
'use strict';
(() => {
  const state = document.getElementById('state'), told = document.getElementById('told');

  // renew puts new content into a section. Charts that are the same stay; one that is read keeps its reader.
  const renew = (id, html) => {
    const section = document.getElementById(id);
    if (section === null) return;
    const fresh = document.createElement('template');
    fresh.innerHTML = html;
    const now = [...section.querySelectorAll('figure.chart')], then = [...fresh.content.querySelectorAll('figure.chart')];
    const name = (f) => f.querySelector('figcaption').textContent;
    if (now.length > 0 && now.map(name).join('\n') === then.map(name).join('\n')) {
      then.forEach((f, i) => swap(now[i], f));
      const rest = [...section.querySelectorAll('.warning')].map((p) => p.outerHTML).join('');
      const wanted = [...fresh.content.querySelectorAll('.warning')];
      if (rest !== wanted.map((p) => p.outerHTML).join('')) {
        section.querySelectorAll('.warning').forEach((p) => p.remove());
        section.querySelector('h2').after(...wanted);
      }
      return;
    }
    const scrolled = [...section.querySelectorAll('.wide')].map((e) => [e.scrollLeft, e.scrollTop]);
    const at = [...section.querySelectorAll('[tabindex]')].indexOf(document.activeElement);
    section.replaceChildren(fresh.content);
    charts.wireAll(section);
    section.querySelectorAll('.wide').forEach((e, i) => { if (scrolled[i]) [e.scrollLeft, e.scrollTop] = scrolled[i]; });
    if (at >= 0) section.querySelectorAll('[tabindex]')[at]?.focus({ preventScroll: true });
  };

  const sources = new WeakMap();
  const swap = (old, fresh) => {
    if (sources.get(old) === fresh.innerHTML) return;
    sources.set(old, fresh.innerHTML);
    const svg = old.querySelector('svg'), at = svg.at, focused = svg === document.activeElement;
    old.replaceChildren(...fresh.childNodes);
    charts.wireAll(old);
    const now = old.querySelector('svg');
    if (focused) now.focus({ preventScroll: true });
    if (at !== null && at !== undefined && now.show) now.show(at);
  };

  const steering = document.querySelectorAll('.steer button');
  const over = (text) => {
    state.textContent = text;
    steering.forEach((b) => { b.disabled = true; });
  };
  const events = new EventSource('events');
  events.addEventListener('section', (e) => {
    const s = JSON.parse(e.data);
    renew(s.id, s.html);
  });
  events.addEventListener('time', (e) => { state.textContent = 'The run trains. Figures of ' + JSON.parse(e.data) + '.'; });
  events.addEventListener('end', () => {
    events.close();
    over('The run has ended. These are its last figures.');
  });
  events.onerror = () => {
    state.textContent = events.readyState === EventSource.CLOSED
      ? 'The run does not answer. Reload the page to try again.' : 'The run does not answer. It may have ended; the page tries again.';
  };

  const steer = async (what, form) => {
    try {
      const answer = await fetch(what, { method: 'POST', body: new URLSearchParams(form) });
      told.textContent = await answer.text();
    } catch {
      told.textContent = 'The run does not answer.';
    }
  };
  document.getElementById('end')?.addEventListener('click', () => {
    if (confirm('End the run after the step under way? Its model is saved.')) steer('end', {});
  });
  document.querySelectorAll('.lower').forEach((b) => b.addEventListener('click', () => steer('learning-rate', { by: b.value })));
})();
