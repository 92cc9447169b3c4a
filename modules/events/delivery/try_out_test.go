package delivery_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/events/delivery"
	"onrush/modules/problem"
	"onrush/test/kit"
)

func TestATestEventIsSignedAndItsAnswerShown(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, delivery.Config{})
		var header http.Header
		var body []byte
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			header = r.Header
			body, _ = io.ReadAll(r.Body)
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(w, "short and stout")
		}))
		defer server.Close()
		made, _, err := w.service.Put(t.Context(), "erp", delivery.Settings{URL: server.URL}) // it is off
		require.NoError(t, err)

		test, err := w.service.Test(t.Context(), "erp")
		require.NoError(t, err)
		key, err := webhooks.NewWebhook(made.Secret)
		require.NoError(t, err)
		require.NoError(t, key.VerifyIgnoringTimestamp(body, header))
		assert.Equal(t, header.Get("webhook-id"), test.WebhookID)
		assert.Equal(t, string(body), test.Body)
		assert.Equal(t, []any{false, 418, "short and stout", ""},
			[]any{test.Accepted, test.StatusCode, test.Answer, test.Error})
		var event map[string]any
		require.NoError(t, json.Unmarshal(body, &event))
		assert.Equal(t, "endpoint.test", event["type"])
		assert.Equal(t, map[string]any{"endpoint_id": "erp"}, event["data"])
		assert.Empty(t, w.deliveries(t, "erp", ""))
		assert.Equal(t, made.Version, w.endpoint(t, "erp").Version)

		server.Close()
		test, err = w.service.Test(t.Context(), "erp")
		require.NoError(t, err)
		assert.Zero(t, test.StatusCode)
		assert.NotEmpty(t, test.Error)
		assert.NotContains(t, test.Error, server.URL)
		_, err = w.service.Test(t.Context(), "nothing")
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
	})
}

func TestAnInstanceSendsFewTestsAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, delivery.Config{})
		came, answer := make(chan struct{}, 48), make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			came <- struct{}{}
			<-answer
		}))
		defer server.Close()
		_, _, err := w.service.Put(t.Context(), "erp", delivery.Settings{URL: server.URL, Enabled: true})
		require.NoError(t, err)
		codes := make(chan problem.Code, 48)
		for range 48 {
			go func() {
				_, err := w.service.Test(t.Context(), "erp")
				codes <- problem.CodeOf(err)
			}()
		}
		for range 44 {
			assert.Equal(t, problem.CodeOverloaded, <-codes)
		}
		close(answer)
		for range 4 {
			<-came
			assert.Equal(t, problem.Code{}, <-codes)
		}
	})
}

func TestADeliveryHasItsEventUntilThatIsDeleted(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, delivery.Config{})
		r := receive(t)
		w.registers(t, "erp", r)
		r.always(http.StatusOK)
		w.happens(t, 2, "4711")
		works(t, w.instance("one", nil))
		log := w.deliveries(t, "erp", "")
		require.Len(t, log, 2)
		for i, n := range []int{2, 1} {
			detail, err := w.service.Delivery(t.Context(), log[i].ID)
			require.NoError(t, err)
			assert.Equal(t, log[i], detail.Delivery)
			require.NotNil(t, detail.Event)
			assert.Equal(t, log[i].Event, detail.Event.ID)
			var data struct {
				N int `json:"n"`
			}
			require.NoError(t, json.Unmarshal(detail.Event.Data, &data))
			assert.Equal(t, n, data.N)
		}
		_, err := stores.DB.Write.ExecContext(t.Context(), `DELETE FROM events`)
		require.NoError(t, err)
		detail, err := w.service.Delivery(t.Context(), log[0].ID)
		require.NoError(t, err)
		assert.Nil(t, detail.Event)
		for _, id := range []string{"erp~1", "erp", "other~" + log[0].ID, ""} {
			_, err := w.service.Delivery(t.Context(), id)
			assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err), id)
		}
	})
}
