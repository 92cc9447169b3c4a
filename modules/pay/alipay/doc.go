// Package alipay takes payments through Alipay's page payment (alipay.trade.page.pay). Source:
// opendocs.alipay.com/open.
package alipay
