package pay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"onrush/modules/order"
)

// alipayError is a refusal that Alipay signed, so that its code can be acted upon.
type alipayError struct{ code, sub string }

func (e *alipayError) Error() string { return fmt.Sprintf("alipay: %s, %s", e.code, e.sub) }

// Is says that Alipay is away where it calls itself unavailable or failing, or was asked too often.
func (e *alipayError) Is(target error) bool {
	return target == ErrAway && (e.code == "20000" || e.code == "40005" || e.sub == "ACQ.SYSTEM_ERROR")
}

// alipaySays says whether an error carries one of the codes.
func alipaySays(err error, subs ...string) bool {
	e, ok := errors.AsType[*alipayError](err)
	return ok && slices.Contains(subs, e.sub)
}

// alipayDone is the code of a request that was carried out.
const alipayDone = "10000"

// call sends a signed request. The answer's signature is over its inner object, byte by byte as it
// was sent; without one nothing in it counts.
func (a *Alipay) call(ctx context.Context, method string, biz, out any) error {
	form, err := a.request(method, biz, nil)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.cfg.BaseURL, strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("alipay: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded;charset=utf-8")
	status, _, body, err := send(a.client, req)
	switch {
	case err != nil:
		return fmt.Errorf("alipay: %w", err)
	case status != http.StatusOK:
		return fmt.Errorf("alipay: %s: status %d", method, status)
	}
	answer, err := a.openAnswer(method, body)
	if err != nil {
		return fmt.Errorf("alipay: %s: %w", method, err)
	}
	var said struct {
		Code string `json:"code"`
		Sub  string `json:"sub_code"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return fmt.Errorf("alipay: %s: the answer can't be read", method)
	}
	if said.Code != alipayDone {
		return &alipayError{code: codeOnly(said.Code), sub: codeOnly(said.Sub)}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("alipay: %s: the answer can't be read", method)
	}
	return nil
}

// openAnswer takes the signed object out of an answer.
func (a *Alipay) openAnswer(method string, body []byte) (json.RawMessage, error) {
	var whole map[string]json.RawMessage
	if err := readJSON(body, &whole); err != nil {
		return nil, errors.New("the answer can't be read")
	}
	answer, ok := whole[strings.ReplaceAll(method, ".", "_")+"_response"]
	if !ok {
		return nil, readAlipayTrouble(whole["error_response"])
	}
	var signature string
	if err := json.Unmarshal(whole["sign"], &signature); err != nil || signature == "" {
		return nil, fmt.Errorf("answer: %w: there is none", ErrSignature)
	}
	if err := verifyRSA(a.theirs, answer, signature); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	return answer, nil
}

// readAlipayTrouble reads what stands in the place of an answer. It may be unsigned, so it decides
// nothing but whether Alipay is away.
func readAlipayTrouble(raw json.RawMessage) error {
	var said struct {
		Code string `json:"code"`
		Sub  string `json:"sub_code"`
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		return errors.New("the answer can't be read")
	}
	trouble := &alipayError{code: codeOnly(said.Code), sub: codeOnly(said.Sub)}
	if errors.Is(trouble, ErrAway) {
		return fmt.Errorf("%w: %s, %s", ErrAway, trouble.code, trouble.sub)
	}
	return fmt.Errorf("the answer is an error of the gateway: %s, %s", trouble.code, trouble.sub)
}

// signedText is what a form's signature is over: its parameters but the named ones, sorted, as
// name=value joined by &, before any escaping.
func signedText(form url.Values, without ...string) []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if slices.Contains(without, name) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(name + "=" + form.Get(name))
	}
	return b.Bytes()
}

// maxParameters bounds a notification's form.
const maxParameters = 100

// alipayAge is how old a notification may be. Alipay repeats one for 24 h 22 min (its page
// open/270/105902); notify_time is described as the time of sending, but nothing says that a
// repetition, which keeps its notify_id, has a new one. A replay within that time changes nothing,
// since a transaction is carried out once.
const alipayAge = 25 * time.Hour

// Verify checks a notification. Its form has to be taken apart to check the signature, which is
// over the sorted parameters; nothing in it is believed before. The body carries the time
// (notify_time) and the receiver (app_id, seller_id).
func (a *Alipay) Verify(_ http.Header, body []byte) (Notification, error) {
	form, err := a.openForm(body)
	if err != nil {
		return Notification{}, err
	}
	at, err := time.ParseInLocation(alipayTime, form.Get("notify_time"), chinaTime)
	if err != nil {
		return Notification{}, fmt.Errorf("%w: its time can't be read", ErrSignature)
	}
	if err := checkAgeUpTo(alipayAge, a.now(), at); err != nil {
		return Notification{}, err
	}
	return a.readNotification(form)
}

func (a *Alipay) openForm(body []byte) (url.Values, error) {
	if len(body) > maxNotification || bytes.Count(body, []byte{'&'}) >= maxParameters {
		return nil, fmt.Errorf("%w: it is too long", ErrSignature)
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, fmt.Errorf("%w: it is no form", ErrSignature)
	}
	for _, values := range form {
		if len(values) != 1 {
			return nil, fmt.Errorf("%w: it has a parameter twice", ErrSignature)
		}
	}
	if form.Get("sign_type") != "RSA2" {
		return nil, fmt.Errorf("%w: it is not of RSA2", ErrSignature)
	}
	return form, verifyRSA(a.theirs, signedText(form, "sign", "sign_type"), form.Get("sign"))
}

// readNotification reads what is signed. A refund is told of as another notification of the paid
// trade, and is no payment.
func (a *Alipay) readNotification(form url.Values) (Notification, error) {
	switch {
	case form.Get("notify_type") != "trade_status_sync":
		return Notification{}, ErrNotPayment
	case form.Get("app_id") != a.cfg.AppID || form.Get("seller_id") != a.cfg.SellerID:
		return Notification{}, errors.New("alipay: a notification is for another app or seller")
	case form.Get("trade_status") != alipayPaid && form.Get("trade_status") != alipayFinished:
		return Notification{}, ErrNotPayment
	case form.Get("gmt_refund") != "":
		return Notification{}, ErrNotPayment
	}
	if text := form.Get("refund_fee"); text != "" {
		back, err := parseYuan(text)
		switch {
		case err != nil:
			return Notification{}, fmt.Errorf("alipay: refund of a notification: %w", err)
		case back > 0:
			return Notification{}, ErrNotPayment
		}
	}
	n, err := order.ParseNumber(form.Get("out_trade_no"))
	if err != nil {
		return Notification{}, fmt.Errorf("alipay: pay number of a notification: %w", err)
	}
	amount, err := parseYuan(form.Get("total_amount"))
	if err != nil {
		return Notification{}, fmt.Errorf("alipay: amount of a notification: %w", err)
	}
	read := Notification{EventID: form.Get("notify_id"), TransactionID: form.Get("trade_no"), PayNumber: n, Amount: amount, Currency: yuan}
	if read.EventID == "" || read.TransactionID == "" || amount <= 0 {
		return Notification{}, errors.New("alipay: a notification lacks its id, trade or amount")
	}
	return read, nil
}

// errNotYuan says that a text is no amount in yuan.
var errNotYuan = errors.New("is no amount in yuan")

// parseYuan reads "12.34", "12.3" or "12" as fen, digit by digit.
func parseYuan(text string) (fen int64, err error) {
	whole, part, dot := strings.Cut(text, ".")
	if whole == "" || len(whole) > 12 || len(part) > 2 || dot && part == "" || len(whole) > 1 && whole[0] == '0' {
		return 0, errNotYuan
	}
	for _, digit := range []byte(whole + part + "00"[len(part):]) {
		if digit < '0' || digit > '9' {
			return 0, errNotYuan
		}
		fen = fen*10 + int64(digit-'0')
	}
	return fen, nil
}

// yuanText writes fen as "12.34".
func yuanText(fen int64) string {
	return strconv.FormatInt(fen/100, 10) + fmt.Sprintf(".%02d", fen%100)
}
