package pay

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"onrush/modules/order"
)

// wechatError is an error that WeChat Pay signed, so that its code can be acted upon.
type wechatError struct {
	status int
	code   string
}

func (e *wechatError) Error() string { return fmt.Sprintf("wechat: status %d, %s", e.status, e.code) }

// saysCode says whether an error carries one of the codes.
func saysCode(err error, codes ...string) bool {
	e, ok := errors.AsType[*wechatError](err)
	return ok && slices.Contains(codes, e.code)
}

// call sends a signed request. Answers count only with their signature; errors without one are of
// no known meaning.
func (w *Wechat) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("wechat: %w", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, w.cfg.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("wechat: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "onrush")
	if w.askSerial != "" {
		req.Header.Set("Wechatpay-Serial", w.askSerial)
	}
	if err := w.sign(req, body); err != nil {
		return err
	}
	status, header, answer, err := send(w.client, req)
	if err != nil {
		return fmt.Errorf("wechat: %w", err)
	}
	ok := status == http.StatusOK || status == http.StatusNoContent
	if err := w.checkSignature(header, answer); err != nil {
		if ok {
			return fmt.Errorf("wechat: answer: %w", err)
		}
		return fmt.Errorf("wechat: status %d, unsigned", status)
	}
	if !ok {
		var said struct {
			Code string `json:"code"`
		}
		if err := readJSON(answer, &said); err != nil {
			return fmt.Errorf("wechat: status %d, unreadable", status)
		}
		return &wechatError{status: status, code: codeOnly(said.Code)}
	}
	if out == nil {
		return nil
	}
	if err := readJSON(answer, out); err != nil {
		return errors.New("wechat: the answer can't be read")
	}
	return nil
}

// sign adds the Authorization: method, path with query, time, a word used once, and body, a line
// each, signed with the merchant's key.
func (w *Wechat) sign(req *http.Request, body []byte) error {
	at, once := strconv.FormatInt(w.now().Unix(), 10), w.once()
	signature, err := signRSA(w.key, lines(req.Method, req.URL.RequestURI(), at, once, string(body)))
	if err != nil {
		return fmt.Errorf("wechat: %w", err)
	}
	req.Header.Set("Authorization", fmt.Sprintf(`WECHATPAY2-SHA256-RSA2048 mchid="%s",nonce_str="%s",timestamp="%s",serial_no="%s",signature="%s"`,
		w.cfg.MchID, once, at, w.cfg.CertSerial, signature))
	return nil
}

// lines ends each part with a newline.
func lines(parts ...string) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		b.WriteString(p)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// checkSignature holds an answer or a notification against its headers. WeChat Pay now and then
// sends wrong signatures to see that they are refused.
func (w *Wechat) checkSignature(header http.Header, body []byte) error {
	var values [4]string
	for i, name := range []string{"Wechatpay-Timestamp", "Wechatpay-Nonce", "Wechatpay-Serial", "Wechatpay-Signature"} {
		had := header.Values(name)
		if len(had) != 1 || had[0] == "" {
			return fmt.Errorf("%w: it has not one %s", ErrSignature, name)
		}
		values[i] = had[0]
	}
	at, once, serial, signature := values[0], values[1], values[2], values[3]
	sec, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: its time can't be read", ErrSignature)
	}
	now := w.now()
	if err := checkAge(now, time.Unix(sec, 0)); err != nil {
		return err
	}
	known, ok := w.platform[serial]
	switch {
	case !ok:
		return fmt.Errorf("%w: serial %s is not one of ours", ErrSignature, codeOnly(serial))
	case !known.end.IsZero() && now.After(known.end):
		return fmt.Errorf("%w: certificate %s has ended", ErrSignature, codeOnly(serial))
	}
	return verifyRSA(known.key, lines(at, once, string(body)), signature)
}

// Verify checks a notification and opens its resource with the API v3 key.
func (w *Wechat) Verify(header http.Header, body []byte) (Notification, error) {
	if len(body) > maxNotification {
		return Notification{}, fmt.Errorf("%w: it is too long", ErrSignature)
	}
	if err := w.checkSignature(header, body); err != nil {
		return Notification{}, err
	}
	return w.readNotification(body)
}

// readNotification reads what is signed.
func (w *Wechat) readNotification(body []byte) (Notification, error) {
	var event struct {
		ID       string `json:"id"`
		Type     string `json:"event_type"`
		Resource struct {
			Algorithm  string `json:"algorithm"`
			Ciphertext string `json:"ciphertext"`
			Nonce      string `json:"nonce"`
			Associated string `json:"associated_data"`
		} `json:"resource"`
	}
	if err := readJSON(body, &event); err != nil {
		return Notification{}, errors.New("wechat: a signed notification can't be read")
	}
	if event.Type != "TRANSACTION.SUCCESS" {
		return Notification{}, ErrNotPayment
	}
	r := event.Resource
	sealed, err := base64.StdEncoding.DecodeString(r.Ciphertext)
	if err != nil || r.Algorithm != "AEAD_AES_256_GCM" || len(r.Nonce) != w.resource.NonceSize() {
		return Notification{}, errors.New("wechat: the resource of a notification is of another form")
	}
	text, err := w.resource.Open(nil, []byte(r.Nonce), sealed, []byte(r.Associated))
	if err != nil {
		return Notification{}, errors.New("wechat: the API v3 key does not open a notification")
	}
	var t wechatTransaction
	if err := readJSON(text, &t); err != nil {
		return Notification{}, errors.New("wechat: the transaction of a notification can't be read")
	}
	n, err := order.ParseNumber(t.Number)
	if err != nil {
		return Notification{}, fmt.Errorf("wechat: pay number of a notification: %w", err)
	}
	if err := t.check(w, n); err != nil {
		return Notification{}, err
	}
	if t.State != wechatPaid {
		return Notification{}, ErrNotPayment
	}
	if event.ID == "" {
		return Notification{}, errors.New("wechat: a notification has no id")
	}
	return Notification{EventID: event.ID, TransactionID: t.Transaction, PayNumber: n, Amount: t.Amount.Total, Currency: t.currency()}, nil
}
