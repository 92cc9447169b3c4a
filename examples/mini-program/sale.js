// A page of a WeChat mini program that shows a flash sale, buys in it, and pays with WeChat Pay.
import { Onrush, newKey } from 'onrush';
import { transport } from './transport.js';

const { address, session } = getApp().globalData; // session: {token, openid} of your login
const shop = new Onrush({ baseURL: address, transport, token: () => session.token });

Page({
  data: { sale: undefined, step: '', ahead: undefined, order: '', paid: false, problem: '' },

  async onLoad({ activity }) {
    this.setData({ sale: await shop.retried('GET', `/activities/${activity}`) });
  },

  async buy({ currentTarget }) {
    const activity = this.data.sale.activity_id;
    const { sku } = currentTarget.dataset;
    // Kept until the outcome is known: a page that was closed meanwhile asks for the same order, not for another one.
    const kept = `key ${activity} ${sku}`;
    const key = wx.getStorageSync(kept) || newKey();
    wx.setStorageSync(kept, key);
    this.setData({ step: 'path', problem: '' });
    try {
      const onStep = ({ step, ahead }) => this.setData({ step, ahead });
      const { order_number: order } = await shop.buy({ activity, sku, key, onStep });
      wx.removeStorageSync(kept);
      this.setData({ order, step: '' });
      await this.pay();
    } catch (error) {
      if (error.problem?.task) wx.removeStorageSync(kept); // the order failed: a next try is another one
      this.setData({ step: '', problem: error.code ?? 'unreachable' });
    }
  },

  async pay() {
    const { order } = this.data;
    const { openid } = session;
    // The same key for each try, so that the order has one payment.
    const { next } = await shop.pay({ orders: [order], channel: 'wechat', openid, key: `pay-${order}` });
    await new Promise((success, fail) =>
      wx.requestPayment({ ...next.params, success, fail: () => fail({ code: '' }) }),
    );
    // WeChat Pay tells the server, which takes a moment.
    for (let tries = 0; tries < 20 && !this.data.paid; tries++) {
      const { status } = await shop.retried('GET', `/orders/${order}`);
      this.setData({ paid: status === 'paid' });
      if (status !== 'paid') await new Promise((resolve) => setTimeout(resolve, 500));
    }
  },
});
