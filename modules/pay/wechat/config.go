package wechat

// Config configures the channel wechat: WeChat Pay API v3, for a merchant in mainland China.
type Config struct {
	// MchID is the merchant's number.
	MchID string `help:"WeChat Pay merchant number." env:"MCH_ID"`
	// AppID is the app that is bound to the merchant.
	AppID string `help:"App bound to the merchant." env:"APP_ID"`
	// CertSerial is the serial number of the merchant's API certificate, in hexadecimal. It is sent as it is written
	// here: copy it from the merchant's page, with its leading zeros.
	CertSerial string `help:"Serial number of the merchant's API certificate." env:"CERT_SERIAL"`
	// PrivateKey is the merchant's API key: PEM, or the path of a PEM file.
	PrivateKey string `help:"Merchant's API key: PEM, or the path of a PEM file." env:"PRIVATE_KEY" lines:""`
	// PlatformKeys verify what WeChat Pay sends: serial number → platform certificate, or
	// PUB_KEY_ID_… → public key; each as PEM or as the path of a PEM file. Several are valid at
	// once while WeChat Pay changes them. Leading zeros of a serial number and the case of its
	// letters don't matter.
	PlatformKeys map[string]string `help:"serial=certificate;PUB_KEY_ID_…=key." mapsep:";" env:"PLATFORM_KEYS" lines:""`
	// APIv3Key, 32 characters, decrypts the notifications.
	APIv3Key string `name:"api-v3-key" help:"API v3 key, 32 characters." env:"API_V3_KEY" log:"digest"`
	// NotifyURL is our /webhooks/pay/wechat as WeChat Pay reaches it: https, without a port or a query.
	NotifyURL string `kong:"-"`
	// Subject is what the buyer reads before the names of the goods. Default: nothing.
	Subject string `kong:"-"`
	// BaseURL is the address of the API. Default https://api.mch.weixin.qq.com.
	BaseURL string `kong:"-"`
}

// Off reports whether nothing is set, so that the channel is off.
func (c Config) Off() bool {
	return c.MchID == "" && c.AppID == "" && c.CertSerial == "" && c.PrivateKey == "" && len(c.PlatformKeys) == 0 &&
		c.APIv3Key == ""
}
