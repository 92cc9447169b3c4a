// Package redisdb connects to Redis and knows its servers: connections that never send a command twice, the version,
// eviction policy, memory and persistence of each node, locks over several keys, and the rate limits that all instances
// share. Keys and scripts are in package lua.
package redisdb
