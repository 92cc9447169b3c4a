// Package alipay takes payments through Alipay's pages for computers and phones (alipay.trade.page.pay and
// alipay.trade.wap.pay). Source: opendocs.alipay.com/open.
package alipay
