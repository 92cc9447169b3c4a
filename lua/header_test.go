package lua

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A header names each index as `KEYS[2]`, the first of any number as `KEYS[7..]`, and each return
// code as a line `--   -7 NOT_LOADED`; the body declares its codes as `local NOT_LOADED = -7`
// and returns nothing but names.
var (
	indexPattern      = regexp.MustCompile(`(KEYS|ARGV)\[(\d+)(\.\.)?\]`)
	expressionPattern = regexp.MustCompile(`(KEYS|ARGV)\[[^\d\]][^\]]*\]|(KEYS|ARGV)\[\d+ *[-+*][^\]]*\]|(KEYS|ARGV)\b`)
	headerCodePattern = regexp.MustCompile(`(?m)^-- +(-?\d+) ([A-Z_]+)\b`)
	bodyCodePattern   = regexp.MustCompile(`(?m)^local ([A-Z_]+) = (-?\d+)\b`)
	returnPattern     = regexp.MustCompile(`return +(?:\{ *)?(-?\d+)`)
)

// notCodes are the named numbers of bodies that are not return codes.
var notCodes = map[string]bool{
	"FIELDS": true, "HASHES": true, "CHUNK": true, "LOADING_MS": true, "ENTRIES": true, "PAGE": true,
}

// codes are the names and values that the Go side knows each script's codes by.
var codes = map[string]map[string]int{
	"decrement_stock.lua": {
		"PLACED": int(Placed), "REPLAYED": int(Replayed), "SOLD_OUT": int(SoldOut),
		"OVER_ACTIVITY_LIMIT": int(OverActivityLimit), "OVER_SKU_LIMIT": int(OverSKULimit),
		"NOT_STARTED": int(NotStarted), "ENDED": int(Ended), "CLOSED": int(Closed), "PAUSED": int(Paused),
		"NOT_LOADED": int(NotLoaded), "KEY_REUSED": int(KeyReused), "TOO_LATE": int(TooLate),
		"NUMBER_TAKEN": int(NumberTaken), "QUEUE_FULL": int(QueueFull), "TOO_MANY_CACHED": int(TooManyCached),
		"NO_PERMIT":    int(NoPermit),
		"TASK_UNKNOWN": int(TaskUnknown), "TASKS_LOADING": int(TasksLoading),
		"OUTDATED": int(Outdated), "BEHIND": int(Behind), "OVER_ITEM_LIMIT": int(OverItemLimit),
		"NEXT_WAVE": int(NextWave), "RESERVED": int(Reserved),
	},
	"return_stock.lua": {
		"RETURNED": int(Returned), "NOT_HELD": int(NotHeld), "NOT_LOADED": int(ActivityNotLoaded),
		"UNREADABLE": int(HoldUnreadable),
	},
	"confirm_stock.lua": {
		"CONFIRMED": int(Confirmed), "NOT_HELD": int(NotHeld), "NOT_LOADED": int(ActivityNotLoaded),
		"UNREADABLE": int(HoldUnreadable),
	},
	"take_permit.lua": {
		"TAKEN": int(PermitTaken), "NONE": int(PermitNone), "SOLD_OUT": int(PermitSoldOut),
		"OVER_ACTIVITY_LIMIT": int(PermitOverActivityLimit), "OVER_SKU_LIMIT": int(PermitOverSKULimit),
		"NOT_LOADED": int(PermitNotLoaded),
	},
	"read_permits.lua": {"ALL_ISSUED": 1, "NOT_ALL": 0},
	"join_line.lua":    {"POSITION": int(LinePosition), "EARLY": int(LineEarly), "FULL": int(LineFull)},
	"rank_line.lua":    {"POSITION": int(LinePosition), "EARLY": int(LineEarly), "NONE": int(LineNone)},
	"change_stock.lua": {
		"APPLIED": int(ChangeApplied), "KNOWN": int(ChangeKnown), "TOO_MUCH": int(ChangeTooMuch),
		"NOT_LOADED": int(ChangeNotLoaded),
	},
	"change_waitlist.lua": {
		"NOT_LOADED": int(ChangeNotLoaded), "ENDED": int(OfferEnded), "NONE": int(OfferNone),
		"STANDS": int(OfferStands),
	},
	"swap_hold.lua": {
		"SWAPPED": int(Swapped), "NOT_HELD": int(SwapNotHeld), "NOT_LOADED": int(SwapNotLoaded),
	},
	"swap_units.lua": {
		"DONE": int(Swapped), "SOLD_OUT": int(SwapSoldOut), "OVER_LIMIT": int(SwapOverLimit),
		"NOT_LOADED": int(SwapNotLoaded),
	},
	"restock_orders.lua": {"RESTOCKED": 1, "NOT_LOADED": int(ActivityNotLoaded)},
	"repair_stock.lua":   {"REPAIRED": 1, "REPAIRED_BEFORE": 0, "NOT_LOADED": int(ActivityNotLoaded)},
	"repair_bought.lua":  {"REPAIRED": 1, "NOT_LOADED": int(ActivityNotLoaded)},
	"discard_dead.lua": {
		"DISCARDED": 1, "NOT_FOUND": 0, "NOTED": alreadyNoted, "LOADING": int(ActivityNotLoaded),
	},
	"replay_dead.lua":     {"REPLAYED": 1, "NOT_FOUND": 0},
	"load_activity.lua":   {"DONE": 1, "REFUSED": 0},
	"set_state.lua":       {"SET": 1, "NOT_LOADED": 0},
	"change_activity.lua": {"CHANGED": 1, "NOT_LOADED": 0},
	"keep_sale.lua":       {"KEPT": 1, "NEWER": 0},
	"keep_settings.lua":   {"KEPT": 1, "CHANGED": 0},
	"begin_positions.lua": {"CHANGED": 1, "OTHER": 0},
	"retire_activity.lua": {"RETIRED": 1, "NOT_CLOSED": 0},
	"fill_buyers.lua":     {"DONE": 1, "REFUSED": 0},
	"renumber_order.lua": {
		"RENUMBERED": int(Renumbered), "GONE": int(RenumberGone), "LOADING": int(RenumberLoading),
		"NUMBER_TAKEN": int(RenumberTaken),
	},
	"ack_moved.lua":     {}, // returns counts
	"lease_numbers.lua": {}, // returns a number
	"snapshot.lua":      {}, // returns replies
	"check_rights.lua":  {}, // returns commands
	"value_chunks.lua":  {},
	"values.lua":        {},
	"waves.lua":         {},
	"held.lua":          {},
	"written.lua":       {},
	"rate_window.lua":   {},
	"waitlist.lua":      {},
}

// split parts a script into its header, the comment it begins with, and its body without comments.
func split(source string) (header, body string) {
	var above, below []string
	for line := range strings.Lines(source) {
		if len(below) == 0 && strings.HasPrefix(line, "--") {
			above = append(above, line)
			continue
		}
		code, _, _ := strings.Cut(line, "--")
		below = append(below, strings.TrimRight(code, "\n")+"\n")
	}
	return strings.Join(above, ""), strings.Join(below, "")
}

// indexes finds which elements of KEYS and ARGV a header names and from where on it names all.
func indexes(header string) (named map[string]bool, open map[string]int) {
	named, open = map[string]bool{}, map[string]int{}
	for _, m := range indexPattern.FindAllStringSubmatch(header, -1) {
		if m[3] == ".." {
			open[m[1]], _ = strconv.Atoi(m[2])
		} else {
			named[m[1]+m[2]] = true
		}
	}
	return named, open
}

func TestEveryHeaderNamesTheKeysAndArgumentsOfItsBody(t *testing.T) {
	t.Parallel()
	for name, source := range sources(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header, body := split(source)
			for _, word := range []string{"KEYS", "ARGV", "Returns"} {
				assert.Contains(t, header, word, "the header doesn't name %s", word)
			}
			assert.True(t, strings.HasPrefix(header, "-- "+name+" "), "the header begins with the file's name")

			named, open := indexes(header)
			used := map[string]bool{}
			for _, m := range indexPattern.FindAllStringSubmatch(body, -1) {
				used[m[1]+m[2]] = true
				index, err := strconv.Atoi(m[2])
				require.NoError(t, err)
				from, ranged := open[m[1]]
				assert.True(t, named[m[1]+m[2]] || (ranged && index >= from), "%s is not in the header", m[0])
			}
			for index := range named {
				assert.True(t, used[index], "%s of the header is not used", index)
			}

			// What the body reaches by an expression must be in an open range, and the other way round.
			reached := map[string]bool{}
			for _, m := range expressionPattern.FindAllString(indexPattern.ReplaceAllString(body, ""), -1) {
				reached[m[:4]] = true
			}
			for _, array := range []string{"KEYS", "ARGV"} {
				_, ranged := open[array]
				assert.Equal(t, reached[array], ranged, "%s: reached by an expression, open range in the header", array)
			}
		})
	}
}

func TestEveryHeaderNamesTheCodesOfItsBody(t *testing.T) {
	t.Parallel()
	for name, source := range sources(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header, body := split(source)
			above, below := map[string]int{}, map[string]int{}
			for _, m := range headerCodePattern.FindAllStringSubmatch(header, -1) {
				above[m[2]], _ = strconv.Atoi(m[1])
			}
			for _, m := range bodyCodePattern.FindAllStringSubmatch(body, -1) {
				if !notCodes[m[1]] {
					below[m[1]], _ = strconv.Atoi(m[2])
				}
			}
			assert.Equal(t, above, below, "header, then body")
			require.Contains(t, codes, name)
			assert.Equal(t, codes[name], below, "the Go side, then the body")

			for code := range below {
				assert.Greater(t, len(regexp.MustCompile(`\b`+code+`\b`).FindAllString(body, -1)), 1,
					"%s is never returned", code)
			}
			if len(below) > 0 {
				assert.Empty(t, returnPattern.FindAllString(body, -1), "codes are returned by their names")
			}
		})
	}
}

// preludes are prepended to scripts.
var preludes = []string{
	"value_chunks.lua", "written.lua", "values.lua", "held.lua", "rate_window.lua", "waitlist.lua", "waves.lua",
}

func TestEveryScriptOfTheFolderIsRunByACall(t *testing.T) {
	t.Parallel()
	known := scripts()
	for name, source := range sources(t) {
		if slices.Contains(preludes, name) {
			continue
		}
		require.Contains(t, known, name)
		assert.True(t, strings.HasSuffix(known[name].Source, source), name)
	}
	assert.Len(t, sources(t), len(known)+len(preludes))
}

func sources(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.lua")
	require.NoError(t, err)
	byName := make(map[string]string, len(files))
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		byName[file] = string(source)
	}
	return byName
}
