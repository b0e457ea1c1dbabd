// Opens pages in Chromium and checks what a reader would see. usage: node check.js SHOTS PAGE.html...
// The result of each page is next to it, PAGE.json. Prints one line per fault; the exit code is their number
// (at most 99).
'use strict';
const fs = require('fs');
const path = require('path');
const { chromium } = require('playwright-core');

const shots = process.argv[2];
let faults = 0;

function fault(page, what) {
  faults++;
  console.log('FAULT ' + path.basename(page) + ': ' + what);
}

async function open(browser, file, options) {
  const usual = { viewport: { width: 1100, height: 900 }, reducedMotion: 'reduce' };
  const context = await browser.newContext(Object.assign(usual, options));
  const page = await context.newPage();
  page.on('console', m => { if (['error', 'warning'].includes(m.type())) fault(file, 'console: ' + m.text()); });
  page.on('pageerror', e => fault(file, 'script: ' + e.message));
  page.on('dialog', d => { fault(file, 'dialog: ' + d.message()); d.dismiss(); });
  page.on('request', r => {
    if (r.url().split('#')[0] !== 'file://' + encodeURI(file)) fault(file, 'request: ' + r.url());
  });
  await page.goto('file://' + encodeURI(file));
  return { context, page };
}

// What holds in any state of a page.
async function structure(page, file) {
  const found = await page.evaluate(() => {
    const out = [];
    const say = (good, what) => { if (!good) out.push(what); };
    say(document.querySelectorAll('h1').length === 1, 'one h1');
    const all = (s, from) => Array.from((from || document).querySelectorAll(s));
    const answer = document.querySelector('#answer p');
    say(answer && answer.textContent.length > 30, 'an answer');
    say(document.querySelector('#origin pre'), 'the command');
    say(!all('img,iframe,object,embed,link,audio,video,form,base').length, 'no element that loads or sends');
    say(all('script').length === 2, 'two scripts, found ' + all('script').length);
    say(all('[style]:not(#tip)').every(e => !e.getAttribute('style')), 'no style attributes');
    const handler = e => Array.from(e.attributes).some(a => /^on/i.test(a.name));
    say(!all('*').some(handler), 'no handlers in attributes');
    const values = e => Array.from(e.attributes).filter(a => a.name !== 'data-t').map(a => a.value).join(' ');
    say(!/\b(NaN|undefined|Infinity|-?inf)\b/.test(all('svg *').map(values).join(' ')), 'numbers in figures');
    all('svg').forEach(s => say(s.getAttribute('aria-label') || s.parentNode.closest('svg'), 'a figure has no label'));
    all('table').forEach(t => {
      say(t.caption && t.caption.textContent, 'table without caption');
      say(t.tHead && all('th', t.tHead).every(h => h.scope === 'col'), 'column heads have scope');
      say(Array.from(t.tBodies[0].rows).every(r => r.querySelector('th[scope=row]')), 'row heads have scope');
      say(new Set(Array.from(t.rows).map(r => r.cells.length)).size === 1, 'rows of equal length in ' + t.id);
    });
    say(all('nav a').every(a => document.querySelector(a.getAttribute('href'))), 'links lead to a section');
    const ids = all('[id]').map(e => e.id);
    say(new Set(ids).size === ids.length, 'ids are unique');
    say(!window.hacked, 'no name runs as a script');
    return out;
  });
  found.forEach(what => fault(file, 'expected: ' + what));
}

// The figure of the model: a point per row of its table, all inside the picture, one of them taken; terms have names.
async function model(page, file) {
  const found = await page.evaluate(() => {
    const svg = document.querySelector('#model svg'), out = [];
    if (!svg) return out;
    const say = (good, what) => { if (!good) out.push(what); };
    const rows = document.querySelectorAll('#t-ladder tbody tr').length;
    const points = Array.from(svg.querySelectorAll('circle')).filter(c => c.dataset.t || c.querySelector('title'));
    const frame = svg.getBoundingClientRect();
    const inside = b => b.left >= frame.left && b.right <= frame.right &&
      b.top >= frame.top && b.bottom <= frame.bottom;
    say(points.length === rows, points.length + ' points for ' + rows + ' models');
    say(points.concat(...svg.querySelectorAll('.ring')).every(c => inside(c.getBoundingClientRect())),
      'points inside the picture');
    say(document.querySelectorAll('#t-ladder tr.on').length === 1, 'one model taken');
    say(svg.querySelectorAll('.ring').length === 2, 'a ring and its key');
    const terms = Array.from(document.querySelectorAll('#model li'));
    say(terms.every(t => t.textContent.trim()), 'terms have names');
    const keys = Array.from(svg.querySelectorAll('text.tk:not(.e):not(.m)')).map(t => t.getBoundingClientRect());
    say(keys.every((b, i) => !i || b.left > keys[i - 1].right + 4), 'keys apart');
    return out;
  });
  found.forEach(what => fault(file, 'model: ' + what));
}

// The ring of the path is at the chosen set: at its number of inputs, where the path has such a set.
async function ring(page, file) {
  const found = await page.evaluate(() => {
    const svg = document.querySelector('#path svg');
    if (!svg) return '';
    const n = JSON.parse(document.getElementById('result').textContent).selected.length;
    const marks = Array.from(svg.querySelectorAll('circle')), rings = marks.filter(c => c.matches('.ring'));
    if (rings.length !== 1) return rings.length + ' rings';
    const text = rings[0].dataset.t || '', x = c => c.getAttribute('cx');
    if (!new RegExp('^' + n + ' inputs?, chosen').test(text)) return 'the ring says "' + text + '" of ' + n + ' inputs';
    const same = marks.filter(c => !c.matches('.ring') && new RegExp('^' + n + ' inputs').test(c.dataset.t || ''));
    return !same.length || same.some(c => x(c) === x(rings[0])) ? '' : 'the ring is not at ' + n + ' inputs';
  });
  if (found) fault(file, 'path: ' + found);
}

// Nothing of a figure is cut off: marks and words lie inside their picture, and the picture on the screen.
async function uncut(page, file, width) {
  await page.setViewportSize({ width, height: 900 });
  const found = await page.evaluate(() => {
    const out = [], wide = document.documentElement.clientWidth;
    for (const svg of document.querySelectorAll('figure svg')) {
      const f = svg.getBoundingClientRect(), name = svg.getAttribute('aria-label');
      if (!f.width) continue;
      if (f.left < -1 || f.right > wide + 1) out.push(name + ' is wider than the screen');
      for (const e of svg.querySelectorAll('text, rect, circle, path')) {
        const b = e.getBoundingClientRect(), far = 2;
        if (b.left < f.left - far || b.right > f.right + far || b.top < f.top - far || b.bottom > f.bottom + far)
          out.push(name + ': ' + e.tagName + ' "' + e.textContent.slice(0, 40) + '" leaves the picture');
      }
    }
    return out.slice(0, 5);
  });
  found.forEach(what => fault(file, 'at ' + width + ' px: ' + what));
}

async function embedded(page, file) {
  const result = file.replace(/html$/, 'json');
  if (!fs.existsSync(result) || fs.statSync(result).size >= 90000) return;
  const inside = JSON.parse(await page.evaluate(() => document.getElementById('result').textContent));
  const stored = JSON.parse(fs.readFileSync(result, 'utf8'));
  if (JSON.stringify(inside) !== JSON.stringify(stored)) fault(file, 'the embedded JSON is not the result');
}

function ordered(list, down) {
  return list.every((v, i) => !i || (down ? list[i - 1] >= v : list[i - 1] <= v));
}

const sorted = values => ordered(values.values, values.aria === 'descending');

async function sorting(page, file) {
  const tables = () => Array.from(document.querySelectorAll('table.sort')).slice(0, 3).map(t => t.id);
  for (const id of await page.evaluate(tables)) {
    await page.evaluate(i => {
      const d = document.getElementById(i).closest('details');
      if (d) d.open = true;
    }, id);
    const heads = await page.locator('#' + id + ' thead button').count();
    for (let k = 0; k < Math.min(heads, 2); k++) {
      const button = page.locator('#' + id + ' thead button').nth(k);
      const read = () => page.evaluate(([i, c]) => {
        const t = document.getElementById(i), number = t.tHead.rows[0].cells[c].classList.contains('r');
        const value = r => {
          const s = (r.cells[c].dataset.v || r.cells[c].textContent.trim()).replace('\u2212', '-');
          return number ? (isNaN(Number(s)) || s === '' ? -Infinity : Number(s)) : s.toLowerCase();
        };
        const aria = t.tHead.rows[0].cells[c].getAttribute('aria-sort');
        return { aria, values: Array.from(t.tBodies[0].rows).map(value) };
      }, [id, k]);
      await button.click();
      const first = await read();
      await button.focus();
      await page.keyboard.press('Enter');
      const second = await read();
      if (!first.aria || first.aria === second.aria) fault(file, id + ': aria-sort does not turn');
      for (const s of [first, second])
        if (!ordered(s.values, s.aria === 'descending')) fault(file, id + ': column ' + k + ' is not sorted');
    }
  }
}

async function filtering(page, file) {
  if (!await page.locator('.tools[data-for=t-inputs] input[type=search]').count()) return;
  const name = await page.evaluate(() => document.querySelector('#t-inputs tbody th').textContent.trim());
  await page.fill('.tools[data-for=t-inputs] input[type=search]', name);
  const shown = await page.evaluate(() => Array.from(document.querySelectorAll('#t-inputs tbody tr'))
    .filter(r => !r.hidden).map(r => r.cells[0].textContent.trim().toLowerCase()));
  if (!shown.length || !shown.every(s => s.includes(name.toLowerCase()))) fault(file, 'the filter shows other rows');
  await page.fill('.tools[data-for=t-inputs] input[type=search]', '');
}

async function hovering(page, file) {
  const targets = await page.evaluate(() => {
    const out = [];
    const [first, points, cells] = ['[data-t]', 'path[data-h]', '[data-g]'].map(s => document.querySelector(s));
    const middle = e => { e.scrollIntoView({ block: 'center' }); return e; };
    if (first) out.push({ what: 'mark', n: 0 });
    if (points) out.push({ what: 'path[data-h]', n: 1 });
    if (cells) out.push({ what: '[data-g]', n: 2 });
    return out.map(o => { middle(o.n === 0 ? first : o.n === 1 ? points : cells); return o; });
  });
  for (const t of targets) {
    const at = await page.evaluate(o => {
      const e = document.querySelector(o.n === 0 ? '[data-t]' : o.what);
      e.scrollIntoView({ block: 'center', behavior: 'instant' });
      const box = e.getBoundingClientRect();
      if (o.n !== 1) return [box.x + box.width / 2, box.y + box.height / 2];
      const m = /M(-?[\d.]+) (-?[\d.]+)/.exec(e.getAttribute('d')), p = e.ownerSVGElement.createSVGPoint();
      p.x = Number(m[1]); p.y = Number(m[2]);
      const q = p.matrixTransform(e.getScreenCTM());
      return [q.x, q.y];
    }, t);
    await page.waitForTimeout(30);
    await page.mouse.move(at[0] + 1, at[1] + 1);
    await page.mouse.move(at[0], at[1]);
    const tip = await page.evaluate(() => {
      const e = document.getElementById('tip');
      return e.hidden ? '' : e.textContent;
    });
    if (!/\d/.test(tip)) fault(file, 'no text at the pointer over ' + t.what + ': "' + tip + '"');
    await page.keyboard.press('Escape');
    const hidden = await page.evaluate(() => document.getElementById('tip').hidden);
    if (!hidden) fault(file, 'Escape does not hide the text');
  }
}

const linear = v => v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4);
const luminance = c => c.reduce((s, v, i) => s + linear(v / 255) * [0.2126, 0.7152, 0.0722][i], 0);
const rgb = s => s.match(/[\d.]+/g).slice(0, 3).map(Number);

async function colours(page, file, dark) {
  const c = await page.evaluate(() => {
    const style = e => getComputedStyle(document.querySelector(e));
    const body = style('body');
    return { bg: body.backgroundColor, fg: body.color, mut: style('.sub').color, link: style('nav a').color };
  });
  const bg = luminance(rgb(c.bg));
  if (dark !== bg < 0.2) fault(file, 'background ' + c.bg + (dark ? ' in the dark theme' : ' in the light theme'));
  for (const k of ['fg', 'mut', 'link']) {
    const l = luminance(rgb(c[k])), ratio = (Math.max(l, bg) + 0.05) / (Math.min(l, bg) + 0.05);
    if (ratio < 4.5) fault(file, 'contrast of ' + k + ' is ' + ratio.toFixed(2));
  }
}

async function narrow(page, file) {
  await page.setViewportSize({ width: 380, height: 800 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  if (wide > 381) fault(file, 'wider than a small screen: ' + wide);
}

async function plain(browser, file) {
  const { context, page } = await open(browser, file, { javaScriptEnabled: false });
  const text = await page.locator('#answer').innerText();
  if (text.length < 30) fault(file, 'no answer without JavaScript');
  if (await page.locator('button:visible').count()) fault(file, 'dead buttons without JavaScript');
  if (!await page.locator('summary').count()) return context.close();
  await page.locator('summary').first().click();
  if (!await page.locator('details').first().evaluate(d => d.open)) fault(file, 'details stay shut without JavaScript');
  await context.close();
}

async function inspect(browser, file) {
  const name = path.join(shots, path.basename(file, '.html'));
  const { context, page } = await open(browser, file, { colorScheme: 'light' });
  await structure(page, file);
  await model(page, file);
  await ring(page, file);
  await uncut(page, file, 400);
  await uncut(page, file, 1100);
  await embedded(page, file);
  await colours(page, file, false);
  await page.screenshot({ path: name + '-light.png', fullPage: true });
  await hovering(page, file);
  await sorting(page, file);
  await filtering(page, file);
  await page.click('#theme');
  await colours(page, file, true);
  await page.click('#theme');
  await colours(page, file, false);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.click('#theme');
  await colours(page, file, true);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await colours(page, file, false);
  for (const e of ['nav', '#theme'])
    if (await page.locator(e).isVisible()) fault(file, e + ' is printed');
  await structure(page, file);
  await context.close();
  const dark = await open(browser, file, { colorScheme: 'dark' });
  await colours(dark.page, file, true);
  await dark.page.screenshot({ path: name + '-dark.png', fullPage: true });
  await dark.page.pdf({ path: name + '-print.pdf', format: 'A4' });
  await narrow(dark.page, file);
  await dark.context.close();
  await plain(browser, file);
}

(async () => {
  const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  for (const file of process.argv.slice(3)) await inspect(browser, path.resolve(file));
  await browser.close();
  process.exit(Math.min(faults, 99));
})().catch(e => { console.log('FAULT ' + e.message); process.exit(99); });
