// A limit of requests in a time, as two fields.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';

// Limit is a field whose value is a text such as 10/1, 10 requests in 1 second, or empty for no limit. change gets the
// text.
export function Limit({ name, value, error, change }) {
  const [requests, seconds = '1'] = value.split('/');
  const number = (more) => html`<input type="number" min="1" step="1" aria-invalid=${error && 'true'} ...${more} />`;
  const wrong = error && `${name}-wrong`;
  return html`<div class="field"><label for=${name}>${t(name)}</label>
    <span class="limit">${number({
      id: name,
      name,
      value: requests,
      'aria-describedby': wrong,
      onInput: (e) => change(e.target.value && `${e.target.value}/${seconds}`),
    })} <span>${t(name === 'limit_item' ? 'limit_orders_in' : 'limit_requests_in')}</span>
    ${number({
      name: `${name}_seconds`,
      value: seconds,
      'aria-label': t('limit_seconds', { name: t(name) }),
      disabled: !requests,
      required: true,
      onInput: (e) => change(`${requests}/${e.target.value}`),
    })} <span>${t('limit_s')}</span></span>
    ${error && html`<p class="bad" id=${wrong}>${error}</p>`}</div>`;
}
