'use strict';
const page = JSON.parse(document.getElementById('graph').textContent);
const element = id => document.getElementById(id);
const CHARACTER = 6.7, LINE = 15, GAP_X = 18, GAP_Y = 36;
const MOST_OPEN = 3000;  // nodes up to which functions of the user's are shown open at first

// ------------------------------------------------------------------ from stages to drawn nodes

// What is open or closed holds for all stages: loops and calls by their path, functions by name.
const opened = new Set(), closed = new Set();

const linesOf = numbers => (numbers || []).map(i => page.places[i]);

function labelOf(node, inside) {
  if (node.parameter !== undefined)
    return (!inside && page.parameters[node.parameter]) || 'parameter ' + node.parameter;
  const value = node.op === 'constant' && /^value = (.*)$/m.exec(node.attributes || '');
  return value && value[1].length <= 16 ? value[1] : node.op;
}

// The nodes that values need, operands first.
function ordered(outputs) {
  const order = [], state = new Map(), stack = [];
  for (const [root] of outputs) {
    stack.push(root);
    while (stack.length) {
      const at = stack[stack.length - 1], next = state.get(at) || 0, node = page.nodes[at];
      if (next < node.inputs.length) {
        state.set(at, next + 1);
        if (!state.has(node.inputs[next][0])) stack.push(node.inputs[next][0]);
      } else {
        stack.pop();
        if (state.get(at) !== Infinity) order.push(at);
        state.set(at, Infinity);
      }
    }
  }
  return order;
}

// Draws the nodes of a graph or a body into `drawn`; `operands` are those of the node around it.
function instantiate(outputs, path, operands, drawn) {
  const keys = new Map();
  for (const number of ordered(outputs)) {
    const node = page.nodes[number], key = path + number;
    const item = {key, number, node, label: labelOf(node, path !== ''), inside: path,
                  inputs: node.inputs.map(([n]) => keys.get(n)), types: node.types,
                  lines: linesOf(node.lines), range: node.range, bodies: node.bodies};
    if (path !== '' && node.parameter !== undefined && operands)
      item.inputs = [operands[node.parameter]].filter(k => k !== undefined);
    if (node.bodies && opened.has(key)) {
      item.isOpen = true;
      node.bodies.forEach((body, b) => {
        const given = body.operands.map(o => o < 0 ? undefined : item.inputs[o]);
        const results = instantiate(body.outputs, `${key}/${b}/`, given, drawn);
        item.inner = (item.inner || []).concat(results);
      });
      item.inputs = item.inputs.concat(item.inner);
    }
    keys.set(number, key);
    drawn.push(item);
  }
  return outputs.map(([n]) => keys.get(n));
}

// Gives nodes the call of the user's function that made them: a call begins where the first of its
// operations comes again.
function findCalls(drawn) {
  const calls = new Map(), numbers = new Map();
  for (const item of drawn) {
    const place = item.lines[0];
    if (!place || !place.function || item.inside !== '' || item.node.parameter !== undefined ||
        item.node.op === 'constant')
      continue;
    const what = item.node.op + ' ' + place.at;
    // Functions of several files may have one name.
    const id = place.at.replace(/:[0-9]+$/, '') + ' ' + place.function;
    let call = calls.get(id);
    if (!call) calls.set(id, call = {first: what, number: 0});
    if (what === call.first) {
      call.number = (numbers.get(place.function) || 0) + 1;
      numbers.set(place.function, call.number);
    }
    item.call = item.fold = `${place.function} #${call.number}`;
  }
  // Equal constants are one, wherever they were made: one belongs to the call that alone needs it.
  const users = new Map();
  for (const item of drawn)
    for (const key of item.inputs) users.set(key, (users.get(key) || new Set()).add(item.call));
  for (const item of drawn)
    if (item.node.op === 'constant' && item.inside === '' && users.has(item.key) &&
        users.get(item.key).size === 1)
      [item.call] = users.get(item.key), item.fold = item.call;
  // What is inside of a loop goes with it.
  const callOf = new Map(drawn.map(item => [item.key, item.call]));
  for (const item of drawn)
    if (item.inside !== '' && !item.call) item.call = callOf.get(item.inside.split('/')[0]);
}

// Draws closed calls as one node each.
function merged(drawn) {
  const image = new Map(), result = [], groups = new Map();
  for (const item of drawn) {
    if (!item.call || !closed.has(item.call)) {
      image.set(item.key, item.key);
      continue;
    }
    image.set(item.key, 'call ' + item.call);
    if (!groups.has(item.call))
      groups.set(item.call, {key: 'call ' + item.call, label: item.call, members: [], inputs: [],
                             types: [], lines: [], call: item.call, fold: item.call, isCall: true,
                             inside: ''});
    groups.get(item.call).members.push(item);
  }
  const added = new Set();
  for (const item of drawn) {
    const group = item.call && groups.get(item.call);
    if (!group) {
      item.inputs = item.inputs.map(k => image.get(k) || k);
      result.push(item);
      continue;
    }
    for (const k of item.inputs)
      if (image.get(k) !== group.key && !group.inputs.includes(image.get(k)))
        group.inputs.push(image.get(k));
    for (const l of item.lines) if (!group.lines.includes(l)) group.lines.push(l);
    if (!added.has(group.key)) added.add(group.key), result.push(group);
  }
  return result;
}

// Steps; those inside of a closed loop are drawn as the loop.
function drawnSteps(steps) {
  const key = i => 'step ' + i;
  const image = steps.map((step, i) => {
    let shown = i;
    for (let at = step.inside; at >= 0; at = steps[at].inside) if (closed.has(key(at))) shown = at;
    return shown;
  });
  const around = new Set(steps.map(step => step.inside));
  const drawn = [], inputs = new Map();
  steps.forEach((step, i) => {
    const own = image[i];
    if (!inputs.has(own)) inputs.set(own, new Set());
    for (const r of step.reads) if (image[r] !== own) inputs.get(own).add(key(image[r]));
    // A step that reads nothing of its loop is shown below it, too.
    if (own === i && step.inside >= 0) inputs.get(own).add(key(step.inside));
    if (own !== i) return;
    drawn.push({key: key(i), label: step.name || step.kind, kind: step.kind, step,
                types: step.types, lines: linesOf(step.lines), inside: '',
                fold: around.has(i) ? key(i) : undefined});
  });
  drawn.forEach(n => n.inputs = [...inputs.get(Number(n.key.slice(5)))]);
  return drawn;
}

function drawnNodes(s) {
  const stage = page.stages[s];
  if (stage.steps) return drawnSteps(stage.steps);
  let drawn = [];
  const results = instantiate(stage.outputs, '', null, drawn);
  findCalls(drawn);
  drawn = merged(drawn);
  const image = new Map(drawn.flatMap(d => (d.members || [d]).map(m => [m.key, d.key])));
  stage.outputs.forEach(([number, index, name], i) => {
    const types = [page.nodes[number].types[index]];
    drawn.push({key: 'output ' + i, label: name, kind: 'output', inputs: [image.get(results[i])],
                types, lines: [], inside: ''});
  });
  return drawn;
}

// --------------------------------------------------------------------------------------- layout

// Layers from top to bottom, each node below what it needs; edges that would go round are left out.
function layout(nodes) {
  const at = new Map(nodes.map((n, i) => [n.key, i]));
  const inputs = nodes.map(n => [...new Set(n.inputs.map(k => at.get(k)))]
      .filter(i => i !== undefined));
  const layer = new Int32Array(nodes.length).fill(-1), state = new Uint8Array(nodes.length);
  for (let root = 0; root < nodes.length; ++root) {
    const stack = state[root] ? [] : [[root, 0]];
    if (stack.length) state[root] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1], own = inputs[top[0]];
      if (top[1] < own.length) {
        const next = own[top[1]++];
        if (state[next] === 0) state[next] = 1, stack.push([next, 0]);
        else if (state[next] === 1) own.splice(--top[1], 1);
      } else {
        layer[top[0]] = own.reduce((m, i) => Math.max(m, layer[i] + 1), 0);
        state[top[0]] = 2;
        stack.pop();
      }
    }
  }
  const users = nodes.map(() => []);
  inputs.forEach((own, i) => own.forEach(k => users[k].push(i)));
  // Leaves stand just above what needs them.
  nodes.forEach((n, i) => {
    if (inputs[i].length === 0 && users[i].length)
      layer[i] = Math.max(0, Math.min(...users[i].slice(0, 64).map(u => layer[u])) - 1);
  });
  const layers = [];
  nodes.forEach((n, i) => (layers[layer[i]] = layers[layer[i]] || []).push(i));
  const rows = layers.filter(Boolean), x = new Float64Array(nodes.length);
  nodes.forEach(n => {
    n.lines = n.lines || [];
    n.title = n.label.length > 34 ? n.label.slice(0, 33) + '\u2026' : n.label;
    n.below = (n.types && n.types.length ? n.types[0] : '').slice(0, 34);
    n.w = Math.max(n.title.length, n.below.length, 3) * CHARACTER + 14;
    n.h = LINE * (n.below ? 2 : 1) + 8;
  });
  const place = (row, wish) => {
    let right = -Infinity, shift = 0;
    for (const i of row) {
      x[i] = Math.max(wish(i), right + nodes[i].w / 2);
      right = x[i] + nodes[i].w / 2 + GAP_X;
      shift += wish(i) - x[i];
    }
    for (const i of row) x[i] += shift / row.length;
  };
  for (const row of rows) place(row, () => 0);
  for (let sweep = 0; sweep < 6; ++sweep) {
    const near = sweep % 2 ? users : inputs;
    for (const row of sweep % 2 ? [...rows].reverse() : rows) {
      const wish = new Map(row.map(i => [i, near[i].length
          ? near[i].reduce((s, k) => s + x[k], 0) / near[i].length : x[i]]));
      row.sort((a, b) => wish.get(a) - wish.get(b) || a - b);
      place(row, i => wish.get(i));
    }
  }
  let y = 0;
  for (const row of rows) {
    const high = Math.max(...row.slice(0, 256).map(i => nodes[i].h));
    for (const i of row) nodes[i].x = x[i], nodes[i].y = y + high / 2;
    y += high + GAP_Y;
  }
  const edges = [];
  nodes.forEach((n, i) => new Set(n.inputs.map(k => at.get(k))).forEach(k => {
    if (k !== undefined) edges.push([nodes[k], n]);
  }));
  return {nodes, edges, at};
}

// ---------------------------------------------------------------------------------------- panes

let selected = null, hits = [], hit = -1;
const COLOURS = {parameter: '#dcebfa', constant: '#eeeeee', loop: '#e6dcf5', call: '#d9f0e1',
                 output: '#fde8cf', kernel: '#fff3c4', node: '#ffffff'};

function colourOf(n) {
  if (n.kind === 'parameter' || (n.node && n.node.parameter !== undefined))
    return COLOURS.parameter;
  if (n.isCall) return COLOURS.call;
  if (n.node && n.node.op === 'constant') return COLOURS.constant;
  if (n.bodies || n.kind === 'loop') return COLOURS.loop;
  return COLOURS[n.kind] || COLOURS.node;
}

class Pane {
  constructor(id) {
    this.box = element(id);
    this.canvas = this.box.querySelector('canvas');
    this.context = this.canvas.getContext('2d');
    this.scale = 1, this.left = 0, this.top = 0;
    this.graph = {nodes: [], edges: [], at: new Map()};
    let drag = null;
    this.canvas.addEventListener('pointerdown', e => {
      drag = {x: e.clientX, y: e.clientY, moved: false};
      this.canvas.setPointerCapture(e.pointerId);
    });
    this.canvas.addEventListener('pointermove', e => {
      if (!drag) return this.hover(e);
      const dx = e.clientX - drag.x, dy = e.clientY - drag.y;
      if (Math.abs(dx) + Math.abs(dy) > 3) drag.moved = true;
      if (!drag.moved) return;
      this.left -= dx / this.scale, this.top -= dy / this.scale;
      drag.x = e.clientX, drag.y = e.clientY;
      redraw();
    });
    this.canvas.addEventListener('pointerup', e => {
      if (drag && !drag.moved) choose(this.under(e));
      drag = null;
    });
    this.canvas.addEventListener('pointerleave', () => element('tip').style.display = 'none');
    this.canvas.addEventListener('dblclick', e => { const n = this.under(e); if (n) toggle(n); });
    this.canvas.addEventListener('wheel', e => {
      e.preventDefault();
      const r = this.canvas.getBoundingClientRect();
      this.zoom(Math.exp(-e.deltaY * 0.0015), e.clientX - r.left, e.clientY - r.top);
    }, {passive: false});
  }

  show(s) {
    this.stage = s;
    this.graph = layout(drawnNodes(s));
    this.box.querySelector('.title').textContent = page.stages[s].name;
    const others = k => page.stages[k] && page.stages[k].outputs
        ? new Set(ordered(page.stages[k].outputs)) : null;
    const before = others(s - 1), behind = others(s + 1);
    for (const n of this.graph.nodes) {
      if (n.number === undefined || n.inside !== '') continue;
      n.isNew = before !== null && !before.has(n.number);
      n.goes = behind !== null && !behind.has(n.number);
    }
  }
  fit() {
    const {width, height} = this.size(), nodes = this.graph.nodes;
    let a = Infinity, b = -Infinity, c = Infinity, d = -Infinity;
    for (const n of nodes) {
      a = Math.min(a, n.x - n.w / 2), b = Math.max(b, n.x + n.w / 2);
      c = Math.min(c, n.y - n.h / 2), d = Math.max(d, n.y + n.h / 2);
    }
    if (!nodes.length) a = b = c = d = 0;
    this.scale = Math.min(1.4, (width - 30) / (b - a + 1), (height - 50) / (d - c + 1));
    this.left = (a + b) / 2 - width / 2 / this.scale;
    this.top = (c + d) / 2 - (height + 20) / 2 / this.scale;
  }
  zoom(factor, px, py) {
    const scale = Math.min(4, Math.max(0.002, this.scale * factor));
    this.left += px / this.scale - px / scale, this.top += py / this.scale - py / scale;
    this.scale = scale;
    redraw();
  }
  centre(n) {
    const {width, height} = this.size();
    this.scale = Math.max(this.scale, 0.8);
    this.left = n.x - width / 2 / this.scale, this.top = n.y - height / 2 / this.scale;
  }
  size() { return {width: this.canvas.clientWidth, height: this.canvas.clientHeight}; }
  under(e) {
    const r = this.canvas.getBoundingClientRect();
    const x = this.left + (e.clientX - r.left) / this.scale;
    const y = this.top + (e.clientY - r.top) / this.scale;
    return this.graph.nodes.find(n => Math.abs(n.x - x) <= n.w / 2 && Math.abs(n.y - y) <= n.h / 2);
  }
  hover(e) {
    const n = this.under(e), tip = element('tip');
    tip.style.display = n ? 'block' : 'none';
    if (!n) return;
    tip.textContent = tipOf(n);
    tip.style.left = Math.min(e.clientX + 14, innerWidth - 430) + 'px';
    tip.style.top = Math.min(e.clientY + 14, innerHeight - 120) + 'px';
  }

  draw() {
    const {width, height} = this.size(), dense = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * dense) ||
        this.canvas.height !== Math.round(height * dense)) {
      this.canvas.width = Math.round(width * dense);
      this.canvas.height = Math.round(height * dense);
    }
    const c = this.context, s = this.scale;
    c.setTransform(dense, 0, 0, dense, 0, 0);
    c.clearRect(0, 0, width, height);
    c.setTransform(s * dense, 0, 0, s * dense, -this.left * s * dense, -this.top * s * dense);
    const a = this.left, b = a + width / s, t = this.top, u = t + height / s;
    // From far away edges are straight and thin, those of a few pixels are not seen, and of all
    // that would be drawn over each other one is drawn.
    const far = s < 0.35, taken = new Set();
    const cell = (x, y) => Math.floor((x - a) * s / 4) * 1024 + Math.floor((y - t) * s / 4);
    const isTaken = key => taken.has(key) || !taken.add(key);
    c.strokeStyle = far ? '#b8c4cf' : '#8496a6';
    c.lineWidth = far ? 0.7 / s : 1.2;
    c.beginPath();
    for (const [from, to] of this.graph.edges) {
      const y0 = from.y + from.h / 2, y1 = to.y - to.h / 2;
      if (Math.max(from.x, to.x) < a || Math.min(from.x, to.x) > b) continue;
      if (Math.max(y0, y1) < t || Math.min(y0, y1) > u) continue;
      if (far && ((Math.abs(from.x - to.x) + Math.abs(y1 - y0)) * s < 4 ||
                  isTaken(cell(from.x, y0) * 1048576 + cell(to.x, y1)))) continue;
      c.moveTo(from.x, y0);
      if (far) c.lineTo(to.x, y1);
      else c.bezierCurveTo(from.x, y0 + 18, to.x, y1 - 18, to.x, y1);
    }
    c.stroke();
    const found = new Set(hits);
    const stands = n => n.key === selected || found.has(n.key);
    taken.clear();
    const visible = this.graph.nodes.filter(
        n => n.x + n.w / 2 > a && n.x - n.w / 2 < b && n.y + n.h / 2 > t && n.y - n.h / 2 < u &&
            (!far || n.h * s > 4 || stands(n) || !isTaken(cell(n.x, n.y))));
    if (far) visible.sort((m, n) => stands(m) - stands(n));
    const text = s > 0.35;
    c.font = '11px ui-monospace, monospace';
    c.textAlign = 'center';
    for (const n of visible) {
      c.fillStyle = found.has(n.key) ? '#ffe14d' : colourOf(n);
      c.fillRect(n.x - n.w / 2, n.y - n.h / 2, n.w, n.h);
      const marked = n.isNew || n.goes || n.key === selected;
      if (s > 0.12 || marked) {
        c.strokeStyle = n.key === selected ? '#0b66d8' : n.isNew ? '#1a9850' : n.goes ? '#d73027'
            : '#8496a6';
        c.lineWidth = marked ? Math.max(2, 1 / s) : 1;
        c.strokeRect(n.x - n.w / 2, n.y - n.h / 2, n.w, n.h);
      }
      if (!text) continue;
      c.fillStyle = '#1c2733';
      c.fillText(n.title, n.x, n.y - n.h / 2 + LINE);
      c.fillStyle = '#5a6b7b';
      if (n.below) c.fillText(n.below, n.x, n.y - n.h / 2 + 2 * LINE);
    }
  }
}

// ------------------------------------------------------------------------------- what users see

function tipOf(n) {
  const lines = [n.label + (n.types && n.types.length ? ': ' + n.types.join(', ') : '')];
  if (n.node && n.node.attributes) lines.push(n.node.attributes);
  for (const l of n.lines) lines.push(l.at + (l.text ? '  ' + l.text.trim() : ''));
  if (n.range) lines.push('values: ' + n.range.join('; '));
  if (n.call) lines.push('in ' + n.call);
  if (n.bodies || n.fold) lines.push(`(a double click ${isClosed(n) ? 'opens' : 'closes'} it)`);
  return lines.join('\n');
}

function add(parent, tag, text) {
  const e = document.createElement(tag);
  e.textContent = text;
  parent.appendChild(e);
  return e;
}

function describe(n) {
  const side = element('side');
  side.textContent = '';
  if (!n) {
    add(side, 'p', 'Hover over a node to see what it is; click to keep it here. A wheel zooms, ' +
        'dragging moves. Green: made by this pass. Red: the next one replaces it.');
    const rewrites = page.stages[stage].rewrites || [];
    if (rewrites.length) add(side, 'h2', 'Rewrites of this pass');
    for (const r of rewrites) {
      const list = add(side, 'dl', '');
      list.className = 'rewrite';
      add(list, 'dt', r.rule);
      add(list, 'dd', r.before + '\n\u2192 ' + r.after);
      if (r.lines.length) add(list, 'dd', linesOf(r.lines).map(l => l.at).join(', '));
    }
    return;
  }
  add(side, 'h2', n.label);
  const list = add(side, 'dl', '');
  const row = (name, value) => { add(list, 'dt', name); add(list, 'dd', value); };
  if (n.types && n.types.length) row('type', n.types.join('\n'));
  if (n.node && n.node.attributes) row('attributes', n.node.attributes);
  if (n.range) row('values', n.range.join('\n'));
  if (n.lines.length)
    row('lines', n.lines.map(l => l.at + (l.text ? '\n    ' + l.text.trim() : '')).join('\n'));
  if (n.call) row('function', n.call);
  if (n.bodies || n.fold) {
    const button = add(side, 'button', isClosed(n) ? 'Expand' : 'Collapse');
    button.id = 'toggle';
    button.addEventListener('click', () => toggle(n));
  }
  if (!n.step) return;
  row('kind', n.step.kind);
  const p = n.step.profile;
  if (p) {
    row('profile', `${p.calls} calls, ${(p.seconds * 1e3).toPrecision(4)} ms, ` +
        `${(p.share * 100).toFixed(1)} % of the time, ${p.bytes} bytes, ${p.threads} threads`);
  } else if (n.step.kind !== 'parameter' && n.step.kind !== 'output') {
    row('profile', page.profiled ? 'none' : 'the function was compiled without the option profile');
  }
  if (n.step.code) add(side, 'pre', n.step.code);
}

const isClosed = n => n.bodies ? !opened.has(n.key) : closed.has(n.fold);

function toggle(n) {
  if (n.bodies) opened.has(n.key) ? opened.delete(n.key) : opened.add(n.key);
  else if (n.fold) closed.has(n.fold) ? closed.delete(n.fold) : closed.add(n.fold);
  else return;
  rebuild();
  const now = panes[0].graph.nodes.find(d => d.key === n.key) ||
      panes[0].graph.nodes.find(d => d.fold === n.fold);
  choose(now || null);
}

function choose(n) {
  selected = n ? n.key : null;
  describe(n);
  redraw();
}

let stage = 0, asked = false;
const panes = [new Pane('first'), new Pane('second')];
const shown = () => panes.filter(p => !p.box.hidden);

function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    shown().forEach(p => p.draw());
  });
}

function rebuild() {
  panes[0].show(stage);
  if (!panes[1].box.hidden) panes[1].show(Math.min(stage + 1, page.stages.length - 1));
  search(false);
  redraw();
}

function go(s) {
  stage = Math.max(0, Math.min(page.stages.length - 1, s));
  element('stage').value = stage;
  element('doc').textContent = page.stages[stage].doc;
  element('previous').disabled = stage === 0;
  element('next').disabled = stage === page.stages.length - 1;
  rebuild();
  shown().forEach(p => p.fit());
  choose(null);
}

const textOf = n => [n.label, n.node ? n.node.op : '', ...(n.types || []), n.call || '',
                     ...n.lines.map(l => l.at + ' ' + l.text)].join(' ').toLowerCase();

function search(moves) {
  const wanted = element('search').value.trim().toLowerCase();
  const found = wanted ? panes[0].graph.nodes.filter(n => textOf(n).includes(wanted)) : [];
  hits = found.map(n => n.key);
  if (moves && found.length) {
    hit = (hit + 1) % found.length;
    panes[0].centre(found[hit]);
    choose(found[hit]);
  } else {
    hit = -1;
  }
  element('found').textContent = !wanted ? '' :
      found.length === 0 ? 'nothing found' : hit < 0 ? `${found.length} found`
                                                     : `${hit + 1} of ${found.length}`;
  redraw();
}

function setAll(open) {
  opened.clear(), closed.clear();
  // Loops inside of loops are known once those around them are open.
  const all = [...page.stages.keys()];
  for (let more = open; more;) {
    more = false;
    for (const n of all.flatMap(drawnNodes))
      if (n.bodies && !opened.has(n.key)) opened.add(n.key), more = true;
  }
  if (!open)
    all.forEach(s => drawnNodes(s).forEach(n => n.fold && closed.add(n.fold)));
  rebuild();
  shown().forEach(p => p.fit());
}

element('name').textContent = page.name;
page.stages.forEach((s, i) => {
  const option = add(element('stage'), 'option', `${i + 1}/${page.stages.length} ${s.name}`);
  option.value = i;
});
element('stage').addEventListener('change', e => go(Number(e.target.value)));
element('previous').addEventListener('click', () => go(stage - 1));
element('next').addEventListener('click', () => go(stage + 1));
element('fit').addEventListener('click', () => { shown().forEach(p => p.fit()); redraw(); });
element('open').addEventListener('click', () => setAll(true));
element('close').addEventListener('click', () => setAll(false));
element('beside').addEventListener('change', e => {
  element('second').hidden = !e.target.checked;
  rebuild();
  shown().forEach(p => p.fit());
});
element('search').addEventListener('input', () => search(false));
element('search').addEventListener('keydown', e => { if (e.key === 'Enter') search(true); });
addEventListener('keydown', e => {
  if (e.target.tagName === 'INPUT' || e.target.tagName === 'SELECT') return;
  if (e.key === 'ArrowRight') go(stage + 1);
  if (e.key === 'ArrowLeft') go(stage - 1);
});
addEventListener('resize', redraw);
if (page.nodes.length > MOST_OPEN)
  drawnNodes(0).forEach(n => n.fold && closed.add(n.fold));
go(0);
