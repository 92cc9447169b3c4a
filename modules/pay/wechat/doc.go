// Package wechat takes payments through WeChat Pay's API v3: native payments, where the client shows a
// QR code, and JSAPI payments in the app. Source: pay.weixin.qq.com/doc/v3/merchant.
package wechat
