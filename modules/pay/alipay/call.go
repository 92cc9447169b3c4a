package alipay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// apiError is a refusal by Alipay. Only a signed one decides anything; the codes of an unsigned one
// are for the log, and say whether to wait.
type apiError struct {
	code, sub string
	signed    bool
}

func (e *apiError) Error() string {
	text := fmt.Sprintf("alipay: %s, %s", e.code, e.sub)
	if !e.signed {
		text += ", unsigned"
	}
	return text
}

// trouble are the sub-codes with which Alipay says that it decided nothing. One of them is
// misspelt in Alipay's documents, and so perhaps in its answers.
var trouble = []string{"ACQ.SYSTEM_ERROR", "AQC.SYSTEM_ERROR", "isp.unknow-error", "aop.unknow-error", "isv.app-call-limited", "isv.method-call-limited"}

// Is says what to wait for: 20000 says that Alipay is unavailable, 40005 that it was called too often.
// Waiting decides nothing, so that no signature is needed.
func (e *apiError) Is(target error) bool {
	switch target {
	case pay.ErrUnavailable:
		return e.code == "20000" || e.code == "40005" || slices.Contains(trouble, e.sub)
	case pay.ErrNoBalance:
		return e.sub == "ACQ.SELLER_BALANCE_NOT_ENOUGH"
	}
	return false
}

// alipaySays says whether an error is a signed refusal with one of the sub-codes.
func alipaySays(err error, subs ...string) bool {
	e, ok := errors.AsType[*apiError](err)
	return ok && e.signed && slices.Contains(subs, e.sub)
}

// done is the code of a request that was carried out.
const done = "10000"

// alipayCodes are the codes of an answer.
type alipayCodes struct {
	Code string `json:"code"`
	Sub  string `json:"sub_code"`
}

// call sends a signed request. The answer's signature is over its inner object, byte by byte as it
// was sent; without one nothing in it counts.
func (a *Gateway) call(ctx context.Context, method string, biz, out any) error {
	form, err := a.request(method, biz, nil)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.cfg.BaseURL, strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("alipay: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded;charset=utf-8")
	status, _, body, err := gateway.Send(a.client, req)
	switch {
	case err != nil:
		return fmt.Errorf("alipay: %w", err)
	case gateway.InTrouble(status):
		return fmt.Errorf("alipay: %s: %w: status %d", method, pay.ErrUnavailable, status)
	case status != http.StatusOK:
		return fmt.Errorf("alipay: %s: status %d", method, status)
	}
	answer, err := a.openAnswer(method, body)
	if err != nil {
		return fmt.Errorf("alipay: %s: %w", method, err)
	}
	var said alipayCodes
	if err := json.Unmarshal(answer, &said); err != nil {
		return fmt.Errorf("alipay: %s: the answer can't be read", method)
	}
	if said.Code != done {
		return &apiError{code: gateway.CodeOnly(said.Code), sub: gateway.CodeOnly(said.Sub), signed: true}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("alipay: %s: the answer can't be read", method)
	}
	return nil
}

// openAnswer takes the signed object out of an answer. Alipay leaves errors of its gateway unsigned,
// in the place of the answer or beside it.
func (a *Gateway) openAnswer(method string, body []byte) (json.RawMessage, error) {
	var whole map[string]json.RawMessage
	if err := gateway.ReadJSON(body, &whole); err != nil {
		return nil, errors.New("the answer can't be read")
	}
	answer, ok := whole[strings.ReplaceAll(method, ".", "_")+"_response"]
	if !ok {
		return nil, readAlipayTrouble(whole["error_response"])
	}
	var signature string
	if err := json.Unmarshal(whole["sign"], &signature); err != nil || signature == "" {
		return nil, readAlipayTrouble(answer)
	}
	if err := a.checkSignature(answer, signature); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	return answer, nil
}

// readAlipayTrouble reads an unsigned answer, of which only an error is taken.
func readAlipayTrouble(raw json.RawMessage) error {
	var said alipayCodes
	if err := json.Unmarshal(raw, &said); err != nil {
		return errors.New("the answer can't be read")
	}
	if said.Code == "" || said.Code == done {
		return fmt.Errorf("answer: %w: there is none", pay.ErrSignature)
	}
	return &apiError{code: gateway.CodeOnly(said.Code), sub: gateway.CodeOnly(said.Sub)}
}
