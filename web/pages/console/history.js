// The charts of a sale: the last hour as the program kept it, and what came since the page was opened.
import { html } from '../shared/preact-htm.js';
import { t } from '../shared/texts.js';
import { Chart } from './chart.js';

const every = 5000; // ms between two points
const most = 720; // points: an hour

// keep adds the current figures to points, unless the last ones are young.
export function keep(points, stats) {
  const at = Date.parse(stats.server_time);
  if (points.length && at - points.at(-1).at < every) return points;
  const answers = Object.entries(stats.answers);
  const count = (wanted) => answers.filter(([name]) => wanted(name)).reduce((sum, [, n]) => sum + n, 0);
  return [...points, {
    at, orders_per_second: stats.orders_per_second, queue_length: stats.queue.length,
    queue_oldest_ms: stats.queue.oldest_ms,
    remaining: stats.loaded ? stats.stock.reduce((sum, s) => sum + (s.remaining ?? 0), 0) : null,
    unpaid: stats.unpaid, paid: stats.paid, cancelled: stats.cancelled,
    accepted: count((name) => name === 'submit:ok'), refused: count((name) => !name.endsWith(':ok')),
  }].slice(-most);
}

// perSecond turns counts that grow into how much they grew each second.
function perSecond(points, name) {
  return points.map((point, i) => {
    const before = points[i - 1];
    return before && point.at > before.at ? Math.max(0, (point[name] - before[name]) * 1000 / (point.at - before.at)) : null;
  });
}

export function Charts({ history, points }) {
  const kept = history.map((point) => ({ ...point, at: Date.parse(point.at) }));
  const all = [...kept.filter((point) => !points.length || point.at < points[0].at), ...points].slice(-most);
  const times = all.map((point) => point.at);
  const line = (label, color, values) => ({ label, color, values });
  const of = (name) => all.map((point) => point[name] ?? null);
  return html`<section class="charts" aria-label=${t('charts')}>
    <${Chart} title=${t('orders_per_second')} times=${times} series=${[line('', 'accent', of('orders_per_second'))]} />
    <${Chart} title=${t('left')} times=${times} series=${[line('', 'link', of('remaining'))]} />
    <${Chart} title=${t('queued')} times=${times} series=${[line('', 'warn', of('queue_length'))]} />
    <${Chart} title=${t('queue_age')} times=${times} series=${[line('', 'warn', all.map((point) => Math.round(point.queue_oldest_ms / 100) / 10))]} />
    <${Chart} title=${t('unpaid_paid')} times=${times}
      series=${[line(t('state_unpaid'), 'warn', of('unpaid')), line(t('state_paid'), 'good', of('paid'))]} />
    <${Chart} title=${t('refused_per_second')} times=${times} series=${[line('', 'bad', perSecond(all, 'refused').map((n) => n && Math.round(n)))]} />
  </section>`;
}
