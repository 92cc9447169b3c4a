package pictures

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/pictures/bucket"
	"onrush/modules/problem"
	"onrush/test/kit"
)

var noon = time.Date(2026, 11, 11, 12, 0, 0, 0, time.UTC)

// world is the pictures on two instances.
type world struct {
	*Service
	here, there *Reader
	clock       *kit.Clock
	noTime      error // of a store that is asked for its time
	log         kit.Output
}

// Get returns what a request for a picture is answered with.
func (r *Reader) Get(ctx context.Context, id string) (mediaType string, data []byte, err error) {
	h, err := r.header(ctx, id)
	if err != nil {
		return "", nil, err
	}
	data, err = r.content(ctx, h)
	return h.MediaType, data, err
}

func newWorld(s *kit.Stores) *world {
	w := &world{clock: kit.NewClock(noon)}
	w.Service = NewService(w.deps(s, &bucket.Buckets{}))
	w.here, w.there = w.Reader, NewReader(w.Deps)
	return w
}

// deps are of an instance with buckets.
func (w *world) deps(s *kit.Stores, buckets *bucket.Buckets) Deps {
	return Deps{
		DB: s.DB, Shown: s.DB, Clock: w.clock.Now, Now: w.clock.Now, Base: "/flash", Buckets: buckets, NewID: rand.Text,
		Sync: func(context.Context) error { return w.noTime }, Log: slog.New(slog.NewTextHandler(&w.log, nil)),
	}
}

// keeps keeps a picture of a shop.
func (w *world) keeps(t *testing.T, shop string, data []byte) Picture {
	t.Helper()
	p, isNew, err := w.Keep(t.Context(), Upload{Shop: shop, MediaType: "image/png", Data: data, By: "ada"})
	require.NoError(t, err)
	require.True(t, isNew)
	return p
}

// draw returns a PNG of a width, with a rest behind it.
func draw(width int, rest ...byte) []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, 1))); err != nil {
		panic(err) // out takes everything
	}
	return append(out.Bytes(), rest...)
}

// The largest picture is stored in parts, whatever its bytes are: each needs two as a literal.
func TestTheLargestPictureIsReadAsItWasUploaded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		for i, fill := range []string{"\x00", "'", `\`, "\xff\xfe", "漢"} {
			data := draw(i + 1)
			data = append(data, bytes.Repeat([]byte(fill), MaxBytes/len(fill))...)[:MaxBytes]
			kept := w.keeps(t, "", data)
			assert.Equal(t, "/flash/pictures/"+kept.ID, kept.URL)
			for _, reader := range []*Reader{w.here, w.there} {
				mediaType, got, err := reader.Get(t.Context(), kept.ID)
				require.NoError(t, err)
				assert.Equal(t, "image/png", mediaType)
				assert.True(t, bytes.Equal(data, got), "%q", fill)
			}
		}
	})
}

func TestTheSamePictureIsKeptOnceForEachShop(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		type answer struct {
			id    string
			isNew bool
			err   error
		}
		answers := kit.AtOnce(16, func(i int) answer {
			p, isNew, err := w.Keep(t.Context(), Upload{
				Shop: fmt.Sprint("shop-", i%2), MediaType: "image/png", Data: draw(9), By: "ada",
			})
			return answer{p.ID, isNew, err}
		})
		ids, made := map[string]bool{}, 0
		for _, a := range answers {
			require.NoError(t, a.err)
			ids[a.id] = true
			if a.isNew {
				made++
			}
		}
		assert.Len(t, ids, 2)
		assert.Equal(t, 2, made)
		list, err := w.List(t.Context(), "", "", 10)
		require.NoError(t, err)
		assert.Len(t, list.Items, 2)
	})
}

// Whoever asks for all pictures, one after the other, gets them from SQL at a pace.
func TestPicturesThatFewAskForAreReadAtAPace(t *testing.T) {
	t.Parallel()
	w := newWorld(kit.OnEmbedded(t))
	w.here.inSQL.pace = 1 // a byte a second
	var kept []Picture
	for i := range sqlReads + 1 {
		kept = append(kept, w.keeps(t, "", draw(i+1)))
	}
	for _, p := range kept[:sqlReads] {
		_, _, err := w.here.Get(t.Context(), p.ID)
		require.NoError(t, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, _, err := w.here.Get(ctx, kept[sqlReads].ID)
	require.Error(t, err)
	_, _, err = w.here.Get(t.Context(), kept[0].ID)
	require.NoError(t, err, "it is in memory")
}

func TestAPictureIsDeletedOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		p := w.keeps(t, "", draw(1))
		deleted := 0
		for _, err := range kit.AtOnce(16, func(int) error { return w.Delete(t.Context(), p.ID) }) {
			if err == nil {
				deleted++
				continue
			}
			require.Equal(t, problem.CodeNotFound, problem.CodeOf(err), "%v", err)
		}
		assert.Equal(t, 1, deleted)
	})
}

func TestTooManyPicturesAreRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		w.maxOfShop, w.maxOfDay = 3, 2
		refused := func(shop string, width int) problem.Code {
			_, _, err := w.Keep(t.Context(), Upload{Shop: shop, MediaType: "image/png", Data: draw(width), By: "ada"})
			return problem.CodeOf(err)
		}
		w.keeps(t, "a", draw(1))
		w.keeps(t, "b", draw(1))
		assert.Equal(t, problem.CodeRateLimited, refused("a", 2))
		_, isNew, err := w.Keep(t.Context(), Upload{Shop: "a", MediaType: "image/png", Data: draw(1), By: "ada"})
		require.NoError(t, err, "it is there already")
		assert.False(t, isNew)
		w.clock.Advance(24*time.Hour + time.Millisecond)
		w.keeps(t, "a", draw(2))
		w.keeps(t, "a", draw(3))
		w.clock.Advance(48 * time.Hour)
		assert.Equal(t, problem.CodeConflict, refused("a", 4))
		w.keeps(t, "b", draw(4))
	})
}

func TestADeletedPictureIsGoneFromOtherInstancesWithinASecond(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		kept := w.keeps(t, "", draw(1))
		for _, reader := range []*Reader{w.here, w.there} {
			_, _, err := reader.Get(t.Context(), kept.ID)
			require.NoError(t, err)
		}
		require.NoError(t, w.Delete(t.Context(), kept.ID))
		_, _, err := w.here.Get(t.Context(), kept.ID)
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		w.clock.Advance(time.Second)
		_, _, err = w.there.Get(t.Context(), kept.ID)
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(w.Delete(t.Context(), kept.ID)))
		w.keeps(t, "", draw(1))
		_, _, err = w.here.Get(t.Context(), kept.ID)
		require.NoError(t, err, "it was uploaded again")
	})
}

// What has a picture is where its address is: in a sku, a sale, or the goods of a sale.
func TestAPictureThatIsShownStays(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		for _, row := range []string{
			`INSERT INTO skus (sku_id, shop_id, title, image_url, kind, price, currency, stock, freight_fee,
				freight_free_over, updated_ms) VALUES ('lamp', 's', 'Lamp', '', 'physical', 1, 'EUR', 1, 0, 0, 1)`,
			`INSERT INTO activities (activity_id, shop_id, title, starts_ms, ends_ms, pay_within_s, purchase_limit,
				permit_ratio, state, lane, created_ms, retired_ms, description, images)
				VALUES ('noon', 's', 'Noon', 1, 2, 1, 1, 1, 'draft', 0, 1, 0, '', '[]')`,
			`INSERT INTO sale_skus (activity_id, sku_id, shop_id, title, image_url, kind, price, currency, freight_fee,
				freight_free_over) VALUES ('noon', 'lamp', 's', 'Lamp', '', 'physical', 1, 'EUR', 0, 0)`,
		} {
			_, err := s.DB.Write.ExecContext(t.Context(), row)
			require.NoError(t, err)
		}
		for _, use := range []string{
			`UPDATE skus SET image_url = ?`, `UPDATE activities SET image_url = ?`, `UPDATE activities SET images = ?`,
			`UPDATE sale_skus SET image_url = ?`,
		} {
			kept := w.keeps(t, "", draw(1))
			_, err := s.DB.Write.ExecContext(t.Context(), use, `["https://shop.example`+kept.URL+`"]`)
			require.NoError(t, err)
			assert.Equal(t, problem.CodeConflict, problem.CodeOf(w.Delete(t.Context(), kept.ID)), use)
			_, err = s.DB.Write.ExecContext(t.Context(), use, "/pictures/another")
			require.NoError(t, err)
			require.NoError(t, w.Delete(t.Context(), kept.ID), use)
		}
	})
}

// A crowd that opens a sale shares one read of its picture; requests for pictures that don't exist share reads, too.
func TestACrowdReadsAPictureOnce(t *testing.T) {
	t.Parallel()
	s := kit.OnEmbedded(t, kit.Breakable())
	w := newWorld(s)
	kept := w.keeps(t, "", draw(1))
	before := s.SQLCalls(t)
	kit.Crowd(64, func(int) {
		for range 10 {
			_, data, err := w.there.Get(t.Context(), kept.ID)
			assert.NoError(t, err) //nolint:testifylint // not the goroutine of the test
			assert.Equal(t, draw(1), data)
		}
	})
	assert.LessOrEqual(t, s.SQLCalls(t)-before, int64(4), "what is known of it, and its content")
	before = s.SQLCalls(t)
	kit.Crowd(64, func(i int) {
		for n := range 25 {
			_, _, err := w.there.Get(t.Context(), fmt.Sprint("nothing-", i, "-", n))
			assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		}
	})
	assert.Less(t, s.SQLCalls(t)-before, int64(150), "of 1,600 ids")
	s.SQLAway(t)
	w.clock.Advance(10 * time.Minute)
	_, data, err := w.there.Get(t.Context(), kept.ID)
	require.NoError(t, err, "while SQL is unavailable, a picture in memory is shown")
	assert.Equal(t, draw(1), data)
}

func TestTheListGoesOnBehindItsCursor(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w := newWorld(s)
		var want []string
		for width := range 5 {
			want = append([]string{w.keeps(t, "", draw(width+1)).ID}, want...)
			w.clock.Advance(time.Millisecond)
		}
		var found []string
		cursor := ""
		for range want {
			list, err := w.List(t.Context(), "", cursor, 1)
			require.NoError(t, err)
			found, cursor = append(found, list.Items[0].ID), list.NextCursor
		}
		assert.Empty(t, cursor)
		assert.Equal(t, want, found)
		for _, wrong := range []string{
			"x", api.FormatCursor("1"), api.FormatCursor("x", "y"), api.FormatCursor("1", "\xff"),
		} {
			_, err := w.List(t.Context(), "", wrong, 1)
			assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err))
		}
	})
}

func TestPicturesAreMeasured(t *testing.T) {
	t.Parallel()
	var photo bytes.Buffer
	require.NoError(t, jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 30, 20)), nil))
	// The smallest lossless WebP, of one pixel.
	webp, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	require.NoError(t, err)
	for mediaType, c := range map[string]struct {
		data          []byte
		width, height int
	}{
		"image/png": {draw(7), 7, 1}, "image/jpeg": {photo.Bytes(), 30, 20}, "image/webp": {webp, 1, 1},
	} {
		width, height, err := measure(mediaType, c.data)
		require.NoError(t, err, mediaType)
		assert.Equal(t, []int{c.width, c.height}, []int{width, height}, mediaType)
		for other := range headers {
			_, _, err := measure(other, c.data)
			assert.Equal(t, other == mediaType, err == nil, "%s as %s", mediaType, other)
		}
		for n := range len(c.data) / 2 {
			_, _, _ = measure(mediaType, c.data[:n]) // a damaged picture is no panic
		}
	}
	_, _, err = measure("image/png", draw(maxSide+1))
	assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err))
}
