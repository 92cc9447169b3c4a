// Changes of the buyer's orders and payments.
import { server } from '../shared/server.js';

// follow calls back after each change of the buyer's orders and payments, and returns a function that ends that. Where
// events fail it calls back every three seconds.
export function follow(changedOrder) {
  let source;
  let timer;
  let ended = false;
  let after = '';
  const open = async () => {
    try {
      const { ticket } = await server.call('POST', '/me/events/ticket');
      if (ended) return;
      source = new EventSource(`/api/v1/me/events?ticket=${encodeURIComponent(ticket)}${after && `&after=${after}`}`);
      const heard = (event) => { after = event.lastEventId || after; changedOrder(); };
      for (const name of ['start', 'order.placed', 'order.paid', 'order.cancelled', 'order.refunded', 'order.failed',
        'payment.flagged']) {
        source.addEventListener(name, heard);
      }
      source.onerror = () => { source.close(); later(); };
    } catch {
      later();
    }
  };
  const later = () => {
    if (ended) return;
    timer = setTimeout(() => { changedOrder(); open(); }, 3000);
  };
  open();
  return () => {
    ended = true;
    clearTimeout(timer);
    source?.close();
  };
}
