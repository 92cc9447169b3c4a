package sandbox

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
)

func TestSandboxVerifiesItsOwnSignatures(t *testing.T) {
	t.Parallel()
	s := readingSandbox(t)
	header := Sign(testSecret, evtID, testTime, []byte(sandboxBody))
	want := pay.Notification{EventID: evtID, TransactionID: "txn_1", PayNumber: 12345, Amount: 1900, Currency: "EUR"}
	for range 2 { // package pay recognizes repeated notifications, not the gateway
		got, err := s.Verify(header, []byte(sandboxBody))
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	withMore := strings.Replace(sandboxBody, `{"type"`, `{"timestamp":"2026-05-06T07:08:09Z","type"`, 1)
	got, err := s.Verify(Sign(testSecret, evtID, testTime, []byte(withMore)), []byte(withMore))
	require.NoError(t, err, "a field that a later version adds")
	assert.Equal(t, want, got)
}

func TestSandboxRefusesWrongSignatures(t *testing.T) {
	t.Parallel()
	s := readingSandbox(t)
	good := Sign(testSecret, evtID, testTime, []byte(sandboxBody))
	bare := strings.TrimPrefix(good.Get(headerWebhookSignature), "v1,")
	at := func(d time.Duration) http.Header {
		return Sign(testSecret, evtID, testTime.Add(d), []byte(sandboxBody))
	}
	with := func(name string, values ...string) http.Header {
		h := maps.Clone(good)
		h[name] = values
		return h
	}
	for name, refused := range map[string]struct {
		header http.Header
		body   string
	}{
		"another body":      {good, strings.Replace(sandboxBody, "1900", "1901", 1)},
		"a space more":      {good, sandboxBody + " "},
		"no body":           {good, ""},
		"no headers":        {http.Header{}, sandboxBody},
		"another key":       {Sign(otherSecret, evtID, testTime, []byte(sandboxBody)), sandboxBody},
		"no key":            {Sign("", evtID, testTime, []byte(sandboxBody)), sandboxBody},
		"another id":        {with(headerWebhookID, "evt_2"), sandboxBody},
		"no id":             {with(headerWebhookID, ""), sandboxBody},
		"two ids":           {with(headerWebhookID, evtID, "evt_2"), sandboxBody},
		"an id of two":      {Sign(testSecret, "evt.1", testTime, []byte(sandboxBody)), sandboxBody},
		"an id with spaces": {Sign(testSecret, "evt 1", testTime, []byte(sandboxBody)), sandboxBody},
		"an endless id": {
			Sign(testSecret, strings.Repeat("e", 129), testTime, []byte(sandboxBody)), sandboxBody,
		},
		"another time":       {with(headerWebhookTimestamp, strconv.FormatInt(testTime.Unix()+1, 10)), sandboxBody},
		"a time with a plus": {with(headerWebhookTimestamp, "+"+good.Get(headerWebhookTimestamp)), sandboxBody},
		"no time":            {with(headerWebhookTimestamp, "soon"), sandboxBody},
		"a time before time": {with(headerWebhookTimestamp, "-9223372036854775808"), sandboxBody},
		"too old":            {at(-5*time.Minute - time.Second), sandboxBody},
		"too new":            {at(5*time.Minute + time.Second), sandboxBody},
		"no signature":       {with(headerWebhookSignature, ""), sandboxBody},
		"another version":    {with(headerWebhookSignature, "v1a,"+bare), sandboxBody},
		"no version":         {with(headerWebhookSignature, bare), sandboxBody},
		"a part":             {with(headerWebhookSignature, "v1,"+bare[:len(bare)-4]), sandboxBody},
		"a comma alone":      {with(headerWebhookSignature, "v1,"), sandboxBody},
		"two headers":        {with(headerWebhookSignature, "v1,"+bare, "v1,"+bare), sandboxBody},
		"too many signatures": {
			with(headerWebhookSignature, strings.Repeat("v1,x ", maxSignatures)+"v1,"+bare), sandboxBody,
		},
		"signatures by commas": {with(headerWebhookSignature, "v1,x,v1,"+bare), sandboxBody},
	} {
		got, err := s.Verify(refused.header, []byte(refused.body))
		require.ErrorIs(t, err, pay.ErrSignature, name)
		assert.Zero(t, got, name)
	}
	for name, accepted := range map[string]http.Header{
		"as old as may be":        at(-5 * time.Minute),
		"as new as may be":        at(5 * time.Minute),
		"a new key's comes first": with(headerWebhookSignature, "v1,x v2,y v1,"+bare),
		"a new key's comes last":  with(headerWebhookSignature, "v1,"+bare+" v1,x"),
	} {
		_, err := s.Verify(accepted, []byte(sandboxBody))
		require.NoError(t, err, name)
	}
	huge := []byte(sandboxBody + strings.Repeat(" ", maxBody))
	_, err := s.Verify(Sign(testSecret, evtID, testTime, huge), huge)
	require.ErrorIs(t, err, pay.ErrSignature, "a huge body")
}

func TestSandboxDistinguishesPaymentsFromOtherNotifications(t *testing.T) {
	t.Parallel()
	s := readingSandbox(t)
	verify := func(body string) error {
		got, err := s.Verify(Sign(testSecret, evtID, testTime, []byte(body)), []byte(body))
		assert.Zero(t, got, body)
		return err
	}
	for _, body := range []string{
		strings.Replace(sandboxBody, "payment.succeeded", "payment.failed", 1), `{}`, `null`,
		`{"type":"ping","data":[1]}`, strings.Replace(sandboxBody, "type", "Type", 1),
	} {
		require.ErrorIs(t, verify(body), pay.ErrNotPayment, body)
	}
	change := func(from, to string) string { return strings.Replace(sandboxBody, from, to, 1) }
	for _, body := range []string{
		``, `[]`, `{"type":`, sandboxBody + sandboxBody, change(`}}`, `}}x`), `{"type":"payment.succeeded"}`,
		`{"type":"payment.succeeded","data":null}`, `{"type":"payment.succeeded","data":{}}`,
		change(`"amount":1900`, `"amount":1900,"amount":1`), change(`"type":`, `"type":"ping","type":`),
		change(`1900`, `19.0`), change(`1900`, `1.9e3`), change(`1900`, `"1900"`), change(`1900`, `-1`),
		change(`1900`, `9223372036854775808`), change(`1900`, `null`), change(`,"amount":1900`, ``),
		change(`"12345"`, `12345`), change(`"12345"`, `"-1"`), change(`"12345"`, `"0"`), change(`"12345"`, `"012345"`),
		change(`"pay_number":"12345",`, ``), change(`txn_1`, ``), change(`txn_1`, strings.Repeat("t", 129)),
		change(`txn_1`, `t\u0000`), change(`txn_1`, "t\xff"), change(`EUR`, `eur`), change(`EUR`, `EURO`),
		change(`EUR`, ``), change(`"EUR"`, strings.Repeat("[", 20_000)),
	} {
		err := verify(body)
		require.Error(t, err, body)
		require.NotErrorIs(t, err, pay.ErrNotPayment, body)
		require.NotErrorIs(t, err, pay.ErrSignature, body)
	}
}

func FuzzSandboxNotification(f *testing.F) {
	good := Sign(testSecret, evtID, testTime, []byte(sandboxBody))
	timestamp, signature := good.Get(headerWebhookTimestamp), good.Get(headerWebhookSignature)
	f.Add(evtID, timestamp, signature, []byte(sandboxBody), false)
	f.Add(evtID, timestamp, "v1,x "+signature, []byte(sandboxBody), false)
	f.Add("evt.1", timestamp, signature, []byte(sandboxBody), true)
	f.Add("", "", "", []byte(nil), true)
	for _, body := range []string{
		`{"type":"payment.succeeded","data":{"pay_number":"1","transaction_id":"t","amount":1.0,"currency":"EUR"}}`,
		`{"type":"payment.failed","data":null}`, `{"type":"payment.succeeded","data":{"amount":1,"amount":2}}`, `[[[[`,
		"\xff",
	} {
		f.Add("e", timestamp, "", []byte(body), true)
	}
	s := readingSandbox(f)
	standard, err := webhooks.NewWebhook(testSecret)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, id, timestamp, signature string, body []byte, sign bool) {
		header := http.Header{
			headerWebhookID: {id}, headerWebhookTimestamp: {timestamp}, headerWebhookSignature: {signature},
		}
		if sign { // so that the parser behind the signature is reached
			header = Sign(testSecret, id, testTime, body)
		}
		n, err := s.Verify(header, body)
		if err != nil {
			require.Zero(t, n)
			return
		}
		require.NoError(t, standard.VerifyIgnoringTimestamp(body, header), "accepted without a valid signature")
		require.True(t, n.PayNumber > 0 && n.Amount >= 0 && len(n.Currency) == 3 && n.EventID != "" &&
			n.TransactionID != "", "%+v", n)
	})
}
