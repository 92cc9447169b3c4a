-- +goose Up
-- Where events are delivered to. types is the list of event types, separated by spaces; '' is all. after_id is the last
-- event that is delivered or has a row in deliveries. Events after replay_after, up to replay_upto, are sent again if
-- they are of the time from replay_from_ms to replay_to_ms. due_ms is when the next row of deliveries has to be sent,
-- 0 if none waits; waiting counts these rows. Whoever changes deliveries locks the row of its endpoint first.
CREATE TABLE IF NOT EXISTS endpoints (
    endpoint_id       VARCHAR(32)   NOT NULL PRIMARY KEY,
    url               VARCHAR(2000) NOT NULL,
    types             VARCHAR(1000) NOT NULL DEFAULT '',
    enabled           INT           NOT NULL DEFAULT 1,
    secret            VARCHAR(100)  NOT NULL,
    previous_secret   VARCHAR(100)  NOT NULL DEFAULT '',
    previous_until_ms BIGINT        NOT NULL DEFAULT 0,
    after_id          BIGINT        NOT NULL DEFAULT 0,
    replay_after      BIGINT        NOT NULL DEFAULT 0,
    replay_upto       BIGINT        NOT NULL DEFAULT 0,
    replay_from_ms    BIGINT        NOT NULL DEFAULT 0,
    replay_to_ms      BIGINT        NOT NULL DEFAULT 0,
    lease_owner       VARCHAR(64)   NOT NULL DEFAULT '',
    lease_until_ms    BIGINT        NOT NULL DEFAULT 0,
    due_ms            BIGINT        NOT NULL DEFAULT 0,
    waiting           BIGINT        NOT NULL DEFAULT 0,
    failing_since_ms  BIGINT        NOT NULL DEFAULT 0,
    attempted_ms      BIGINT        NOT NULL DEFAULT 0,
    succeeded_ms      BIGINT        NOT NULL DEFAULT 0,
    disabled_reason   VARCHAR(64)   NOT NULL DEFAULT '',
    created_ms        BIGINT        NOT NULL DEFAULT 0,
    updated_ms        BIGINT        NOT NULL DEFAULT 0,
    version           BIGINT        NOT NULL DEFAULT 0
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;

-- Whoever adds or deletes an endpoint locks this row, so that two don't add the last one that is allowed.
CREATE TABLE IF NOT EXISTS endpoints_head (
    id      INT    NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
INSERT INTO endpoints_head (id, version)
    SELECT d.id, 0 FROM (SELECT 1 AS id) AS d WHERE NOT EXISTS (SELECT 1 FROM endpoints_head);

-- What was delivered and what waits to be. A row is waiting, delivered or failed. answer has the first 500 bytes of the
-- receiver's. at_ms is the time of the last attempt, or of the row if there was none; next_ms is that of the next
-- attempt of a waiting row, 0 if it only waits for an earlier event of its subject.
CREATE TABLE IF NOT EXISTS deliveries (
    endpoint_id VARCHAR(32)  NOT NULL,
    event_id    BIGINT       NOT NULL,
    subject     VARCHAR(64)  NOT NULL DEFAULT '',
    type        VARCHAR(40)  NOT NULL DEFAULT '',
    status      VARCHAR(10)  NOT NULL,
    attempts    BIGINT       NOT NULL DEFAULT 0,
    status_code BIGINT       NOT NULL DEFAULT 0,
    answer      VARCHAR(500) NOT NULL DEFAULT '',
    error       VARCHAR(200) NOT NULL DEFAULT '',
    duration_ms BIGINT       NOT NULL DEFAULT 0,
    first_ms    BIGINT       NOT NULL DEFAULT 0,
    at_ms       BIGINT       NOT NULL DEFAULT 0,
    next_ms     BIGINT       NOT NULL DEFAULT 0,
    PRIMARY KEY (endpoint_id, event_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ deliveries_status ON deliveries (endpoint_id, status, event_id);
CREATE INDEX /*M! IF NOT EXISTS */ deliveries_at ON deliveries (at_ms);

-- +goose Down
DROP TABLE deliveries;
DROP TABLE endpoints_head;
DROP TABLE endpoints;
