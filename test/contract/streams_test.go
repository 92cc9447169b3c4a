package contract

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/test/site"
	"onrush/web/client"
)

// watch follows a task; between is called once the first event is there.
func (w *world) watch(t *testing.T, task string, between func()) (first, last client.Task) {
	t.Helper()
	r := w.request(t, "watchTask", param("task_id", task))
	req, err := w.ada.http(context.WithoutCancel(t.Context()), r)
	require.NoError(t, err)
	res, err := w.client.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	reader := bufio.NewReader(res.Body)
	var text strings.Builder
	for !strings.HasSuffix(text.String(), "\n\n") {
		line, err := reader.ReadString('\n')
		require.NoError(t, err)
		text.WriteString(line)
	}
	between()
	rest, err := io.ReadAll(reader)
	require.NoError(t, err)
	text.Write(rest)
	w.ada.holds(t, r, site.Answer{Status: res.StatusCode, Header: res.Header, Body: []byte(text.String())})

	var events []client.Task
	for event := range strings.SplitSeq(strings.TrimSuffix(text.String(), "\n\n"), "\n\n") {
		if event == ":" {
			continue // keeps the connection alive
		}
		data, ok := strings.CutPrefix(event, "event: task\ndata: ")
		require.True(t, ok, event)
		var raw object
		require.NoError(t, json.Unmarshal([]byte(data), &raw))
		require.NoError(t, w.conforms(w.doc.Components.Schemas["Task"].Value, raw), data)
		var task client.Task
		require.NoError(t, json.Unmarshal([]byte(data), &task))
		events = append(events, task)
	}
	require.NotEmpty(t, events)
	return events[0], events[len(events)-1]
}
