-- +goose Up
-- Users and addresses that are refused in sales. kind is user or address; an address may be a network. until_ms
-- is 0 where the block has no end. A row that was deleted stays for a while with deleted = 1, so that every
-- instance reads it: instances read the rows whose version is above the last one that they have.
CREATE TABLE IF NOT EXISTS blocked (
    kind       VARCHAR(8)   NOT NULL,
    subject    VARCHAR(64)  NOT NULL,
    reason     VARCHAR(200) NOT NULL,
    until_ms   BIGINT       NOT NULL,
    updated_ms BIGINT       NOT NULL,
    deleted    INT          NOT NULL,
    version    BIGINT       NOT NULL,
    PRIMARY KEY (kind, subject)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ blocked_version ON blocked (version);

-- The last version that was given. Whoever changes blocked locks this row, so that versions are committed in
-- their order.
CREATE TABLE IF NOT EXISTS blocked_head (
    id      INT    NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
INSERT INTO blocked_head (id, version)
    SELECT d.id, 0 FROM (SELECT 1 AS id) AS d WHERE NOT EXISTS (SELECT 1 FROM blocked_head);

-- +goose Down
DROP TABLE blocked_head;
DROP TABLE blocked;
