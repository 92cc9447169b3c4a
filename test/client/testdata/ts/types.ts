// Compiled, not run: the types of onrush.d.ts and those that openapi-typescript makes of web/openapi.yaml agree.
import { Onrush, type Task } from './onrush.js';
import type { components } from './openapi.js';

type Generated = components['schemas'];

export const task: Task = {} as Generated['Task'];
export const path: Generated['PathRequest'] = { activity_id: 'sale', sku_id: 'course' };
export const submit: Generated['SubmitRequest'] = { quantity: 1 };

export async function buy(activity: string): Promise<string> {
  const shop = new Onrush({ token: 'a token' });
  const stored: Task = await shop.buy({ activity, sku: 'course', onStep: ({ step }) => console.log(step) });
  const payment = await shop.pay({ orders: [stored.order_number], channel: 'sandbox' });
  const generated: Pick<Generated['Payment'], 'pay_number' | 'amount' | 'currency' | 'status'> = payment;
  return generated.pay_number;
}
