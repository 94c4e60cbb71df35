'use strict';
const $ = id => document.getElementById(id);
let token = '', doc = null, current = null;

// make makes an element with a text and children. Names of models and columns only ever become texts.
function make(tag, properties, ...children) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children);
  return e;
}

function problem(text) {
  $('problem').textContent = text;
  $('problem').hidden = !text;
}

async function ask(path, body) {
  const headers = token ? { Authorization: 'Bearer ' + token } : {};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const reply = await fetch(path, { method: body === undefined ? 'GET' : 'POST', headers, body });
  const text = await reply.text();
  let value;
  try { value = JSON.parse(text); } catch { value = { error: text || reply.statusText }; }
  if (!reply.ok) throw Object.assign(new Error(value.error || reply.statusText), { status: reply.status, text });
  return { value, text };
}

async function load() {
  try {
    doc = (await ask('openapi.json')).value;
    const models = [...new Set((await ask('v2/repository/index', '')).value.map(m => m.name))].sort();
    $('model').replaceChildren(...models.map(name => make('option', { value: name, textContent: name })));
    $('login').hidden = true;
    $('main').hidden = false;
    $('api').hidden = !!token;
    problem('');
    await choose();
  } catch (e) {
    $('login').hidden = e.status !== 401;
    if (e.status === 401) $('token').focus();
    problem(e.status === 401 && !token ? '' : e.message);
  }
}

const resolve = schema => schema.$ref ? doc.components.schemas[schema.$ref.split('/').pop()] : schema;

// choose shows the form of the model that is selected.
async function choose() {
  const name = $('model').value;
  const entry = Object.entries(doc.paths).find(([, p]) => p.post && p.post['x-model'] === name);
  $('buttons').replaceChildren();
  $('fields').replaceChildren();
  $('details').hidden = true;
  $('answer').replaceChildren(make('p', { className: 'faint', textContent: 'Fill in the columns and ask.' }));
  if (!entry) return tensors(name);
  const id = entry[1].post['x-schema'];
  const sequence = doc.components.schemas[id + '.Sequence'];
  const row = doc.components.schemas[id + '.Row'];
  current = { path: entry[0].slice(1), read: () => ({ rows: [values($('fields'))] }) };
  if (!sequence) return fill($('fields'), row);
  const add = () => {
    const n = $('fields').children.length + 1;
    const step = make('fieldset', {}, make('legend', { textContent: 'Step ' + n }));
    fill(step, row);
    $('fields').append(step);
    return step;
  };
  const more = make('button', { type: 'button', textContent: 'Add a step' });
  const less = make('button', { type: 'button', textContent: 'Remove the last step' });
  more.onclick = () => add().querySelector('input, select').focus();
  less.onclick = () => { if ($('fields').children.length > 1) $('fields').lastChild.remove(); };
  $('buttons').append(more, less);
  add();
  current.read = () => ({ sequences: [{ steps: [...$('fields').children].map(values) }] });
}

// fill adds a field for each column.
function fill(into, row) {
  for (const name of row.required) {
    const schema = row.properties[name], types = [schema.type || []].flat();
    const gaps = types.includes('null') || (schema.enum || []).includes(null);
    let field, hint = '';
    if (schema.enum || types.length < 5 && types.includes('boolean') && !types.includes('string')) {
      field = make('select', {});
      if (gaps) field.append(make('option', { value: '', textContent: '(missing)' }));
      for (const v of schema.enum || ['true', 'false']) {
        if (v !== null) field.append(make('option', { value: '=' + v, textContent: v === '' ? '(empty)' : v }));
      }
      if (field.options.length > 1 && gaps) field.selectedIndex = 1;
    } else {
      const text = types.includes('boolean') || types.includes('array');
      field = make('input', { type: 'text', autocomplete: 'off', inputMode: text ? 'text' : 'decimal', required: !gaps });
      hint = schema.description || (text ? 'text' : schema.format === 'int64' ? 'integer' : 'number');
      if (schema.minimum !== undefined) hint += ', from ' + schema.minimum;
      if (schema.maximum !== undefined) hint += ', up to ' + schema.maximum;
      if (schema.examples) {
        const list = make('datalist', { id: 'list' + document.querySelectorAll('datalist').length });
        list.append(...schema.examples.map(v => make('option', { value: v })));
        field.setAttribute('list', list.id);
        into.append(list);
      }
    }
    field.column = name;
    field.number = hint === 'number' || hint.startsWith('number,') || hint.startsWith('integer');
    into.append(make('label', {}, make('span', { textContent: name }, make('small', { textContent: hint })), field));
  }
}

// values are those of the fields: an empty one is a gap.
function values(of) {
  const row = {};
  for (const field of of.querySelectorAll('input, select')) {
    const v = field.value.trim();
    if (field.tagName === 'SELECT') row[field.column] = field.value === '' ? null : field.value.slice(1);
    else if (v === '') row[field.column] = null;
    else row[field.column] = field.number && isFinite(v) ? Number(v) : v;
  }
  return row;
}

// tensors shows a question of the Open Inference Protocol, for a model without columns.
async function tensors(name) {
  const base = 'v2/models/' + encodeURIComponent(name);
  const { value } = await ask(base);
  const inputs = value.inputs.map(i => {
    const shape = i.shape.map(n => n < 0 ? 1 : n);
    return { name: i.name, shape, datatype: i.datatype, data: Array(Math.min(shape.reduce((a, b) => a * b, 1), 100000)).fill(0) };
  });
  const text = make('textarea', { value: JSON.stringify({ inputs }), spellcheck: false });
  $('fields').append(make('label', {}, make('span', { textContent: 'Tensors' }), text));
  current = { path: base + '/infer', read: () => JSON.parse(text.value) };
}

// bars draws probabilities or values.
function bars(values, shares) {
  const list = Object.entries(values);
  if (shares) list.sort((a, b) => b[1] - a[1]);
  return make('ul', {}, ...list.map(([name, v]) => {
    const item = make('li', {}, make('span', { textContent: name }),
      make('span', { textContent: shares ? (100 * v).toFixed(1) + ' %' : String(Number(v.toPrecision(7))) }));
    if (shares) item.append(make('progress', { max: 1, value: v, ariaLabel: name }));
    return item;
  }));
}

function show(answer) {
  if (answer.steps) {
    return answer.steps.map((s, i) => make('fieldset', {}, make('legend', { textContent: 'Step ' + (i + 1) }), ...show(s)));
  }
  if (answer.probabilities) {
    return [make('div', { className: 'class', textContent: answer.class }), bars(answer.probabilities, true)];
  }
  return [bars(answer.values || {}, false)];
}

$('form').onsubmit = async event => {
  event.preventDefault();
  $('ask').disabled = true;
  problem('');
  try {
    const question = current.read();
    $('sent').textContent = JSON.stringify(question, null, 1);
    const { value } = await ask(current.path, JSON.stringify(question));
    $('got').textContent = JSON.stringify(value, null, 1);
    const outputs = (value.outputs || []).map(o => make('div', {}, make('h2', { textContent: o.name }),
      bars(Object.fromEntries(o.data.slice(0, 100).map((v, i) => [String(i), v])), false)));
    $('answer').replaceChildren(...(value.predictions ? value.predictions.flatMap(show) : outputs));
    $('details').hidden = false;
  } catch (e) {
    // The answer to the question before does not stay beside this one.
    $('answer').replaceChildren(make('p', { className: 'faint', textContent: 'There is no answer.' }));
    $('got').textContent = e.text || '';
    $('details').hidden = !e.text;
    problem(e.message);
    $('problem').scrollIntoView({ block: 'nearest' });
  }
  $('ask').disabled = false;
};
$('login').onsubmit = event => {
  event.preventDefault();
  token = $('token').value;
  load();
};
$('model').onchange = () => choose().catch(e => problem(e.message));
load();
