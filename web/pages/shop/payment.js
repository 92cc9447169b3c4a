// Payments: how a buyer begins a payment, and goes on with a payment that was begun.
import { useEffect } from '../vendor/preact-htm.js';
import { has, t } from '../shared/texts.js';
import { call, server } from '../shared/server.js';
import { ownPath, settings } from '../shared/settings.js';

// channelName returns the name of a way to pay.
export const channelName = (channel) => (has(`channel_${channel}`) ? t(`channel_${channel}`) : channel);

const isPhone = () => navigator.userAgentData?.mobile ?? /Mobi|Android|iPhone/.test(navigator.userAgent);

/**
 * pageOf returns the page on which a payment is paid, if it has one. Alipay has another page for phones.
 *
 * @param {any} payment
 */
export const pageOf = ({ next }) => (isPhone() && next?.params?.wap_url) || next?.redirect_url;

// isOpen reports whether a payment can be paid by what next says.
export const isOpen = (payment) => payment?.status === 'pending' && Boolean(payment.next);

// isOpenForOne reports whether it can, and pays one order alone. The answer to begin names no orders.
export const isOpenForOne = (payment) => isOpen(payment) && (payment.order_numbers?.length ?? 1) === 1;

// paymentsOf reads the payments of an order, newest first.
export const paymentsOf = async (number) => (await call('GET', `/payments?order_number=${number}`)).items;

/**
 * begin begins a payment of orders.
 *
 * @param {string[]} numbers
 * @param {string} channel
 * @returns {Promise<any>}
 */
export function begin(numbers, channel) {
  const view = numbers.length === 1 ? `#/order/${numbers[0]}` : '#/orders';
  const backTo = settings.return_url ? `${location.origin}${ownPath('/')}${view}` : undefined;
  return server.pay({ orders: numbers, channel, return_url: backTo });
}

/**
 * useReturn calls back when the buyer comes back to the page as it was left for another one.
 *
 * @param {() => void} back
 */
export function useReturn(back) {
  useEffect(() => {
    const shown = ({ persisted }) => persisted && back();
    addEventListener('pageshow', shown);
    return () => removeEventListener('pageshow', shown);
  }, []);
}
