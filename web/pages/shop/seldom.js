// The parts that few buyers see, which are loaded when one is drawn.
export { Addresses } from './addresses.js';
export { Crowd } from '../shared/crowd.js';
export { DrawPage } from './draw_page.js';
export { VoucherCode } from './order_voucher.js';
export { Readdress } from './readdress.js';
export { ScanCode } from './scan.js';
export { StripeForm } from './stripe.js';
export { Swap } from './swap.js';
