package web

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp/fasthttputil"
)

func TestClientsOfHTTP10GetStreamsAndFilesWithoutChunks(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	pagesOf := func(failure error) Pages {
		pages := []string{"a,b\n", "1,2\n", ""}
		return func(context.Context) ([]byte, error) {
			page := pages[0]
			if pages = pages[1:]; len(pages) == 0 && failure != nil {
				return nil, failure
			}
			return []byte(page), nil
		}
	}
	app.Get("/file", func(c *fiber.Ctx) error {
		return File(c, "x.csv", "text/csv", pagesOf(nil), []byte("FAILED"))
	})
	app.Get("/broken", func(c *fiber.Ctx) error {
		return File(c, "x.csv", "text/csv", pagesOf(errors.New("no store")), []byte("FAILED"))
	})
	app.Get("/events", func(c *fiber.Ctx) error {
		n := 0
		return Events(c, "task", time.Minute, func(context.Context) (any, bool, error) {
			n++
			return n, n == 3, nil
		})
	})
	listener := fasthttputil.NewInmemoryListener()
	t.Cleanup(func() { _ = listener.Close() })
	go func() { _ = app.Listener(listener) }()
	for path, want := range map[string]string{
		"/file":   "a,b\n1,2\n",
		"/broken": "a,b\n1,2\nFAILED",
		"/events": "event: task\ndata: 1\n\nevent: task\ndata: 2\n\nevent: task\ndata: 3\n\n",
	} {
		for range 2 * maxExports { // each gives back what it holds
			conn, err := listener.Dial()
			require.NoError(t, err)
			_, err = io.WriteString(conn, "GET "+path+" HTTP/1.0\r\nHost: shop\r\nConnection: keep-alive\r\n\r\n")
			require.NoError(t, err)
			answer, err := io.ReadAll(conn)
			require.NoError(t, err)
			res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(string(answer))), nil)
			require.NoError(t, err)
			body, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			assert.Equal(t, http.StatusOK, res.StatusCode, "%s", answer)
			assert.Empty(t, res.TransferEncoding)
			assert.EqualValues(t, -1, res.ContentLength)
			assert.True(t, res.Close)
			assert.Equal(t, want, string(body), path)
			assert.NotEmpty(t, res.Header.Get(HeaderRequestID))
		}
	}
}
