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

// apiError is an error answer of Alipay. Only a signed one is final; the codes of an unsigned one are
// only logged, and say whether to wait.
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

// trouble are the sub-codes of answers after which nothing is decided. One of them is misspelt in
// Alipay's documents, and so perhaps in its answers.
var trouble = []string{
	"ACQ.SYSTEM_ERROR", "AQC.SYSTEM_ERROR", "isp.unknow-error", "aop.unknow-error", "isv.app-call-limited",
	"isv.method-call-limited",
}

// Is maps the codes after which the caller should wait: 20000 means that Alipay is unavailable, 40005
// that it was called too often. This needs no signature, since waiting changes nothing.
func (e *apiError) Is(target error) bool {
	switch target {
	case pay.ErrUnavailable:
		return e.code == "20000" || e.code == "40005" || slices.Contains(trouble, e.sub)
	case pay.ErrNoBalance:
		return e.sub == "ACQ.SELLER_BALANCE_NOT_ENOUGH"
	}
	return false
}

// saysCode reports whether an error is a signed refusal with one of the sub-codes.
func saysCode(err error, subs ...string) bool {
	e, ok := errors.AsType[*apiError](err)
	return ok && e.signed && slices.Contains(subs, e.sub)
}

// done is the code of a successful request.
const done = "10000"

// answerCodes are the codes of an answer.
type answerCodes struct {
	Code string `json:"code"`
	Sub  string `json:"sub_code"`
}

// call sends a signed request and reads the answer into out. The signature of the answer is over the
// exact bytes of its inner object; without a valid one the answer is ignored.
func (g *Gateway) call(ctx context.Context, method string, biz, out any) error {
	form, err := g.request(method, biz, nil)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.cfg.BaseURL, strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("alipay: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded;charset=utf-8")
	status, _, body, err := gateway.Send(g.client, req)
	switch {
	case err != nil:
		return fmt.Errorf("alipay: %w", err)
	case gateway.InTrouble(status):
		return fmt.Errorf("alipay: %s: %w: status %d", method, pay.ErrUnavailable, status)
	case status != http.StatusOK:
		return fmt.Errorf("alipay: %s: status %d", method, status)
	}
	answer, err := g.openAnswer(method, body)
	if err != nil {
		return fmt.Errorf("alipay: %s: %w", method, err)
	}
	var said answerCodes
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

// openAnswer returns the signed object of an answer. Alipay doesn't sign errors of its gateway, which are
// in the field of the answer or in one beside it.
func (g *Gateway) openAnswer(method string, body []byte) (json.RawMessage, error) {
	var whole map[string]json.RawMessage
	if err := gateway.ReadJSON(body, &whole); err != nil {
		return nil, errors.New("the answer can't be read")
	}
	answer, ok := whole[strings.ReplaceAll(method, ".", "_")+"_response"]
	if !ok {
		return nil, readUnsigned(whole["error_response"])
	}
	var signature string
	if err := json.Unmarshal(whole["sign"], &signature); err != nil || signature == "" {
		return nil, readUnsigned(answer)
	}
	if err := g.checkSignature(answer, signature); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	return answer, nil
}

// readUnsigned reads an unsigned answer, which is accepted only as an error.
func readUnsigned(raw json.RawMessage) error {
	var said answerCodes
	if err := json.Unmarshal(raw, &said); err != nil {
		return errors.New("the answer can't be read")
	}
	if said.Code == "" || said.Code == done {
		return fmt.Errorf("answer: %w: there is none", pay.ErrSignature)
	}
	return &apiError{code: gateway.CodeOnly(said.Code), sub: gateway.CodeOnly(said.Sub)}
}
