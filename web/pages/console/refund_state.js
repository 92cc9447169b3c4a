// The states of a refund: the same words in its list, on the pages of its order and payment, and in the search.
import { html } from '../vendor/preact-htm.js';
import { t } from '../shared/texts.js';
import { Badge } from './parts.js';

const states = { pending: 'refunding', done: 'refunded', failed: 'failed' };

// refundState is the state of a refund, as badges and texts name it.
export const refundState = (status) => states[status] ?? status;

// refundChoices are the options of a choice of states.
export const refundChoices = (names) => names.map((name) => [name, t(`state_${refundState(name)}`)]);

// RefundState shows it, and what it means as its title.
export const RefundState = ({ status }) =>
  html`<${Badge} state=${refundState(status)} title=${t(`refund_${refundState(status)}_means`)} />`;

// RefundWords explains the words above a list.
export const RefundWords = () => html`<p class="muted hint" id="refund-words">${t('refund_words')}</p>`;
