package admit_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
	"onrush/modules/seckill/gates/admit"
)

// The secret of the example of Standard Webhooks, and another one.
const (
	secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	next   = "whsec_bmV4dC1zZWNyZXQtb2YtdGhlLXNob3AtMzItYnl0ZXM="
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func now() time.Time { return noon }

var ada = admit.Admission{Activity: "spring", SKU: "lamp", User: "ada", Address: "192.0.2.1"}

func gate(ask admit.Asker, log io.Writer) *admit.Gate {
	return admit.NewGate(ask, now, slog.New(slog.NewTextHandler(log, nil)))
}

func TestTheShopDecidesWhoIsAdmitted(t *testing.T) {
	t.Parallel()
	refused := func(reason string) error { return &admit.Refused{Reason: reason} }
	not := admit.CodeNotAdmitted
	require.NoError(t, (*admit.Gate)(nil).Admit(t.Context(), ada), "no gate")
	for name, row := range map[string]struct {
		answer error
		panics bool
		code   problem.Code
		detail string
	}{
		"admitted":           {},
		"refused":            {answer: refused("Members only."), code: not, detail: "Members only."},
		"without a reason":   {answer: refused(""), code: not, detail: "You may not buy in this sale."},
		"of several lines":   {answer: refused(" a\nb\x00\xff "), code: not, detail: "a b"},
		"fails":              {answer: errors.New("dial"), code: problem.CodeUnavailable},
		"panics":             {panics: true, code: problem.CodeUnavailable},
		"refused and failed": {answer: errors.Join(errors.New("x"), refused("")), code: not},
	} {
		var asked admit.Admission
		err := gate(func(_ context.Context, a admit.Admission) error {
			asked = a
			if row.panics {
				panic("broken")
			}
			return row.answer
		}, io.Discard).Admit(t.Context(), ada)
		assert.Equal(t, row.code, problem.CodeOf(err), name)
		assert.Equal(t, ada, asked, name)
		if row.detail != "" {
			assert.Equal(t, row.detail, detailOf(t, err), name)
		}
	}
	err := gate(func(context.Context, admit.Admission) error {
		return &admit.Refused{Reason: strings.Repeat("谢", 900)}
	}, io.Discard).Admit(t.Context(), ada)
	assert.Equal(t, strings.Repeat("谢", 200)+"…", detailOf(t, err))
}

func detailOf(t *testing.T, err error) string {
	t.Helper()
	refused, ok := errors.AsType[*problem.Error](err)
	require.True(t, ok)
	return refused.Detail
}

// A shop that answers nobody holds 256 questions, and refuses the others at once. A question that ends makes room.
func TestAShopThatHangsHoldsABoundedNumberOfQuestions(t *testing.T) {
	t.Parallel()
	end, hung := make(chan struct{}), make(chan struct{}, 1000)
	g := gate(func(context.Context, admit.Admission) error {
		hung <- struct{}{}
		<-end // whatever becomes of the context
		return nil
	}, io.Discard)
	var all sync.WaitGroup
	var mu sync.Mutex
	codes := map[string]int{}
	for range 300 {
		all.Go(func() {
			err := g.Admit(t.Context(), ada)
			mu.Lock()
			defer mu.Unlock()
			codes[problem.CodeOf(err).Name]++
		})
	}
	all.Wait()
	assert.Equal(t, map[string]int{"unavailable": 256, "overloaded": 44}, codes)
	assert.Len(t, hung, 256)
	assert.Equal(t, problem.CodeOverloaded, problem.CodeOf(g.Admit(t.Context(), ada)), "they still hang")
	close(end)
	require.Eventually(t, func() bool { return g.Admit(t.Context(), ada) == nil }, time.Minute, time.Millisecond)
}

// A failure is logged once a minute, with the stack of a panic; a buyer who leaves is no failure.
func TestQuestionsWithoutAnAnswerAreLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	g := gate(func(ctx context.Context, a admit.Admission) error {
		if a.User == "leaves" {
			<-ctx.Done()
			return ctx.Err()
		}
		panic("broken")
	}, &log)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	leaves := ada
	leaves.User = "leaves"
	require.Error(t, g.Admit(gone, leaves))
	assert.Empty(t, log.String())
	for range 3 {
		require.Error(t, g.Admit(t.Context(), ada))
	}
	assert.Equal(t, 1, strings.Count(log.String(), "broken"))
	assert.Contains(t, log.String(), "gate_test.go")
}

func TestOnlyAnswersOfTheRouteDecide(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status int
		body   string
		code   problem.Code
	}{
		"admitted":       {200, `{"admitted":true}`, problem.Code{}},
		"refused":        {200, `{"admitted":false,"reason":"No."}`, admit.CodeNotAdmitted},
		"says nothing":   {200, `{}`, problem.CodeUnavailable},
		"null":           {200, `{"admitted":null}`, problem.CodeUnavailable},
		"a text":         {200, `{"admitted":"true"}`, problem.CodeUnavailable},
		"twice":          {200, `{"admitted":false,"admitted":true}`, problem.CodeUnavailable},
		"a page":         {200, `<html>`, problem.CodeUnavailable},
		"nothing":        {200, ``, problem.CodeUnavailable},
		"too long":       {200, `{"admitted":true,"x":"` + strings.Repeat("x", 5000) + `"}`, problem.CodeUnavailable},
		"not found":      {404, `{"admitted":true}`, problem.CodeUnavailable},
		"a proxy's page": {502, `{"admitted":false}`, problem.CodeUnavailable},
		"moved":          {307, `{"admitted":true}`, problem.CodeUnavailable},
	} {
		shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(row.status)
			_, _ = io.WriteString(w, row.body)
		}))
		route, err := admit.ParseRoute(shop.URL+"/admit "+secret, now, func() string { return "id" })
		require.NoError(t, err)
		assert.Equal(t, row.code, problem.CodeOf(gate(route.Ask, io.Discard).Admit(t.Context(), ada)), name)
		route.CloseIdleConnections()
		shop.Close()
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(gate(route.Ask, io.Discard).Admit(t.Context(), ada)))
	}
}

// The library of the standard, which shops use, accepts the question by either secret.
func TestQuestionsAreSignedByEachSecret(t *testing.T) {
	t.Parallel()
	var header http.Header
	var body []byte
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		body, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, `{"admitted":true}`)
	}))
	defer shop.Close()
	route, err := admit.ParseRoute(shop.URL+" "+secret+";"+next, time.Now, func() string { return "id" })
	require.NoError(t, err)
	require.NoError(t, route.Ask(t.Context(), ada))
	for _, s := range []string{secret, next} {
		key, err := webhooks.NewWebhook(s)
		require.NoError(t, err)
		require.NoError(t, key.Verify(body, header))
	}
	assert.Equal(t, "admit-id", header.Get("Webhook-Id"))
	var sent map[string]string
	require.NoError(t, json.Unmarshal(body, &sent))
	assert.Equal(t, map[string]string{
		"activity_id": "spring", "sku_id": "lamp", "user_id": "ada", "address": "192.0.2.1",
	}, sent)
}

func TestASettingThatCanNotBeARouteIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                      "an address, a space",
		"https://shop.example/admit":            "an address, a space",
		"https://shop.example " + secret + " x": "an address, a space",
		"http://shop.example " + secret:         "must begin with https",
		"https://shop.example?a=b " + secret:    "not the address",
		"https://u:p@shop.example " + secret:    "not the address",
		"https://shop.example geheim-geheim":    "secret 1 must be whsec_",
		"https://shop.example whsec_c2hvcnQ=":   "secret 1 must be whsec_",
		"https://shop.example ;":                "secret 1 must be whsec_",
	} {
		_, err := admit.ParseRoute(text, now, nil)
		require.ErrorContains(t, err, want, text)
		assert.NotContains(t, err.Error(), "geheim")
	}
}

// A basket is asked about sku by sku until the first refusal, and all of it has the time of one question.
func TestAllSkusOfABasketAreAskedInTheTimeOfOneQuestion(t *testing.T) {
	t.Parallel()
	var asked []string
	var deadlines []time.Time
	var log strings.Builder
	all := func(answer func(ctx context.Context, sku string) error) (string, error) {
		asked, deadlines = nil, nil
		return gate(func(ctx context.Context, a admit.Admission) error {
			deadline, _ := ctx.Deadline()
			asked, deadlines = append(asked, a.SKU), append(deadlines, deadline)
			return answer(ctx, a.SKU)
		}, &log).AdmitAll(t.Context(), ada, slices.Values([]string{"desk", "lamp", "chair"}))
	}
	_, err := all(func(context.Context, string) error { return nil })
	require.NoError(t, err)
	assert.Equal(t, []string{"desk", "lamp", "chair"}, asked)
	assert.Equal(t, []time.Time{deadlines[0], deadlines[0], deadlines[0]}, deadlines)

	sku, err := all(func(_ context.Context, sku string) error {
		if sku == "lamp" {
			return &admit.Refused{}
		}
		return nil
	})
	assert.Equal(t, "lamp", sku)
	assert.Equal(t, admit.CodeNotAdmitted, problem.CodeOf(err))
	assert.Equal(t, []string{"desk", "lamp"}, asked)

	assert.Empty(t, log.String())
	_, err = all(func(ctx context.Context, _ string) error {
		<-ctx.Done()
		return ctx.Err()
	})
	assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
	assert.NotEmpty(t, log.String(), "the operator is told of a shop that is too slow")
	_, err = (*admit.Gate)(nil).AdmitAll(t.Context(), ada, slices.Values([]string{"desk"}))
	require.NoError(t, err)
}
