package sandbox

import (
	"context"
	"encoding/base64"
	"log/slog"
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

const (
	sandboxBody = `{"type":"payment.succeeded","data":{"pay_number":"12345","transaction_id":"txn_1","amount":1900,` +
		`"currency":"EUR"}}`
	evtID = "evt_1"
)

var (
	testSecret  = "whsec_" + base64.StdEncoding.EncodeToString([]byte("a secret of thirty-two bytes .."))
	otherSecret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("another secret of many bytes ..."))
	testTime    = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
)

// readingSandbox is a sandbox that only reads notifications, at testTime.
func readingSandbox(t testing.TB) *Gateway {
	t.Helper()
	deps := Deps{Now: func() time.Time { return testTime }, Log: slog.New(slog.DiscardHandler)}
	s, err := New(context.Background(), Config{Secret: testSecret, BaseURL: "http://127.0.0.1:8080"}, deps)
	require.NoError(t, err)
	return s
}

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

// The library of the standard is the other side, both ways.
func TestSandboxSignsAsTheStandardSays(t *testing.T) {
	t.Parallel()
	standard, err := webhooks.NewWebhook(testSecret)
	require.NoError(t, err)
	header := Sign(testSecret, evtID, testTime, []byte(sandboxBody))
	require.NoError(t, standard.VerifyIgnoringTimestamp([]byte(sandboxBody), header))

	signature, err := standard.Sign(evtID, testTime, []byte(sandboxBody))
	require.NoError(t, err)
	theirs := http.Header{}
	theirs.Set(webhooks.HeaderWebhookID, evtID)
	theirs.Set(webhooks.HeaderWebhookTimestamp, strconv.FormatInt(testTime.Unix(), 10))
	theirs.Set(webhooks.HeaderWebhookSignature, signature)
	_, err = readingSandbox(t).Verify(theirs, []byte(sandboxBody))
	require.NoError(t, err)
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

func TestSandboxRefusesSettingsThatCantBe(t *testing.T) {
	t.Parallel()
	assert.True(t, Config{BaseURL: "http://x"}.Off())
	assert.False(t, Config{Secret: "x"}.Off())
	const base = "http://127.0.0.1:8080"
	for name, cfg := range map[string]Config{
		"no secret": {BaseURL: base},
		"no prefix": {Secret: strings.TrimPrefix(testSecret, "whsec_"), BaseURL: base},
		"no base64": {Secret: "whsec_äöü-secret-of-many-characters", BaseURL: base},
		"a short secret": {
			Secret: "whsec_" + base64.StdEncoding.EncodeToString([]byte("twenty-three characters")), BaseURL: base,
		},
		"a long secret":        {Secret: "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 65)), BaseURL: base},
		"no base":              {Secret: testSecret},
		"no scheme":            {Secret: testSecret, BaseURL: "127.0.0.1:8080"},
		"another scheme":       {Secret: testSecret, BaseURL: "ftp://x"},
		"a base with a query":  {Secret: testSecret, BaseURL: base + "?a=b"},
		"a webhook of nothing": {Secret: testSecret, BaseURL: base, WebhookURL: "/webhooks"},
		"waits that shrink":    {Secret: testSecret, BaseURL: base, Wait: time.Minute, WaitMax: time.Second},
		"fewer than one":       {Secret: testSecret, BaseURL: base, Attempts: -1},
	} {
		_, err := New(t.Context(), cfg, Deps{})
		require.Error(t, err, name)
		if cfg.Secret != "" {
			assert.NotContains(t, err.Error(), strings.TrimPrefix(cfg.Secret, "whsec_"), name)
		}
	}
	for from, to := range map[string]string{
		"http://:8080": "http://127.0.0.1:8080", "http://0.0.0.0:8080/": "http://127.0.0.1:8080",
		"http://[::]:81": "http://127.0.0.1:81", "https://shop.example/pay/": "https://shop.example/pay",
		"http://localhost:1": "http://localhost:1",
	} {
		s, err := New(t.Context(), Config{Secret: testSecret, BaseURL: from}, Deps{})
		require.NoError(t, err, from)
		assert.Equal(t, to, s.cfg.BaseURL)
		assert.Equal(t, to+"/webhooks/pay/sandbox", s.cfg.WebhookURL)
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
