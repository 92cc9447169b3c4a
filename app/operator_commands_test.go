package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/site"
)

// console runs commands against one program.
type console struct {
	site *site.Site
	op   *site.Person
}

func newConsole(t *testing.T, stores *kit.Stores, opts ...site.Option) *console {
	t.Helper()
	s := site.Start(t, stores, opts...)
	for _, id := range []string{"lamp", "mug"} {
		_, err := s.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
			ID: id, Title: id, Shop: "shop", Kind: catalogue.Physical, Price: 4900, Currency: "CNY", Stock: 1000,
		})
		require.NoError(t, err)
	}
	for _, id := range []string{"0", "east"} {
		_, err := s.Server.Catalogue.PutPoint(t.Context(), catalogue.Point{ID: id, Name: id})
		require.NoError(t, err)
	}
	return &console{s, s.Operator(t)}
}

// do runs a command with a text as its standard input.
func (c *console) do(ctx context.Context, input string, args ...string) (out, logged string, err error) {
	cmd := exec.CommandContext(ctx, built, append(args, "--addr="+c.site.URL)...)
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = []string{}, strings.NewReader(input), &stdout, &stderr
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

// must runs a command that succeeds.
func (c *console) must(t *testing.T, input string, args ...string) string {
	t.Helper()
	out, logged, err := c.do(t.Context(), input, args...)
	require.NoError(t, err, "%v: %s%s", args, out, logged)
	return out
}

// refused runs a command that fails, and returns what it says.
func (c *console) refused(t *testing.T, input string, args ...string) string {
	t.Helper()
	out, logged, err := c.do(t.Context(), input, args...)
	require.Error(t, err, "%v: %s", args, out)
	return out + logged
}

// units returns how many units the sale has of a sku at a point.
func (c *console) units(t *testing.T, sale, sku, point string) int64 {
	t.Helper()
	for _, s := range c.op.GetAdminActivity(t, sale).Skus {
		for _, p := range s.Stock {
			if s.SKUID == sku && p.PointID == point {
				return p.Quantity
			}
		}
	}
	return -1
}

// saleFile is a sale of lamps that runs.
func saleFile(state string, price, lamps int) string {
	hour := time.Now().UTC().Truncate(time.Hour)
	return fmt.Sprintf(`
activity_id: noon
state: %s
title: Lamps at noon
shop_id: shop
starts_at: %s
ends_at: %s
pay_within_s: 900
skus:
  - sku_id: lamp
    flash_price: %d
    stock:
      - {point_id: 0, quantity: %d}
      - {point_id: east, quantity: 20}
`, state, hour.Add(-time.Hour).Format(time.RFC3339), hour.Add(2*time.Hour).Format(time.RFC3339),
		price, lamps)
}

func TestSaleApplyMakesASaleWhatItsFileSays(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newConsole(t, stores)
		path := filepath.Join(t.TempDir(), "sale.yaml")
		apply := []string{"activities", "apply", "-f", path}
		write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }

		write(saleFile("draft", 1900, 100))
		out := c.must(t, "", append(apply, "--dry-run")...)
		assert.Contains(t, out, "Sale noon (new):\n")
		assert.Contains(t, out, "  + skus[lamp].stock[0].quantity: 100\n")
		assert.Contains(t, c.refused(t, "", apply...), "nothing was changed; answer y, or pass --yes")
		assert.Contains(t, c.refused(t, "n\n", apply...), "nothing was changed")
		assert.Equal(t, http.StatusNotFound,
			c.op.Call(t, http.MethodGet, "/admin/api/v1/activities/noon", "", nil).Status)
		assert.Contains(t, c.must(t, "y\n", apply...), "Applied to noon.\n")
		assert.Equal(t, "Sale noon (draft) is as the file says.\n", c.must(t, "", apply...))

		write(saleFile("published", 1700, 90))
		out = c.must(t, "", append(apply, "--yes")...)
		assert.Contains(t, out, "  ~ skus[lamp].flash_price: 19.00 CNY -> 17.00 CNY\n")
		assert.Contains(t, out, "  ~ skus[lamp].stock[0].quantity: 100 -> 90\n")
		assert.Contains(t, out, "  ~ state: draft -> published\n")
		assert.Equal(t, "Sale noon (published) is as the file says.\n", c.must(t, "", apply...))

		write(saleFile("published", 1700, 70) + "purchase_limit: 5\ndescription: Less than half.\n")
		assert.Contains(t, c.refused(t, "", append(apply, "--yes")...),
			"purchase_limit can only be raised after the start")
		assert.EqualValues(t, 90, c.units(t, "noon", "lamp", "0"))
		write(saleFile("published", 1700, 70) + "description: Less than half.\n")
		var plan struct {
			Differences []struct{ Field, From, To string }
		}
		require.NoError(t, json.Unmarshal([]byte(c.must(t, "", append(apply, "--yes", "-o", "json")...)), &plan))
		assert.Len(t, plan.Differences, 2)
		assert.EqualValues(t, 70, c.units(t, "noon", "lamp", "0"))
		assert.Equal(t, "[]\n", c.must(t, "", "orders", "-o", "json"))

		shown := c.must(t, "", "activities", "show", "noon")
		assert.Equal(t, "Sale noon (published) is as the file says.\n",
			c.must(t, shown, "activities", "apply", "-f", "-"))
		assert.Contains(t, c.refused(t, strings.ReplaceAll(shown, "lamp", "mug"),
			"activities", "apply", "-y", "-f", "-"),
			"a published sale can't lose a sku")
		assert.Contains(t, c.refused(t, strings.Replace(shown, "shop_id: shop", "shop_id: other", 1),
			"activities", "apply", "-y", "-f", "-"), "shop_id can't be changed after publishing")
		assert.Contains(t, c.must(t, strings.Replace(shown, "quantity: 20", "quantity: 0", 1),
			"activities", "apply", "-y", "-f", "-"), "skus[lamp].stock[east].quantity: 20 -> 0")
		assert.EqualValues(t, 0, c.units(t, "noon", "lamp", "east"))
		assert.Empty(t, c.site.Audit(t, "noon"))
	})
}

// Eight runs of the same file at the same time change the stock once; the same change later is another one.
func TestSaleApplyAtOnceChangesTheStockOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newConsole(t, stores)
		apply := func(lamps int) {
			type result struct {
				said string
				err  error
			}
			ctx, file := t.Context(), saleFile("published", 1900, lamps)
			for _, r := range kit.AtOnce(8, func(int) result {
				out, logged, err := c.do(ctx, file, "activities", "apply", "-y", "-f", "-")
				return result{out + logged, err}
			}) {
				if r.err != nil {
					// It saw the sale in the midst of another run, and has changed nothing.
					assert.Regexp(t, "still being carried out|Only a draft can be changed|stale_version",
						r.said)
				}
			}
			c.must(t, file, "activities", "apply", "-y", "-f", "-")
			assert.EqualValues(t, lamps, c.units(t, "noon", "lamp", "0"))
		}
		for _, lamps := range []int{100, 150, 100, 150, 40} {
			apply(lamps)
		}
		assert.Empty(t, c.site.Audit(t, "noon"))
	})
}

// hesitates runs a command that asks, and calls meanwhile before it answers y.
func (c *console) hesitates(t *testing.T, file string, meanwhile func()) (said string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sale.yaml")
	require.NoError(t, os.WriteFile(path, []byte(file), 0o600))
	cmd := exec.CommandContext(t.Context(), built, "activities", "apply", "-f", path, "--addr="+c.site.URL)
	cmd.Env = []string{}
	answer, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var logged bytes.Buffer
	cmd.Stderr = &logged
	require.NoError(t, cmd.Start())
	var asked []byte
	for one := make([]byte, 1); !bytes.Contains(asked, []byte("[y/N] ")); asked = append(asked, one...) {
		_, err := out.Read(one)
		require.NoError(t, err, "%s%s", asked, &logged)
	}
	meanwhile()
	_, err = io.WriteString(answer, "y\n")
	require.NoError(t, err)
	rest, err := io.ReadAll(out)
	require.NoError(t, err)
	err = cmd.Wait()
	return string(asked) + string(rest) + logged.String(), err
}

// Between the plan and the y, another operator changes the sale.
func TestSaleApplyChangesNothingIfTheSaleWasChangedAfterItsPlan(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newConsole(t, stores)
		c.must(t, saleFile("draft", 1900, 100), "activities", "apply", "-y", "-f", "-")
		said, err := c.hesitates(t, "activity_id: noon\ntitle: Cheap lamps\n", func() {
			c.must(t, saleFile("draft", 1700, 90), "activities", "apply", "-y", "-f", "-")
		})
		require.Error(t, err)
		assert.Contains(t, said, "stale_version")
		assert.Contains(t, said, "operator activity.changed", "who")
		assert.Regexp(t, `~ skus\[lamp\].flash_price: \S+ -> \S+`, said, "what")
		assert.EqualValues(t, 90, c.units(t, "noon", "lamp", "0"))
		assert.NotContains(t, c.must(t, "", "activities", "show", "noon"), "Cheap lamps")

		shown := c.must(t, "", "activities", "show", "noon")
		c.must(t, saleFile("published", 1700, 100), "activities", "apply", "-y", "-f", "-")
		assert.Contains(t, c.refused(t, strings.Replace(shown, "quantity: 90", "quantity: 80", 1),
			"activities", "apply", "-y", "-f", "-"), "the sale was changed since the file was made", "an old file")
		said, err = c.hesitates(t, saleFile("published", 1700, 150), func() {
			raised := c.op.Call(t, http.MethodPost, "/admin/api/v1/activities/noon/stock", "more",
				map[string]any{"sku_id": "lamp", "point_id": "0", "delta": 20})
			require.Equal(t, http.StatusOK, raised.Status, "%s", raised.Body)
		})
		require.Error(t, err, said)
		assert.Contains(t, said, "stale_version")
		assert.EqualValues(t, 120, c.units(t, "noon", "lamp", "0"))
		c.must(t, saleFile("published", 1700, 150), "activities", "apply", "-y", "-f", "-")
		assert.EqualValues(t, 150, c.units(t, "noon", "lamp", "0"))

		fresh := strings.ReplaceAll(saleFile("draft", 1900, 100), "noon", "night")
		said, err = c.hesitates(t, fresh, func() {
			c.must(t, strings.ReplaceAll(fresh, "1900", "900"), "activities", "apply", "-y", "-f", "-")
		})
		require.Error(t, err, "somebody else has made the sale")
		assert.Contains(t, said, "It exists already")
		assert.Empty(t, c.site.Audit(t, "noon"))
	})
}

func TestOperatorsListAndCloseFromTheCommandLine(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t))
	c.must(t, saleFile("published", 1900, 100), "activities", "apply", "-y", "-f", "-")
	sale := c.site.Open(t, site.Sale{SKU: "pen"})
	ada := c.site.Buyer(t, "ada")
	number := ada.Buy(t, sale, "pen", "k").Task(t)["order_number"].(string)
	c.site.Drain(t)
	paid := ada.Pay(t, "p", number)
	require.Less(t, paid.Status, 300, "%s", paid.Body)

	assert.Regexp(t, `(?m)^ACTIVITY +STATE +PAUSED SINCE +STARTS`, c.must(t, "", "activities", "list"))
	assert.Equal(t, "noon is paused.\n", c.must(t, "", "activities", "pause", "noon"))
	assert.Regexp(t, `(?m)^noon +published +\S+Z +\S+Z `, c.must(t, "", "activities", "list"))
	assert.Equal(t, "noon goes on.\n", c.must(t, "", "activities", "resume", "noon"))
	assert.Regexp(t, `(?m)^noon +published +- `, c.must(t, "", "activities", "list"))
	assert.Contains(t, c.refused(t, "", "activities", "pause", "lost"), "404 Not Found not_found")
	assert.Len(t, strings.Split(c.must(t, "", "activities", "list", "--limit=1"), "\n"), 3)
	assert.Contains(t, c.refused(t, "", "activities", "list", "--limit=0"), "--limit must be at least 1")
	out := c.must(t, "", "orders", "--user=ada", "--activity="+sale)
	assert.Regexp(t, `(?m)^`+number+` +(unpaid|paid) +.* ada +`+sale+` +1\.00 +- +CNY$`, out)
	assert.NotContains(t, c.must(t, "", "orders", "--status=cancelled"), number)
	assert.NotContains(t, c.must(t, "", "orders", "--from=2100-01-01T00:00:00Z"), number)
	var shown struct {
		Number string `json:"order_number"`
		Log    []any  `json:"log"`
	}
	require.NoError(t, json.Unmarshal([]byte(c.must(t, "", "orders", number)), &shown))
	assert.Equal(t, number, shown.Number)
	assert.NotEmpty(t, shown.Log)
	assert.Contains(t, c.must(t, "", "orders", "'"+number), number, "as a file of orders has it")
	assert.Contains(t, c.refused(t, "", "orders", "4711"), "404 Not Found not_found")
	assert.Contains(t, c.refused(t, "", "orders", "--status=lost"), "status must be one of")
	assert.Equal(t, "[]\n", c.must(t, "", "refunds", "-o", "json"))
	assert.Contains(t, c.must(t, "", "refunds"), "REFUND")
	assert.Equal(t, "[]\n", c.must(t, "", "payments", "--flagged", "-o", "json"))
	assert.Contains(t, c.must(t, "", "payments", "--flagged"), "FLAG")
	assert.Regexp(t, `(?m)^1 +0 +0 +0 +0$`, c.must(t, "", "queue"))
	assert.Regexp(t,
		`(?m)^INSTANCE +METRICS AT +VERSION +STATUS +SINCE +SEEN +UNAVAILABLE\n`+
			`\S+ +127.0.0.1:0 +\S* *ok +\S+Z +\S+Z +\[\]$`,
		c.must(t, "", "instances"))

	assert.Contains(t, c.refused(t, "", "activities", "close", "noon"), "nothing was changed")
	later := time.Now().Add(2 * time.Hour).UTC().Format(time.RFC3339)
	c.must(t, "", "activities", "close", "noon", "--yes", "--at="+later)
	assert.Contains(t, c.must(t, "", "activities", "show", "noon"), strings.TrimSuffix(later, "Z"))
	assert.Contains(t, c.must(t, "y\n", "activities", "close", "noon"), "noon closes now and permanently.")
	assert.Contains(t, c.must(t, "", "activities", "list", "--state=offline"), "noon")
	assert.Contains(t, c.refused(t, saleFile("published", 1900, 100), "activities", "apply", "-f", "-"),
		"the sale is offline")
}

func TestCommandsSayThatOperatorsHaveAnAddressOfTheirOwn(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t), site.Idle(), site.Configured(func(cfg *server.Config) {
		cfg.AdminAddr = "127.0.0.1:0"
	}))
	const advice = "ONRUSH_URL, or --addr, must be this address"
	for _, line := range []string{"queue", "jobs run audit", "activities apply -f -"} {
		said := c.refused(t, saleFile("draft", 1900, 100), strings.Fields(line)...)
		assert.Contains(t, said, "404 Not Found not_found: There is no such route.", line)
		assert.Contains(t, said, advice, line)
	}
}

func TestCommandsOfOperatorsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	buyer, err := s.Server.Auth.Sign("ada", "user", time.Hour)
	require.NoError(t, err)
	for _, line := range []string{
		"orders", "refunds", "payments", "changes", "queue", "activities list", "activities show x", "skus",
		"skus show x",
		"skus stock x --add=1",
		"skus delete x -y", "points", "points delete x -y", "jobs", "jobs run audit", "dead", "dead show 1-1",
		"dead replay --reason=x", "dead discard 1-1 -y", "endpoints", "endpoints create x http://127.0.0.1:1",
		"endpoints rotate x", "endpoints enable x", "endpoints deliveries x", "endpoints resend x --after=1", "audit x",
		"audit x --repair", "vouchers show x", "vouchers redeem x --where=y",
	} {
		out, logged, code := run(t, []string{"ONRUSH_TOKEN=" + buyer}, append(strings.Fields(line), "--addr="+s.URL)...)
		assert.NotZero(t, code)
		assert.Contains(t, logged, "the program refuses: 403 Forbidden")
		assert.NotContains(t, out+logged, buyer)
	}
	_, logged, code := run(t, nil, "queue", "--addr=http://127.0.0.1:1")
	assert.NotZero(t, code)
	assert.Contains(t, logged, "connection refused; --addr or ONRUSH_URL is the address of the running program")
	file := filepath.Join(t.TempDir(), "onrush.env")
	for addr, asked := range map[string]string{
		"ONRUSH_ADDR=127.0.0.1:1": "127.0.0.1:1", "ONRUSH_ADDR=127.0.0.1:1\nONRUSH_ADMIN_ADDR=:2": "127.0.0.1:2",
		"ONRUSH_ADDR=127.0.0.1:1\nONRUSH_URL=http://127.0.0.1:3": "127.0.0.1:3",
	} {
		require.NoError(t, os.WriteFile(file, []byte(addr), 0o600))
		_, logged, code = run(t, []string{"ONRUSH_TOKEN=x"}, "queue", "--env-file", file)
		if assert.NotZero(t, code) {
			assert.Contains(t, logged, asked, addr)
		}
	}
	_, logged, code = run(t, nil, "queue", "--addr=http://a b")
	assert.NotZero(t, code)
	assert.Contains(t, logged, "--addr must be a URL")
}
