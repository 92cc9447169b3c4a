package doctor

import (
	"fmt"
	"strconv"
	"strings"

	"onrush/modules/redisdb"
)

// fullSoon is the part of maxmemory, in percent, from which OnrushRedisFull fires.
const fullSoon = 80

// memory checks that Redis keeps every order, that it has a bound below the memory of its machine, and that it has
// room.
func (d *Doctor) memory(name string, info map[string]string) {
	m := redisdb.MemoryOf(info)
	switch {
	case m.Policy == "":
		d.add(name, Warning, "Redis does not return its maxmemory-policy", "make sure that it is noeviction")
		return
	case m.Evicts():
		d.add(name, Failure, "maxmemory-policy is "+m.Policy+": orders may be evicted", "set it to noeviction")
		return
	case m.Max == 0:
		d.add(name, Warning, "maxmemory is 0: the system may end a Redis that grows",
			"set it below the memory of the machine; a cached order takes about 1.2 KB")
		return
	}
	used := float64(m.Used) / float64(m.Max) * 100
	detail := fmt.Sprintf("noeviction, %.1f %% of maxmemory %s used", used, info["maxmemory_human"])
	switch {
	case m.IsFull():
		d.add(name, Failure, fmt.Sprintf("%s, by %s: no order is placed from %d %%", detail, users(info),
			redisdb.FullPercent), roomAdvice)
	case used >= fullSoon:
		d.add(name, Warning, fmt.Sprintf("%s, by %s: at %d %% no order is placed", detail, users(info),
			redisdb.FullPercent), roomAdvice)
	default:
		d.add(name, OK, detail, "")
	}
}

const roomAdvice = "raise it with CONFIG SET maxmemory and in its file; onrush queue shows the orders that wait for SQL"

// users says what uses the memory of a Redis server: its keys in each database, and all that is no data.
func users(info map[string]string) string {
	var keys []string
	for db := range 16 {
		if text, found := info["db"+strconv.Itoa(db)]; found { // db0:keys=12,expires=3,avg_ttl=0
			count, _, _ := strings.Cut(strings.TrimPrefix(text, "keys="), ",")
			keys = append(keys, fmt.Sprintf("%s keys in database %d", count, db))
		}
	}
	if len(keys) == 0 {
		keys = append(keys, "no keys")
	}
	return fmt.Sprintf("%s of data (%s) and %s of tables and buffers", inMB(info["used_memory_dataset"]),
		strings.Join(keys, ", "), inMB(info["used_memory_overhead"]))
}

// inMB writes a number of bytes.
func inMB(bytes string) string {
	n, _ := strconv.ParseFloat(bytes, 64) // 0 if the value is not a number
	return fmt.Sprintf("%.1f MB", n/1e6)
}
