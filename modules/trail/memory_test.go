package trail

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2/utils"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/test/kit"
	"onrush/web"
)

func TestRefusalsThatAreAlikeAreCounted(t *testing.T) {
	t.Parallel()
	now := kit.NewClock(time.UnixMilli(1_700_000_000_000))
	m := NewMemory(1000, now.Now)
	refused := web.Refusal{
		User: "ada", Method: "POST", Path: "/api/v1/seckill/path", Key: "k", RequestID: "r1", Status: 409,
		Code: "sold_out", Detail: "Nothing is left.",
	}
	m.Record(refused)
	first := api.Millis(now.Now().UnixMilli())
	last := api.Millis(now.Advance(time.Second).UnixMilli())
	refused.RequestID, refused.Detail = "r2", "Nothing is left of this."
	m.Record(refused)
	assert.Equal(t, []Refusal{{
		User: "ada", Method: "POST", Path: "/api/v1/seckill/path", Key: "k", Status: 409, Code: "sold_out",
		Detail: "Nothing is left of this.", Count: 2, First: first, Last: last, FirstRequest: "r1", LastRequest: "r2",
	}}, m.OfUser("ada"))
	for change, r := range map[string]web.Refusal{
		"code":   {User: "ada", Method: "POST", Path: refused.Path, Key: "k", Status: 409, Code: "paused"},
		"key":    {User: "ada", Method: "POST", Path: refused.Path, Key: "K", Status: 409, Code: "sold_out"},
		"path":   {User: "ada", Method: "POST", Path: "/", Key: "k", Status: 409, Code: "sold_out"},
		"method": {User: "ada", Method: "GET", Path: refused.Path, Key: "k", Status: 409, Code: "sold_out"},
		"status": {User: "ada", Method: "POST", Path: refused.Path, Key: "k", Status: 429, Code: "sold_out"},
	} {
		before := len(m.OfUser("ada"))
		m.Record(r)
		assert.Len(t, m.OfUser("ada"), before+1, "another %s", change)
	}
	for _, text := range []string{"ada", "k", "r1", "r2"} {
		found := m.Find(text)
		require.NotEmpty(t, found, text)
		assert.Equal(t, "ada", found[0].User)
	}
	assert.Empty(t, m.Find(""))
	assert.Empty(t, m.Find("sold_out"))
	assert.Empty(t, m.OfUser("bob"))
}

// The texts of a request are in memory that the next request reuses.
func TestTextsOfTheRequestAreCopied(t *testing.T) {
	t.Parallel()
	m := NewMemory(1, time.Now)
	request := []byte("POST k" + strings.Repeat("/x", 5000))
	text := utils.UnsafeString(request)
	m.Record(web.Refusal{User: "ada", Method: text[:4], Key: text[5:6], Path: text[6:]})
	copy(request, bytes.Repeat([]byte("!"), len(request)))
	kept := m.OfUser("ada")[0]
	assert.Equal(t, []string{"POST", "k", strings.Repeat("/x", maxPath/2)}, []string{kept.Method, kept.Key, kept.Path})
}

func TestAUserDisplacesOnlyTheirOwnRefusalsAndACrowdTheOldest(t *testing.T) {
	t.Parallel()
	now := kit.NewClock(time.Now())
	m := NewMemory(1, now.Now) // one bucket
	refuse := func(user, path string) {
		now.Advance(time.Millisecond)
		m.Record(web.Refusal{User: user, Path: path, Code: "sold_out"})
	}
	refuse("bob", "/")
	for i := range 100 {
		refuse("ada", fmt.Sprint("/", i))
	}
	mine := m.OfUser("ada")
	require.Len(t, mine, perUser)
	for _, r := range mine {
		assert.GreaterOrEqual(t, len(r.Path), 3, "the latest ones")
	}
	require.Len(t, m.OfUser("bob"), 1)
	for i := range perBucket {
		refuse(fmt.Sprint("buyer-", i), "/")
	}
	assert.Empty(t, m.OfUser("bob"), "the oldest")
	assert.Empty(t, m.OfUser("ada"))
	assert.Len(t, m.OfUser("buyer-0"), 1)
}

func TestRefusalsEndAfterADayAndAtAnErasure(t *testing.T) {
	t.Parallel()
	now := kit.NewClock(time.Now())
	m := NewMemory(100, now.Now)
	m.Record(web.Refusal{User: "ada", Key: "old"})
	now.Advance(kept)
	m.Record(web.Refusal{User: "bob"})
	assert.Len(t, m.OfUser("ada"), 1)
	now.Advance(time.Millisecond)
	assert.Empty(t, m.OfUser("ada"))
	assert.Empty(t, m.Find("old"))
	m.Expire()
	assert.Len(t, m.OfUser("bob"), 1)
	m.Forget("ada")
	m.Forget("bob")
	assert.Empty(t, m.OfUser("bob"))
	m.Expire()
	for i, b := range m.buckets {
		assert.Nil(t, b, "bucket %d is empty, and its memory free", i)
	}
}

func TestACrowdIsRememberedAtOnce(t *testing.T) {
	t.Parallel()
	m := NewMemory(MaxRefusals, time.Now)
	const users, each = 2000, 5
	kit.Crowd(users*each, func(i int) {
		m.Record(web.Refusal{User: fmt.Sprint("buyer-", i%users), Code: "sold_out"})
		if i%500 == 0 { // it looks at all buckets
			m.Expire()
		}
	})
	for i := range users {
		found := m.OfUser(fmt.Sprint("buyer-", i))
		require.Len(t, found, 1)
		assert.EqualValues(t, each, found[0].Count)
	}
}

func TestARefusalThatIsCountedAllocatesNothing(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts all
	m := NewMemory(1<<10, time.Now)
	r := web.Refusal{User: "ada", Method: "POST", Path: "/api/v1/seckill/path", RequestID: "r", Code: "sold_out"}
	assert.Zero(t, testing.AllocsPerRun(100, func() { m.Record(r) }))
}

// BenchmarkRecord is what a refusal of a crowd costs beside its answer.
func BenchmarkRecord(b *testing.B) {
	for name, users := range map[string]int{"again": 1, "crowd": 100_000} {
		b.Run(name, func(b *testing.B) {
			m := NewMemory(MaxRefusals, time.Now)
			names := make([]string, users)
			for i := range names {
				names[i] = fmt.Sprint("buyer-", i)
			}
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				i++
				m.Record(web.Refusal{
					User: names[i%users], Method: "POST", Path: "/api/v1/seckill/path", Code: "sold_out",
				})
			}
		})
	}
}
