package pictures

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/pictures/bucket"
	"onrush/modules/problem"
	"onrush/test/kit"
	"onrush/test/s3"
)

// with returns another instance, whose setting is text.
func (w *world) with(t *testing.T, s *kit.Stores, text string) *world {
	t.Helper()
	buckets, err := bucket.Parse(text, w.clock.Now)
	require.NoError(t, err)
	t.Cleanup(buckets.CloseIdleConnections)
	other := &world{clock: w.clock}
	other.Service = NewService(other.deps(s, buckets))
	other.here, other.there = other.Reader, NewReader(other.Deps)
	return other
}

// shows requires that an instance shows a picture of a width, and without what it has in memory.
func (w *world) shows(t *testing.T, id string, width int) {
	t.Helper()
	for _, reader := range []*Reader{w.here, NewReader(w.Deps)} {
		_, data, err := reader.Get(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, draw(width), data)
	}
}

// shown is the code with which an instance that has nothing in memory shows a picture.
func (w *world) shown(t *testing.T, id string) problem.Code {
	t.Helper()
	_, _, err := NewReader(w.Deps).Get(t.Context(), id)
	return problem.CodeOf(err)
}

// upload uploads a picture of a width, and returns the code of its refusal.
func (w *world) upload(ctx context.Context, width int) problem.Code {
	_, _, err := w.Keep(ctx, Upload{MediaType: "image/png", Data: draw(width), By: "ada"})
	return problem.CodeOf(err)
}

// left returns how many keys of objects without a picture SQL has.
func (w *world) left(t *testing.T) (n int) {
	t.Helper()
	require.NoError(t, w.DB.Read.GetContext(t.Context(), &n, `SELECT COUNT(*) FROM picture_objects`))
	return n
}

func (w *world) deletes(t *testing.T, want int) {
	t.Helper()
	n, err := w.DeleteObjects(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, n)
}

// A row says where the content is: whatever the setting was when a picture was uploaded, an instance that may read both
// SQL and the bucket shows it, and one that may not loses nothing.
func TestPicturesStayWhereTheyWereUploadedTo(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		off := newWorld(s)
		store, other := s3.Start(t, off.clock.Now), s3.Start(t, off.clock.Now)
		on, only := off.with(t, s, store.Setting("/a")), off.with(t, s, "sql;"+store.Setting("/a"))
		moved := off.with(t, s, other.Setting("")+";"+store.Setting("/a"))
		inSQL := off.keeps(t, "", draw(1))
		inBucket := on.keeps(t, "", draw(2))
		alsoSQL := only.keeps(t, "", draw(3))
		require.Equal(t, []string{"a/" + inBucket.ObjectKey}, store.Keys())
		require.Equal(t, []string{"", ""}, []string{inSQL.ObjectKey, alsoSQL.ObjectKey})
		newest := moved.keeps(t, "", draw(4))
		require.Equal(t, []string{newest.ObjectKey}, other.Keys())
		for _, w := range []*world{on, only, moved} {
			w.shows(t, inSQL.ID, 1)
			w.shows(t, inBucket.ID, 2)
			w.shows(t, alsoSQL.ID, 3)
		}
		moved.shows(t, newest.ID, 4)
		assert.Equal(t, problem.CodeUnavailable, off.shown(t, inBucket.ID))
		assert.Equal(t, problem.CodeUnavailable, on.shown(t, newest.ID))
		off.shows(t, inSQL.ID, 1)

		for _, w := range []*world{off, on, moved} { // whoever uploads it again finds it
			assert.Equal(t, problem.Code{}, w.upload(t.Context(), 2))
		}
		assert.Len(t, store.Keys(), 1)
		require.NoError(t, only.Delete(t.Context(), inBucket.ID))
		on.clock.Advance(deleteAfter - time.Millisecond)
		on.deletes(t, 0)
		on.clock.Advance(time.Millisecond)
		off.deletes(t, 0)
		only.deletes(t, 0)
		on.deletes(t, 1)
		assert.Empty(t, store.Keys())
		assert.Zero(t, on.left(t))
	})
}

// The setting of one of two instances changes again and again under a crowd that uploads, shows and deletes.
func TestAChangeOfTheSettingUnderACrowdLosesNothing(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		off := newWorld(s)
		store := s3.Start(t, off.clock.Now)
		settings := []*world{
			off.with(t, s, "sql;"+store.Setting("")), off.with(t, s, store.Setting("")),
		}
		var mu sync.Mutex
		kept := map[int]string{}
		kit.Crowd(8, func(i int) {
			for n := range 6 {
				width := 1 + i*6 + n
				w := settings[(n+i)%2]
				p, _, err := w.Keep(t.Context(), Upload{MediaType: "image/png", Data: draw(width), By: "ada"})
				if !assert.NoError(t, err) { //nolint:testifylint // not the goroutine of the test
					return
				}
				if n == 3 {
					assert.NoError(t, settings[(n+i+1)%2].Delete(t.Context(), p.ID)) //nolint:testifylint // likewise
					continue
				}
				mu.Lock()
				kept[width] = p.ID
				mu.Unlock()
			}
		})
		for width, id := range kept {
			for _, w := range settings {
				w.shows(t, id, width)
			}
		}
		off.clock.Advance(deleteAfter)
		for _, w := range settings {
			_, err := w.DeleteObjects(t.Context())
			require.NoError(t, err)
		}
		assert.Len(t, kept, 40)
		assert.Len(t, store.Keys(), 20)
		assert.Zero(t, off.left(t))
	})
}

// Whichever step of an upload fails, its object is deleted after 30 days, and never one that a picture has.
func TestAnUploadThatFailsLeavesNoObjectForEver(t *testing.T) {
	t.Parallel()
	s := kit.OnEmbedded(t, kit.Breakable())
	off := newWorld(s)
	store := s3.Start(t, off.clock.Now)
	w := off.with(t, s, store.Setting(""))
	var commits atomic.Int64
	s.SQLFails(t, func(call string) bool { return call == kit.SQLCommit && commits.Add(1) > 1 })
	_, _, err := w.Keep(t.Context(), Upload{MediaType: "image/png", Data: draw(1), By: "ada"})
	require.Error(t, err)
	s.SQLFails(t, func(string) bool { return false })
	store.Set(func(s *s3.State) { s.Loses = http.MethodPut })
	assert.Equal(t, problem.CodeUnavailable, w.upload(t.Context(), 1))
	store.Set(func(s *s3.State) { s.Loses = "" })
	require.Len(t, store.Keys(), 2, "the bucket has what the first uploads put there")
	kept := w.keeps(t, "", draw(1))

	w.clock.Advance(deleteAfter - time.Millisecond)
	w.deletes(t, 0)
	w.clock.Advance(time.Millisecond)
	store.Set(func(s *s3.State) { s.Denied = http.MethodDelete })
	_, err = w.DeleteObjects(t.Context())
	require.ErrorContains(t, err, "delete: status 403 AccessDenied")
	assert.Len(t, store.Keys(), 3)
	store.Set(func(s *s3.State) { s.Loses, s.Denied = http.MethodDelete, "" })
	w.clock.Advance(deleteAgain)
	_, err = w.DeleteObjects(t.Context())
	require.Error(t, err, "they are deleted, which is not answered: %v", store.Keys())
	store.Set(func(s *s3.State) { s.Loses = "" })
	w.deletes(t, 0)
	w.clock.Advance(deleteAgain)
	w.deletes(t, 2)
	assert.Equal(t, []string{kept.ObjectKey}, store.Keys())
	assert.Zero(t, w.left(t))
	w.shows(t, kept.ID, 1)
}

// The bucket has nothing of what it refuses; after an error of its own it may have the object.
func TestARefusedUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		off := newWorld(s)
		store := s3.Start(t, off.clock.Now)
		w := off.with(t, s, store.Setting(""))
		store.Set(func(s *s3.State) { s.Denied = http.MethodPut })
		assert.Equal(t, problem.CodeUnavailable, w.upload(t.Context(), 1))
		assert.Zero(t, w.left(t))
		assert.Equal(t, 1, store.Calls(http.MethodPut))
		store.Set(func(s *s3.State) { s.Denied, s.Status, s.Code = "", 500, "InternalError" })
		assert.Equal(t, problem.CodeUnavailable, w.upload(t.Context(), 1))
		assert.Equal(t, 1, w.left(t))
		for i, status := range []int{200, 202, 204} { // of what is no bucket, perhaps
			store.Set(func(s *s3.State) { s.Status, s.Code = status, "" })
			assert.Equal(t, problem.CodeUnavailable, w.upload(t.Context(), 1))
			assert.Equal(t, 2+i, w.left(t))
		}
		store.Set(func(s *s3.State) { s.Status = 0 })
		w.maxOfDay = 0
		assert.Equal(t, problem.CodeRateLimited, w.upload(t.Context(), 1))
		assert.Equal(t, 5, store.Calls(http.MethodPut), "who may not upload more sends the bucket nothing")
		assert.Equal(t, 4, w.left(t))
	})
}

// An upload that goes on when its object is deleted, as where an instance's clock is wrong, ends without a picture.
func TestAnUploadWhoseObjectIsDeletedKeepsNoPicture(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		off := newWorld(s)
		store := s3.Start(t, off.clock.Now)
		w := off.with(t, s, store.Setting(""))
		goOn := make(chan struct{})
		store.Set(func(s *s3.State) { s.Hangs, s.Holds = true, goOn })
		var upload sync.WaitGroup
		upload.Go(func() { assert.Equal(t, problem.CodeUnavailable, w.upload(t.Context(), 1)) })
		require.Eventually(t, func() bool { return store.Calls(http.MethodPut) == 1 }, time.Minute, time.Millisecond)
		w.clock.Advance(deleteAfter)
		store.Set(func(s *s3.State) { s.Hangs, s.Denied = false, http.MethodDelete })
		_, err := w.DeleteObjects(t.Context())
		require.Error(t, err, "it has begun to delete the object")
		close(goOn)
		upload.Wait()
		list, err := w.List(t.Context(), "", "", 10)
		require.NoError(t, err)
		assert.Empty(t, list.Items)
		store.Set(func(s *s3.State) { s.Denied = "" })
		w.clock.Advance(deleteAgain)
		w.deletes(t, 1)
		assert.Empty(t, store.Keys())
	})
}

// While the bucket fails, in whatever way, its pictures are unavailable and nothing wrong is shown.
func TestABucketThatFailsShowsNothingWrong(t *testing.T) {
	t.Parallel()
	off := newWorld(kit.OnEmbedded(t))
	s := &kit.Stores{DB: off.DB}
	store := s3.Start(t, off.clock.Now)
	w := off.with(t, s, store.Setting(""))
	kept := w.keeps(t, "", draw(1, 1, 2, 3, 4))
	change := func(content []byte) []byte {
		content[len(content)-1] ^= 1
		return content
	}
	for name, fails := range map[string]func(*s3.State){
		"half an answer":   func(s *s3.State) { s.Half = true },
		"denied":           func(s *s3.State) { s.Denied = http.MethodGet },
		"404 of a bucket":  func(s *s3.State) { s.Status, s.Code = 404, "NoSuchBucket" },
		"404 of an object": func(s *s3.State) { s.Status, s.Code = 404, "NoSuchKey" },
		"503":              func(s *s3.State) { s.Status, s.Code = 503, "SlowDown" },
		"no S3":            func(s *s3.State) { s.Status = 200 },
		"a redirect":       func(s *s3.State) { s.Status, s.Code = 307, "TemporaryRedirect" },
		"no answer":        func(s *s3.State) { s.Loses = http.MethodGet },
		"another's bytes":  nil,
	} {
		if fails == nil {
			store.Swap(change)
		} else {
			store.Set(fails)
		}
		assert.Equal(t, problem.CodeUnavailable, w.shown(t, kept.ID), name)
		_, _, err := w.here.Get(t.Context(), kept.ID)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err), name)
		store.Set(func(s *s3.State) { *s = s3.State{} })
		if fails == nil {
			store.Swap(change)
		}
		w.clock.Advance(bucketPause)
	}
	_, data, err := w.here.Get(t.Context(), kept.ID)
	require.NoError(t, err)
	assert.Equal(t, draw(1, 1, 2, 3, 4), data)
	assert.NotContains(t, w.log.String(), s3.Secret)
	assert.NotContains(t, w.log.String(), s3.KeyID)
}

// A bucket that hangs holds neither the pictures in SQL or in memory, nor an upload, nor the job, for long.
func TestABucketThatHangsHoldsUpNothingElse(t *testing.T) {
	t.Parallel()
	off := newWorld(kit.OnEmbedded(t))
	s := &kit.Stores{DB: off.DB}
	store := s3.Start(t, off.clock.Now)
	w := off.with(t, s, store.Setting(""))
	inMemory := w.keeps(t, "", draw(1))
	_, _, err := w.here.Get(t.Context(), inMemory.ID)
	require.NoError(t, err)
	var inBucket []Picture
	for width := range 8 {
		inBucket = append(inBucket, w.keeps(t, "", draw(width+10)))
	}
	inSQL := off.keeps(t, "", draw(2))
	require.NoError(t, w.Delete(t.Context(), inBucket[7].ID))
	w.clock.Advance(deleteAfter)
	store.Set(func(s *s3.State) { s.Hangs = true })
	began := time.Now()
	var waiting sync.WaitGroup
	for _, p := range inBucket[:7] {
		waiting.Go(func() {
			_, _, err := w.here.Get(t.Context(), p.ID)
			assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		})
	}
	waiting.Go(func() { assert.Equal(t, problem.CodeUnavailable, w.upload(t.Context(), 20)) })
	waiting.Go(func() {
		_, err := w.DeleteObjects(t.Context())
		assert.Error(t, err)
	})
	reads := func() bool { return store.Calls(http.MethodGet) >= bucketReads }
	require.Eventually(t, reads, time.Minute, time.Millisecond)
	for range 3 {
		_, _, err = w.here.Get(t.Context(), inMemory.ID)
		require.NoError(t, err)
		w.shows(t, inSQL.ID, 2)
	}
	assert.Less(t, time.Since(began), time.Second)
	waiting.Wait()
	assert.Less(t, time.Since(began), 3*readWithin)
	w.clock.Advance(bucketPause - time.Millisecond)
	again := time.Now()
	_, _, err = w.here.Get(t.Context(), inBucket[0].ID)
	require.Error(t, err)
	assert.Less(t, time.Since(again), time.Second, "most of a crowd is answered at once")
	assert.Equal(t, 1, strings.Count(w.log.String(), `what="read of a picture"`), w.log.String())
	store.Set(func(s *s3.State) { s.Hangs = false })
	w.clock.Advance(time.Millisecond)
	for width, p := range inBucket[:7] {
		w.shows(t, p.ID, width+10)
	}
}

// Few uploads write to the bucket at once, and the others wait until their requests end.
func TestUploadsWaitForTheBucket(t *testing.T) {
	t.Parallel()
	off := newWorld(kit.OnEmbedded(t))
	s := &kit.Stores{DB: off.DB}
	store := s3.Start(t, off.clock.Now)
	w := off.with(t, s, store.Setting(""))
	goOn := make(chan struct{})
	store.Set(func(s *s3.State) { s.Hangs, s.Holds = true, goOn })
	var all sync.WaitGroup
	for width := range putsAtOnce {
		all.Go(func() { assert.Equal(t, problem.Code{}, w.upload(t.Context(), width+1)) })
	}
	writes := func() bool { return store.Calls(http.MethodPut) == putsAtOnce }
	require.Eventually(t, writes, time.Minute, time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	assert.Equal(t, problem.CodeUnavailable, w.upload(ctx, 30), fmt.Sprint("more than ", putsAtOnce))
	assert.Equal(t, putsAtOnce, store.Calls(http.MethodPut))
	close(goOn)
	all.Wait()
}

// A bucket that was changed or emptied gets the picture again, under another key, or SQL does.
func TestALostObjectIsReplacedByAnUpload(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		off := newWorld(s)
		store := s3.Start(t, off.clock.Now)
		w, only := off.with(t, s, store.Setting("")), off.with(t, s, "sql;"+store.Setting(""))
		kept := w.keeps(t, "", draw(1))
		again := func(w *world) Picture {
			p, isNew, err := w.Keep(t.Context(), Upload{MediaType: "image/png", Data: draw(1), By: "bob"})
			require.NoError(t, err)
			require.False(t, isNew)
			return p
		}
		store.Set(func(s *s3.State) { s.Status, s.Code = 503, "SlowDown" })
		assert.Equal(t, kept, again(w), "the bucket may have it")
		store.Set(func(s *s3.State) { s.Status = 0 })
		assert.Equal(t, kept, again(w), "the bucket has it")

		store.Clear()
		_, _, err := w.here.Get(t.Context(), kept.ID)
		require.Error(t, err)
		replaced := again(w)
		w.shows(t, kept.ID, 1)
		assert.Equal(t, 1, w.left(t))
		want := kept
		want.ObjectKey = replaced.ObjectKey
		assert.Equal(t, want, replaced)
		assert.Equal(t, []string{replaced.ObjectKey}, store.Keys())

		store.Swap(func([]byte) []byte { return []byte("another content") })
		kit.Crowd(8, func(int) { assert.Equal(t, problem.Code{}, w.upload(t.Context(), 1)) })
		w.clock.Advance(deleteAfter)
		_, err = w.DeleteObjects(t.Context())
		require.NoError(t, err)
		assert.Zero(t, w.left(t))
		assert.Len(t, store.Keys(), 1)
		w.shows(t, kept.ID, 1)

		store.Clear()
		assert.Empty(t, again(only).ObjectKey)
		off.shows(t, kept.ID, 1)
	})
}

// Whoever changes or deletes a picture has seen where its content is.
func TestAKeyThatWasReplacedIsNotUsed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		off := newWorld(s)
		w := off.with(t, s, s3.Start(t, off.clock.Now).Setting(""))
		kept := w.keeps(t, "", draw(1))
		old := kept
		old.ObjectKey = "another"
		for _, use := range []store{
			w.replace(old), func(ctx context.Context, tx *sqlx.Tx, _ Picture) error { return remove(ctx, tx, old) },
		} {
			err := w.DB.InTx(t.Context(), func(tx *sqlx.Tx) error { return use(t.Context(), tx, kept) })
			require.ErrorIs(t, err, errReplaced)
		}
		w.shows(t, kept.ID, 1)
		assert.Zero(t, w.left(t))
	})
}

// An object is deleted in the bucket where it is, and not while the setting has another one, or the time isn't known.
func TestObjectsAreDeletedInTheirOwnBucket(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		off := newWorld(s)
		store, other := s3.Start(t, off.clock.Now), s3.Start(t, off.clock.Now)
		w, moved := off.with(t, s, store.Setting("")), off.with(t, s, other.Setting(""))
		for width := range 20 {
			require.NoError(t, w.Delete(t.Context(), w.keeps(t, "", draw(width+1)).ID))
		}
		w.clock.Advance(deleteAfter)
		moved.deletes(t, 0)
		w.noTime = errors.New("no store returned its time")
		_, err := w.DeleteObjects(t.Context())
		require.ErrorIs(t, err, w.noTime)
		assert.Equal(t, 20, w.left(t))
		w.noTime = nil
		w.deletes(t, 20)
		assert.Empty(t, store.Keys())
		assert.Zero(t, other.Calls(http.MethodDelete))
	})
}

// Whoever uploads and deletes again and again fills no bucket.
func TestDeletedPicturesCount(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		off := newWorld(s)
		w := off.with(t, s, s3.Start(t, off.clock.Now).Setting(""))
		w.maxObjects = 2
		for range 2 {
			require.NoError(t, w.Delete(t.Context(), w.keeps(t, "", draw(1)).ID))
		}
		assert.Equal(t, problem.CodeRateLimited, w.upload(t.Context(), 1))
		w.keeps(t, "another", draw(1))
		w.clock.Advance(deleteAfter)
		w.deletes(t, 2)
		w.keeps(t, "", draw(1))
	})
}

// A read that waits for others says nothing of the bucket.
func TestAReadThatHadNoTurnIsTriedAgainAtOnce(t *testing.T) {
	t.Parallel()
	off := newWorld(kit.OnEmbedded(t))
	w := off.with(t, &kit.Stores{DB: off.DB}, s3.Start(t, off.clock.Now).Setting(""))
	kept := w.keeps(t, "", draw(1))
	w.here.inBucket.Within = 20 * time.Millisecond
	for range bucketReads {
		w.here.inBucket.turns <- struct{}{}
	}
	_, _, err := w.here.Get(t.Context(), kept.ID)
	require.Error(t, err)
	for range bucketReads {
		<-w.here.inBucket.turns
	}
	w.here.inBucket.Within = readWithin
	w.shows(t, kept.ID, 1)
}

// Reads that fail leave in memory what is there.
func TestReadsThatFailEvictNothing(t *testing.T) {
	t.Parallel()
	off := newWorld(kit.OnEmbedded(t))
	store := s3.Start(t, off.clock.Now)
	w := off.with(t, &kit.Stores{DB: off.DB}, store.Setting(""))
	inMemory := w.keeps(t, "", draw(1))
	w.shows(t, inMemory.ID, 1)
	large := make([]byte, MaxBytes-len(draw(1)))
	var others []Picture
	for i := range 2 * keptBytes / MaxBytes {
		large[0] = byte(i)
		others = append(others, w.keeps(t, "", draw(1, large...)))
	}
	store.Set(func(s *s3.State) { s.Denied = http.MethodGet })
	w.here.inBucket.pace = math.MaxInt
	for _, p := range others {
		_, _, err := w.here.Get(t.Context(), p.ID)
		require.Error(t, err)
	}
	_, _, err := w.here.Get(t.Context(), inMemory.ID)
	require.NoError(t, err)
	assert.Equal(t, len(others), w.here.reads.Len())
	store.Set(func(s *s3.State) { s.Denied = "" })
	w.clock.Advance(bucketPause)
	for _, p := range others[:3] {
		_, _, err := w.here.Get(t.Context(), p.ID)
		require.NoError(t, err)
	}
	assert.Equal(t, len(others)-3, w.here.reads.Len(), "they have no content")
}

// A client that has a picture, or asks for its size alone, is answered without its content.
func TestWhatNeedsNoContentReadsNone(t *testing.T) {
	t.Parallel()
	off := newWorld(kit.OnEmbedded(t))
	store := s3.Start(t, off.clock.Now)
	w := off.with(t, &kit.Stores{DB: off.DB}, store.Setting(""))
	kept := w.keeps(t, "", draw(1))
	app := fiber.New()
	app.Get(Path+":picture_id", NewHTTPPublic(w.here).Show)
	for method, want := range map[string]int{http.MethodGet: 304, http.MethodHead: 200} {
		r := httptest.NewRequest(method, Path+kept.ID, nil)
		if want == 304 {
			r.Header.Set("If-None-Match", `"`+kept.ID+`"`)
		}
		a, err := app.Test(r, -1)
		require.NoError(t, err)
		require.NoError(t, a.Body.Close())
		assert.Equal(t, want, a.StatusCode)
		assert.Equal(t, `"`+kept.ID+`"`, a.Header.Get("ETag"))
		if want == 200 {
			assert.Equal(t, int64(kept.Bytes), a.ContentLength)
			assert.Equal(t, "image/png", a.Header.Get("Content-Type"))
		}
	}
	assert.Zero(t, store.Calls(http.MethodGet))
}
