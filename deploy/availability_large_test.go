//go:build large

package deploy

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// haproxyBlock is the file of haproxy in docs/operating/availability.md.
var haproxyBlock = regexp.MustCompile("(?ms)^```\n(# /etc/haproxy/haproxy.cfg .*?)^```$")

func TestTheHaproxyOfAvailabilityIsValidAndAsksForThePrimary(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/operating/availability.md")
	require.NoError(t, err)
	block := haproxyBlock.FindSubmatch(page)
	require.NotNil(t, block)

	var packets []string // each has three bytes of its length, and one that counts
	for _, sent := range regexp.MustCompile(`(?m)send-binary (\S+)$`).FindAllSubmatch(block[1], -1) {
		packet, err := hex.DecodeString(string(sent[1]))
		require.NoError(t, err)
		require.Greater(t, len(packet), 4)
		assert.Equal(t, len(packet)-4, int(packet[0])|int(packet[1])<<8|int(packet[2])<<16, "length of %q", packet)
		packets = append(packets, string(packet[4:]))
	}
	require.Len(t, packets, 3)
	assert.Contains(t, packets[0], "\x00haproxy\x00")
	assert.Equal(t, "\x03SELECT IF(@@GLOBAL.read_only, 'replica', 'primary') AS role", packets[1])
	assert.Equal(t, "\x01", packets[2], "the end of the connection")

	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	require.NoError(t, os.WriteFile(file, block[1], 0o600))
	run(t, kit.Tool(t, "haproxy"), "-c", "-f", file)
}
